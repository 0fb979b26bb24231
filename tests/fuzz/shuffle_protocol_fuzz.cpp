// Requests and responses of the shuffle protocol: parsed values are limited, and equal after another round trip.
#include "tests/fuzz/fuzz_target.hpp"
#include "work/shuffle/shuffle_protocol.hpp"

HEDDLE_FUZZ_TARGET(shuffle_protocol) {
  using namespace heddle::work;
  ShuffleRequest request;
  if (read_request_head(input, request) && read_request_maps(input.substr(shuffle_request_head_bytes), request)) {
    HEDDLE_ASSERT(request.maps.size() == request.map_count && request.map_count <= shuffle_maps_max, "");
    HEDDLE_ASSERT(write_request(request) == input, "a request reads differently");
  }
  ShuffleAnswerHead head;
  if (read_answer_head(input, head)) {
    HEDDLE_ASSERT(head.length >= 0, "");
    HEDDLE_ASSERT(write_answer_head(head) == input.substr(0, shuffle_answer_head_bytes), "an answer reads differently");
  }
}
