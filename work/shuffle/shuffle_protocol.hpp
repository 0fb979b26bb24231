// Wire protocol between shuffle client and shuffle server, over TLS with the key of the application. Numbers are
// little-endian.
//   request:   "HSF2", cluster start i64, application number i64, shuffle i64, partition i32, count u32, maps i32 each
//   response:  per map in the order of the request: map i32, status u32 (0 present, 1 missing), length i64,
//              bytes of the file
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "ports/transport_key.hpp"

namespace heddle::work {

inline constexpr std::string_view shuffle_magic = "HSF2";
inline constexpr std::size_t shuffle_request_header_bytes = 4 + 8 + 8 + 8 + 4 + 4;
inline constexpr std::size_t shuffle_response_header_bytes = 16;
inline constexpr std::uint32_t shuffle_maps_max = 1024;  // per request

struct ShuffleRequest {
  ApplicationId application;
  ShuffleId shuffle;
  std::int32_t partition = 0;
  std::uint32_t map_count = 0;  // from the header; equals maps.size() after read_request_maps
  std::vector<std::int32_t> maps;
};

struct ShuffleResponseHeader {
  std::int32_t map = 0;
  bool is_present = false;
  std::int64_t length = 0;
};

template <class Number>
void append_number(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}
template <class Number>
[[nodiscard]] Number number_at(std::string_view bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

[[nodiscard]] std::string write_request(const ShuffleRequest& request);
/// Reads the header; returns false if it is not a request of an allowed size.
[[nodiscard]] bool read_request_header(std::string_view bytes, ShuffleRequest& request);
/// Reads the maps after the header, 4 bytes each; returns false if one is negative or bytes are missing.
[[nodiscard]] bool read_request_maps(std::string_view bytes, ShuffleRequest& request);

[[nodiscard]] std::string write_response_header(const ShuffleResponseHeader& head);
[[nodiscard]] bool read_response_header(std::string_view bytes, ShuffleResponseHeader& head);

/// Key of the connections for an application: its name is its id, its secret the application's token.
[[nodiscard]] ports::TransportKey shuffle_key(const ApplicationId& application, const std::string& token);

}  // namespace heddle::work
