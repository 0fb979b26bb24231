// A launch spec that can be read is written as the same bytes. Also reads fields without their checksum, which
// mutations would never match.
#include "model/launch_spec.hpp"
#include "tests/fuzz/fuzz_target.hpp"

constexpr std::size_t header_bytes = 16;  // magic, version, checksum

HEDDLE_FUZZ_TARGET(launch_spec) {
  using namespace heddle;
  const auto whole = read_launch_spec(input);
  if (whole) HEDDLE_ASSERT(write_launch_spec(*whole) == input, "a launch spec reads differently");
  else HEDDLE_ASSERT(whole.error().text.starts_with("the launch spec "), whole.error().text);
  const auto fields = read_launch_fields(input);
  if (fields) HEDDLE_ASSERT(write_launch_spec(*fields).substr(header_bytes) == input, "fields read differently");
}
