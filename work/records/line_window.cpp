#include "work/records/line_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::work {

void LineWindow::make_room(std::size_t size) {
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  if (buffer_) std::memcpy(larger.get(), buffer_.get(), end_);
  buffer_ = std::move(larger);
  size_ = size;
}

Result<Done> LineWindow::refill(std::int64_t bytes_max) {
  std::memmove(buffer_.get(), buffer_.get() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  if (end_ + 1 >= size_) {
    const auto most = static_cast<std::size_t>(bytes_max) + 2;
    make_room(std::max(end_ + 2, std::min(2 * size_, most)));
  }
  auto count = source_->read(buffer_.get() + end_, size_ - 1 - end_);
  if (!count) return count.error();
  is_last_ = *count == 0;
  if (!has_carriage_return_) has_carriage_return_ = std::memchr(buffer_.get() + end_, '\r', *count) != nullptr;
  end_ += *count;
  return Done{};
}

}  // namespace heddle::work
