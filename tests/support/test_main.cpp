// The entry point of every Boost.Test program here.
#define BOOST_TEST_MODULE heddle
#include <boost/test/unit_test.hpp>
