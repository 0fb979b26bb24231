#include "config/hadoop/hadoop_xml.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(hadoop_xml) {
  const auto read = heddle::config::parse_hadoop_xml("yarn-site.xml", input);
  if (!read) HEDDLE_ASSERT(read.error().text.find("yarn-site.xml") != std::string::npos, read.error().text);
}
