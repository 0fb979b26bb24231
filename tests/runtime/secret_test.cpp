// Goal: a secret is accepted only if it is equal. Method: equal, different, shorter and longer texts.
#include "runtime/secret.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::runtime {
namespace secret_test {

BOOST_AUTO_TEST_CASE(only_equal_texts_are_the_same_secret) {
  BOOST_TEST(is_same_secret("0123abcd", "0123abcd"));
  for (const char* guess : {"", "0123abc", "0123abcde", "1123abcd", "0123abce", "0123ABCD"})
    BOOST_TEST(!is_same_secret("0123abcd", guess));
}

}  // namespace secret_test
}  // namespace heddle::runtime
