// Goal: a path keeps its scheme and authority, and starts where Hadoop lets it start.
#include "ports/file_path.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>

namespace heddle::ports {
namespace file_path_test {
namespace {

const PathDefaults local{"/data/dir", {}, {}};
const PathDefaults cluster{"/data/dir", "hdfs://n:8020", "/user/ann"};

std::string resolved(const std::string& written, const PathDefaults& defaults, PathKind kind = PathKind::plain) {
  const auto path = resolve_path(written, defaults, kind);
  return path ? to_string(*path) : path.error().text;
}

BOOST_AUTO_TEST_CASE(a_path_starts_where_its_scheme_and_the_defaults_say) {
  struct Row {
    const char* written;
    const char* on_local;
    const char* on_cluster;
  };
  const Row rows[] = {{"/a/b", "/a/b", "hdfs://n:8020/a/b"},
                      {"a/b", "/data/dir/a/b", "hdfs://n:8020/user/ann/a/b"},
                      {"../b", "/data/b", "hdfs://n:8020/user/b"},
                      {"a:b", "/data/dir/a:b", "hdfs://n:8020/user/ann/a:b"},
                      {"12:00/a", "/data/dir/12:00/a", "hdfs://n:8020/user/ann/12:00/a"},
                      {".", "/data/dir", "hdfs://n:8020/user/ann"},
                      {"", "path is empty", "path is empty"},
                      {"/", "/", "hdfs://n:8020/"},
                      {"//a///b/./c/../", "/a/b", "hdfs://n:8020/a/b"},
                      {"file:///a/b/", "/a/b", "/a/b"},
                      {"file:/a//b", "/a/b", "/a/b"},
                      {"file://localhost/a", "/a", "/a"},
                      {"file:a", "/data/dir/a", "/data/dir/a"},
                      {"hdfs://h/p", "hdfs://h/p", "hdfs://h/p"},
                      {"hdfs://h:9000/p//q/..", "hdfs://h:9000/p", "hdfs://h:9000/p"},
                      {"hdfs://h", "hdfs://h/", "hdfs://h/"},
                      {"hdfs:///p", "hdfs:///p", "hdfs://n:8020/p"},
                      {"hdfs:/p", "hdfs:///p", "hdfs://n:8020/p"},
                      {"s3a://bucket/p", "s3a://bucket/p", "s3a://bucket/p"},
                      {"/../../a", "/a", "hdfs://n:8020/a"}};
  for (const auto& row : rows) {
    BOOST_TEST(resolved(row.written, local) == row.on_local, row.written);
    BOOST_TEST(resolved(row.written, cluster) == row.on_cluster, row.written);
  }
}

BOOST_AUTO_TEST_CASE(a_pattern_is_kept_from_its_first_pattern_component_on) {
  BOOST_TEST(resolved("x/../a//{b/../c,d}//e/", local, PathKind::pattern) == "/data/dir/a/{b/../c,d}//e/");
  BOOST_TEST(resolved("hdfs://h/a/./*.txt", local, PathKind::pattern) == "hdfs://h/a/*.txt");
  BOOST_TEST(resolved("{a,b}:/c", local, PathKind::pattern) == "/data/dir/{a,b}:/c");
  BOOST_TEST(resolved("out[1]/", local) == "/data/dir/out[1]");
}

BOOST_AUTO_TEST_CASE(a_file_uri_with_a_host_and_a_lost_working_directory_are_errors) {
  BOOST_TEST(resolved("file://tmp/a", local).find("use three slashes: file:///tmp/a") != std::string::npos);
  BOOST_TEST(resolved("a", {}).find("the working directory") != std::string::npos);
  BOOST_TEST(resolved("/a", {}) == "/a");
}

BOOST_AUTO_TEST_CASE(the_text_of_a_path_is_read_back) {
  for (const std::string text : {"/a/b", "/", "hdfs://h:8020/a/b", "hdfs://h/", "hdfs:///a"})
    BOOST_TEST(to_string(read_path(text)) == text);
  BOOST_TEST((read_path("hdfs://h:8020/a/b") == FilePath{"hdfs", "h:8020", "/a/b"}));
  for (const auto& [path, parent] :
       {std::pair{"/a/b", "/a"}, std::pair{"/a", "/"}, std::pair{"/", "/"}, std::pair{"a", "."},
        std::pair{"hdfs://h:1/a/b", "hdfs://h:1/a"}, std::pair{"hdfs://h:1/a", "hdfs://h:1/"}})
    BOOST_TEST(parent_of(path) == parent);
  BOOST_TEST(last_component("hdfs://h:1/a/b.txt") == "b.txt");
}

}  // namespace
}  // namespace file_path_test
}  // namespace heddle::ports
