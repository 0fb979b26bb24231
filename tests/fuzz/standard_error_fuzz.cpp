// Stderr of a command in chunks: counters and status do not depend on the chunks, and the kept text is limited.
#include "tests/fuzz/fuzz_target.hpp"
#include "work/commands/command_runner.hpp"

HEDDLE_FUZZ_TARGET(standard_error) {
  using namespace heddle::work;
  constexpr std::size_t kept_max = 256;
  const auto read = [&](std::size_t piece) {
    StandardErrorReader reader{kept_max};
    for (std::size_t at = 0; at < input.size(); at += piece) reader.add(input.substr(at, piece));
    CommandResult end;
    reader.finish(end);
    return end;
  };
  const auto whole = read(input.size() + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{300}}) {
    const auto cut = read(piece);
    HEDDLE_ASSERT(cut.counters == whole.counters && cut.status == whole.status, "pieces change what is read");
    HEDDLE_ASSERT(cut.standard_error == whole.standard_error, "pieces change what is kept");
    HEDDLE_ASSERT(cut.standard_error.size() <= kept_max + 8, "more is kept than may be");
  }
}
