// Which paths in Hadoop's notation are local paths, and which are refused with an error message.
#include "config/text/file_uri.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>

namespace file_uri_test {

using namespace heddle;
using namespace heddle::config;

BOOST_AUTO_TEST_CASE(uris_of_files_are_paths_and_paths_stay_as_they_are) {
  for (const auto& [written, path] :
       {std::pair{"file:///tmp/a*", "/tmp/a*"}, std::pair{"file:/tmp/a", "/tmp/a"},
        std::pair{"file://localhost/tmp/a", "/tmp/a"}, std::pair{"file:a/b", "a/b"}, std::pair{"/tmp/a", "/tmp/a"},
        std::pair{"a:b", "a:b"}, std::pair{"12:00/a", "12:00/a"}, std::pair{"{a,b}:/c", "{a,b}:/c"},
        std::pair{"", ""}}) {
    const auto local = local_path(written);
    BOOST_REQUIRE_MESSAGE(local.has_value(), written);
    BOOST_TEST(*local == path);
  }
}

BOOST_AUTO_TEST_CASE(other_file_systems_and_hosts_are_named) {
  for (const auto& [written, sentence] :
       {std::pair{"hdfs://n:8020/a", "no such file system: hdfs; known: file"},
        std::pair{"s3a://bucket/a", "no such file system: s3a; known: file"},
        std::pair{"hdfs:/a", "no such file system: hdfs; known: file"}, std::pair{"file://tmp/a", "file:///tmp/a"}}) {
    const auto local = local_path(written);
    BOOST_REQUIRE_MESSAGE(!local.has_value(), written);
    BOOST_TEST((local.error().code == Errc::not_found));
    BOOST_TEST(local.error().text.find(sentence) != std::string::npos, local.error().text);
  }
}

}  // namespace file_uri_test
