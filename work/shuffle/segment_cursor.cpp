#include "work/shuffle/segment_cursor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::work {
namespace {
constexpr std::size_t read_bytes = 256 << 10;
}

SegmentCursor::SegmentCursor(SegmentLocation location) : location_{std::move(location)} {
  if (location_.path.empty()) location_.length = static_cast<std::int64_t>(location_.bytes.size());
}

Error SegmentCursor::broken(const std::string& what) const {
  return Error{Errc::corrupt, location_.path.empty() ? what : what + " ('" + location_.path + "')"};
}

// Fills the buffer with at least `wanted` bytes after read_at_, or the rest of the segment.
Result<Done> SegmentCursor::fill(std::size_t wanted) {
  if (read_end_ - read_at_ >= wanted) return Done{};
  if (!file_.is_open()) {
    auto file = FileHandle::open_to_read(location_.path);
    if (!file) return file.error();
    file_ = std::move(file).value();
  }
  if (read_end_ > read_at_) std::memmove(read_.data(), read_.data() + read_at_, read_end_ - read_at_);
  read_end_ -= read_at_;
  read_at_ = 0;
  const auto room = std::max({wanted, read_bytes, read_.size()});
  if (read_.size() < room) read_.resize(room);
  const auto size = std::min(read_.size() - read_end_, static_cast<std::size_t>(location_.length));
  auto count = file_.read_at(read_.data() + read_end_, size, location_.offset);
  if (!count) return count.error();
  if (*count < size) return broken("a shuffle file is shorter than its index requires");
  read_end_ += size;
  location_.offset += static_cast<std::int64_t>(size);
  location_.length -= static_cast<std::int64_t>(size);
  return Done{};
}

Result<std::string_view> SegmentCursor::stored_block(BlockHeader& header) {
  if (location_.path.empty()) {
    if (location_.bytes.size() < block_header_bytes) return broken("a shuffle segment ends inside a block");
    header = read_block_header(location_.bytes.data());
    const auto stored = location_.bytes.substr(block_header_bytes, header.stored_bytes);
    if (!location_.is_verified)
      if (auto done = verify_block(header, location_.bytes.data(), stored); !done) return broken(done.error().text);
    location_.bytes.remove_prefix(block_header_bytes + stored.size());
    return stored;
  }
  if (auto done = fill(block_header_bytes); !done) return done.error();
  if (read_end_ - read_at_ < block_header_bytes) return broken("a shuffle segment ends inside a block");
  header = read_block_header(read_.data() + read_at_);
  const auto left = static_cast<std::int64_t>(read_end_ - read_at_) + location_.length;
  if (static_cast<std::int64_t>(block_header_bytes) + header.stored_bytes > left)
    return broken("a shuffle block is longer than its segment");
  if (auto done = fill(block_header_bytes + header.stored_bytes); !done) return done.error();
  const auto* block = read_.data() + read_at_;
  const std::string_view stored{block + block_header_bytes, header.stored_bytes};
  if (auto done = verify_block(header, block, stored); !done) return broken(done.error().text);
  read_at_ += block_header_bytes + stored.size();
  return stored;
}

bool SegmentCursor::is_at_end() const {
  return location_.path.empty() ? location_.bytes.empty() : location_.length == 0 && read_at_ == read_end_;
}

Result<Done> SegmentCursor::verify_blocks() {
  BlockHeader header;
  while (!is_at_end())
    if (const auto stored = stored_block(header); !stored) return stored.error();
  return Done{};
}

Result<bool> SegmentCursor::next_block() {
  if (is_broken_) return broken("a shuffle block contains a truncated record");
  if (is_at_end()) return false;
  BlockHeader header;
  const auto stored = stored_block(header);
  if (!stored) return stored.error();
  const auto raw = unpack_block(header, *stored, unpacked_);
  if (!raw) return broken(raw.error().text);
  if (location_.size != nullptr) {
    location_.size->records += header.records;
    location_.size->bytes += header.raw_bytes;
  }
  at_ = raw->data();
  end_ = at_ + raw->size();
  return true;
}

void SegmentCursor::close() {
  file_ = {};
  read_ = {};
  read_at_ = read_end_ = 0;
  unpacked_ = {};
  at_ = end_ = "";
}

}  // namespace heddle::work
