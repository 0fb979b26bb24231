#include "work/records/line_window.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::work {

Result<Done> LineWindow::refill(std::int64_t bytes_max) {
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  if (end_ + 1 >= buffer_.size()) {
    const auto most = static_cast<std::size_t>(bytes_max) + 2;
    buffer_.resize(std::max(end_ + 2, std::min(2 * buffer_.size(), most)));
  }
  auto count = source_->read(buffer_.data() + end_, buffer_.size() - 1 - end_);
  if (!count) return count.error();
  is_last_ = *count == 0;
  if (!has_carriage_return_) has_carriage_return_ = std::memchr(buffer_.data() + end_, '\r', *count) != nullptr;
  end_ += *count;
  return Done{};
}

}  // namespace heddle::work
