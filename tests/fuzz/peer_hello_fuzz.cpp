// The hello of a peer: what is read is limited, and equal after another round trip.
#include "tests/fuzz/fuzz_target.hpp"
#include "work/transport/peer_hello.hpp"

HEDDLE_FUZZ_TARGET(peer_hello) {
  using namespace heddle::work;
  const auto rest = hello_rest_bytes(input);
  HEDDLE_ASSERT(!rest || *rest <= 2 * hello_text_bytes_max, "a long hello");
  const auto hello = read_hello(input);
  if (hello) HEDDLE_ASSERT(write_hello(*hello) == input, "a hello reads back differently");
}
