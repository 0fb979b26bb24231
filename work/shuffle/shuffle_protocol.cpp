#include "work/shuffle/shuffle_protocol.hpp"

#include <bit>

namespace heddle::work {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

std::string write_request(const ShuffleRequest& request) {
  std::string bytes{shuffle_magic};
  append_number(bytes, request.application.cluster_start);
  append_number(bytes, request.application.number);
  append_number(bytes, request.shuffle.value);
  append_number(bytes, request.partition);
  append_number(bytes, static_cast<std::uint32_t>(request.maps.size()));
  for (const std::int32_t map : request.maps) append_number(bytes, map);
  return bytes;
}

bool read_request_header(std::string_view bytes, ShuffleRequest& request) {
  if (bytes.size() < shuffle_request_header_bytes || bytes.substr(0, 4) != shuffle_magic) return false;
  request.application.cluster_start = number_at<std::int64_t>(bytes, 4);
  request.application.number = number_at<std::int64_t>(bytes, 12);
  request.shuffle = ShuffleId{number_at<std::int64_t>(bytes, 20)};
  request.partition = number_at<std::int32_t>(bytes, 28);
  request.map_count = number_at<std::uint32_t>(bytes, 32);
  return request.shuffle.value >= 0 && request.partition >= 0 && request.map_count > 0 &&
         request.map_count <= shuffle_maps_max;
}

bool read_request_maps(std::string_view bytes, ShuffleRequest& request) {
  if (bytes.size() != std::size_t{request.map_count} * 4) return false;
  request.maps.clear();
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    request.maps.push_back(number_at<std::int32_t>(bytes, at));
    if (request.maps.back() < 0) return false;
  }
  return true;
}

std::string write_response_header(const ShuffleResponseHeader& head) {
  std::string bytes;
  append_number(bytes, head.map);
  append_number(bytes, static_cast<std::uint32_t>(head.is_present ? 0 : 1));
  append_number(bytes, head.length);
  return bytes;
}

bool read_response_header(std::string_view bytes, ShuffleResponseHeader& head) {
  if (bytes.size() < shuffle_response_header_bytes) return false;
  head.map = number_at<std::int32_t>(bytes, 0);
  const auto status = number_at<std::uint32_t>(bytes, 4);
  head.is_present = status == 0;
  head.length = number_at<std::int64_t>(bytes, 8);
  return status <= 1 && head.length >= 0 && (head.is_present || head.length == 0);
}

ports::TransportKey shuffle_key(const ApplicationId& application, const std::string& token) {
  return {to_string(application), token};
}

}  // namespace heddle::work
