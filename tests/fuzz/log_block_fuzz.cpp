#include <algorithm>
#include <cstring>

#include "interop/logs/aggregated_log.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

class Bytes final : public heddle::ports::ByteSource {
public:
  explicit Bytes(std::string_view bytes) : bytes_{bytes} {}
  heddle::Result<std::size_t> read(char* to, std::size_t size) override {
    const auto count = std::min(size, bytes_.size());
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
    consumed_ += static_cast<std::int64_t>(count);
    return count;
  }
  [[nodiscard]] std::int64_t bytes_consumed() const override { return consumed_; }

private:
  std::string_view bytes_;
  std::int64_t consumed_ = 0;
};

/// Counts the content of each file.
class Counter final : public heddle::interop::LogVisitor {
public:
  std::uint64_t bytes = 0;

  bool begin(const heddle::interop::LogFile& file) override {
    HEDDLE_ASSERT(left_ == 0, "a file begins before the end of the one before it");
    left_ = file.bytes;
    return true;
  }
  heddle::Result<heddle::Done> take(std::string_view part) override {
    left_ -= static_cast<std::int64_t>(part.size());
    HEDDLE_ASSERT(left_ >= 0, "a file has more content than its length");
    bytes += part.size();
    return heddle::Done{};
  }

private:
  std::int64_t left_ = 0;
};

}  // namespace

HEDDLE_FUZZ_TARGET(log_block) {
  Bytes source{input};
  Counter counter;
  const auto size = static_cast<std::int64_t>(input.size());
  [[maybe_unused]] const auto visited = heddle::interop::visit_log_block(source, size, {}, counter);
  HEDDLE_ASSERT(counter.bytes <= input.size(), "more content than the block has");
}
