// Keys of Hadoop that StreamJob of Hadoop 3.4.2 writes into the configuration of a job.
#include <fmt/format.h>

#include <cstdint>

#include "apps/cli/streaming_job.hpp"

namespace heddle::apps {
namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view aggregate_package = "org.apache.hadoop.mapred.lib.aggregate.";

/// As java.net.URLEncoder with UTF-8: "cut -f1" becomes "cut+-f1".
std::string url_encoded(std::string_view text) {
  std::string made;
  for (const char symbol : text) {
    const bool is_plain = (symbol >= 'a' && symbol <= 'z') || (symbol >= 'A' && symbol <= 'Z') ||
                          (symbol >= '0' && symbol <= '9') || symbol == '.' || symbol == '-' || symbol == '*' ||
                          symbol == '_';
    if (is_plain) made += symbol;
    else if (symbol == ' ') made += '+';
    else made += fmt::format("%{:02X}", static_cast<std::uint8_t>(symbol));
  }
  return made;
}

/// A command under the key of Hadoop Streaming, a class under that of Hadoop. `side`: map, combine or reduce.
void add_processor(Properties& properties, std::string_view side, std::string_view class_key, const std::string& said) {
  if (said.empty()) return;
  if (is_hadoop_class(said)) properties.emplace_back(class_key, said);
  else properties.emplace_back(fmt::format("stream.{}.streamprocessor", side), url_encoded(said));
}

}  // namespace

Properties streaming_properties(const StreamingRequest& request, bool has_reduces) {
  Properties properties{request.configuration.begin(), request.configuration.end()};
  add_processor(properties, "map", "mapred.mapper.class", request.mapper);
  add_processor(properties, "combine", "mapred.combiner.class", request.combiner);
  if (!has_reduces) return properties;
  if (request.reducer == "aggregate") {
    properties.emplace_back("mapred.reducer.class", fmt::format("{}ValueAggregatorReducer", aggregate_package));
    properties.emplace_back("mapred.combiner.class", fmt::format("{}ValueAggregatorCombiner", aggregate_package));
  } else if (request.reducer != "NONE") {
    add_processor(properties, "reduce", "mapred.reducer.class", request.reducer);
  }
  return properties;
}

}  // namespace heddle::apps
