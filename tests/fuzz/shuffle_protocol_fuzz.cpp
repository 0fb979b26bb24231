// Requests and responses of the shuffle protocol: parsed values are limited, and equal after another round trip.
#include "tests/fuzz/fuzz_target.hpp"
#include "work/shuffle/shuffle_protocol.hpp"

HEDDLE_FUZZ_TARGET(shuffle_protocol) {
  using namespace heddle::work;
  ShuffleRequest request;
  if (read_request_header(input, request) && read_request_maps(input.substr(shuffle_request_header_bytes), request)) {
    HEDDLE_ASSERT(request.maps.size() == request.map_count && request.map_count <= shuffle_maps_max, "");
    HEDDLE_ASSERT(write_request(request) == input, "a request reads differently");
  }
  ShuffleResponseHeader head;
  if (read_response_header(input, head)) {
    HEDDLE_ASSERT(head.length >= 0, "");
    HEDDLE_ASSERT(write_response_header(head) == input.substr(0, shuffle_response_header_bytes),
                  "a response header reads back differently");
  }
}
