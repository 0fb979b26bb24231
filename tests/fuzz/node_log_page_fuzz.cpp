#include <optional>
#include <string>

#include "interop/logs/node_log_page.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

/// The content of an answer in pieces of this size; nothing if it is refused.
std::optional<std::string> content_of(std::string_view input, std::size_t piece) {
  std::string made;
  heddle::interop::NodeLogPage page{[&made](std::string_view bytes) {
    made += bytes;
    return heddle::Result<heddle::Done>{heddle::Done{}};
  }};
  for (std::size_t at = 0; at < input.size(); at += piece)
    if (!page.take(input.substr(at, piece))) return std::nullopt;
  if (!page.finish()) return std::nullopt;
  return made;
}

}  // namespace

HEDDLE_FUZZ_TARGET(node_log_page) {
  const auto whole = content_of(input, input.size() + 1);
  constexpr std::size_t head_bytes = 16 << 10;
  if (input.size() < head_bytes) HEDDLE_ASSERT(whole == content_of(input, 7), "the content depends on the pieces");
  if (whole) HEDDLE_ASSERT(whole->size() <= input.size(), "more content than bytes");
  if (const auto files = heddle::interop::parse_log_list(input))
    for (const auto& file : *files) HEDDLE_ASSERT(file.bytes >= 0, "a negative size");
}
