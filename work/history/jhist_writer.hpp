// Writes .jhist files: a line with the version, a line with the schema, then the events; in Avro-JSON one line for each
// event, in Avro-Binary one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ports/job_history_events.hpp"

namespace heddle::work {

inline constexpr std::string_view jhist_json_version = "Avro-Json";
inline constexpr std::string_view jhist_binary_version = "Avro-Binary";

enum class JhistEncoding : std::uint8_t { json, binary };

/// The first two lines.
[[nodiscard]] std::string jhist_header(JhistEncoding encoding);
void append_jhist(std::string& out, JhistEncoding encoding, const history::Event& event);

}  // namespace heddle::work
