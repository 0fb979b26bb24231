#include "interop/hadoop/token_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(token_file) {
  using namespace heddle::interop;
  const auto file = parse_token_file("tokens", input);
  if (!file) {
    HEDDLE_ASSERT(file.error().text.starts_with("tokens"), file.error().text);
    return;
  }
  const auto again = parse_token_file("tokens", write_token_file(*file));
  HEDDLE_ASSERT(again.has_value() && *again == *file, "format 0 changes the content");
}
