#include "interop/logs/aggregated_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <vector>

#include "interop/logs/tfile_index.hpp"
#include "ports/file_path.hpp"

namespace heddle::interop {
namespace {

constexpr std::string_view container_prefix = "container_";
constexpr std::size_t part_bytes = 64 << 10;

Error damaged() { return {Errc::corrupt, "an entry is damaged"}; }

/// Bytes of one data block, through a buffer.
class BlockBytes {
public:
  BlockBytes(ports::ByteSource& source, std::int64_t bytes) : source_{source}, unread_{bytes} {}

  [[nodiscard]] bool is_at_end() const { return unread_ == 0 && buffered().empty(); }
  /// Some of the next bytes, at most `wanted`; nothing at the end. Valid until the next call.
  [[nodiscard]] Result<std::string_view> next(std::size_t wanted) {
    if (buffered().empty())
      if (auto filled = fill(); !filled) return filled.error();
    const auto part = buffered().substr(0, wanted);
    begin_ += part.size();
    return part;
  }
  [[nodiscard]] Result<std::string> text(std::size_t size) {
    std::string made;
    while (made.size() < size) {
      const auto part = next(size - made.size());
      if (!part) return part.error();
      if (part->empty()) return damaged();
      made += *part;
    }
    return made;
  }
  [[nodiscard]] Result<std::int64_t> number() {
    auto bytes = text(1);
    if (!bytes) return bytes.error();
    const auto rest = text(tfile_number_rest(bytes->front()));
    if (!rest) return rest.error();
    *bytes += *rest;
    std::string_view view{*bytes};
    const auto value = take_tfile_number(view);
    return value ? Result<std::int64_t>{*value} : damaged();
  }

private:
  [[nodiscard]] std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }
  [[nodiscard]] Result<Done> fill() {
    begin_ = end_ = 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(unread_, part_bytes));
    if (wanted == 0) return Done{};
    const auto count = source_.read(buffer_.data(), wanted);
    if (!count) return count.error();
    if (*count == 0) return Error{Errc::corrupt, "it ends too early"};
    end_ = *count;
    unread_ -= static_cast<std::int64_t>(*count);
    return Done{};
  }

  ports::ByteSource& source_;
  std::int64_t unread_;
  std::array<char, part_bytes> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// The value of an entry: its parts one after another.
class Value {
public:
  explicit Value(BlockBytes& block) : block_{block} {}

  /// Some of the next bytes, at most `wanted`; nothing at the end.
  [[nodiscard]] Result<std::string_view> next(std::size_t wanted) {
    while (left_ == 0 && !is_last_) {
      const auto size = block_.number();
      if (!size) return size.error();
      is_last_ = *size >= 0;
      left_ = static_cast<std::uint64_t>(is_last_ ? *size : -(*size + 1)) + (is_last_ ? 0 : 1);
    }
    if (left_ == 0) return std::string_view{};
    const auto part = block_.next(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left_)));
    if (!part) return part.error();
    if (part->empty()) return damaged();
    left_ -= part->size();
    return *part;
  }
  [[nodiscard]] Result<std::string> text(std::size_t size) {
    std::string made;
    while (made.size() < size) {
      const auto part = next(size - made.size());
      if (!part) return part.error();
      if (part->empty()) return damaged();
      made += *part;
    }
    return made;
  }
  /// A text with its length in 2 bytes. Empty at the end of the value.
  [[nodiscard]] Result<std::string> short_text() {
    std::string size;
    while (size.size() < 2) {
      const auto part = next(2 - size.size());
      if (!part) return part.error();
      if (part->empty()) return size.empty() ? Result<std::string>{std::string{}} : damaged();
      size += *part;
    }
    const auto high = static_cast<unsigned char>(size[0]);
    const auto low = static_cast<unsigned char>(size[1]);
    return text(static_cast<std::size_t>(high << 8U | low));
  }
  [[nodiscard]] Result<Done> skip() {
    while (true) {
      const auto part = next(part_bytes);
      if (!part) return part.error();
      if (part->empty()) return Done{};
    }
  }

private:
  BlockBytes& block_;
  std::uint64_t left_ = 0;  // of the current part
  bool is_last_ = false;
};

Result<Done> visit_content(Value& value, const LogFile& file, LogVisitor& visitor) {
  const bool is_wanted = visitor.begin(file);
  for (auto left = file.bytes; left > 0;) {
    const auto part = value.next(static_cast<std::size_t>(std::min<std::int64_t>(left, part_bytes)));
    if (!part) return part.error();
    if (part->empty()) return damaged();
    left -= static_cast<std::int64_t>(part->size());
    if (!is_wanted) continue;
    if (auto taken = visitor.take(*part); !taken) return taken;
  }
  return Done{};
}

Result<Done> visit_container(Value& value, LogFile file, LogVisitor& visitor) {
  while (true) {
    auto name = value.short_text();
    if (!name) return name.error();
    if (name->empty()) return value.skip();
    const auto length = value.short_text();
    if (!length) return length.error();
    file.name = std::move(*name);
    const auto* end = length->data() + length->size();
    const auto [stop, fault] = std::from_chars(length->data(), end, file.bytes);
    if (fault != std::errc{} || stop != end || file.bytes < 0) return damaged();
    if (auto visited = visit_content(value, file, visitor); !visited) return visited;
  }
}

Result<Done> visit_entries(BlockBytes& block, const LogFile& origin, LogVisitor& visitor) {
  constexpr std::int64_t key_bytes_max = 64 << 10;
  while (!block.is_at_end()) {
    const auto size = block.number();
    if (!size) return size.error();
    if (*size < 2 || *size > key_bytes_max) return damaged();
    const auto key = block.text(static_cast<std::size_t>(*size));
    if (!key) return key.error();
    Value value{block};
    const auto name = key->substr(2);
    auto file = origin;
    file.container = name;
    auto visited = name.starts_with(container_prefix) ? visit_container(value, file, visitor) : value.skip();
    if (!visited) return visited;
  }
  return Done{};
}

Result<std::string> read_range(const ports::FileSystem& files, const std::string& path, std::int64_t offset,
                               std::int64_t bytes) {
  const auto source = files.open(path, {offset, bytes});
  if (!source) return source.error();
  std::string made(static_cast<std::size_t>(bytes), '\0');
  const auto count = (*source)->read(made.data(), made.size());
  if (!count) return count.error();
  made.resize(*count);
  return made;
}

Result<std::vector<TFileBlock>> read_blocks(const ports::FileSystem& files, const ports::FileStatus& file) {
  constexpr auto end_bytes = static_cast<std::int64_t>(tfile_end_bytes);
  if (file.length < end_bytes) return Error{Errc::corrupt, "it is no file of collected logs, or not complete"};
  const auto end = read_range(files, file.path, file.length - end_bytes, end_bytes);
  if (!end) return end.error();
  const auto offset = parse_tfile_end(*end, file.length);
  if (!offset) return offset.error();
  const auto index = read_range(files, file.path, *offset, file.length - *offset);
  if (!index) return index.error();
  const auto list = parse_tfile_index(*index, file.length);
  if (!list) return list.error();
  const auto bytes = read_range(files, file.path, list->offset, list->stored);
  if (!bytes) return bytes.error();
  return parse_tfile_blocks(*bytes, file.length);
}

Result<Done> visit_file(const ports::FileSystem& files, const ports::FileStatus& file, LogVisitor& visitor) {
  const auto blocks = read_blocks(files, file);
  if (!blocks) return blocks.error();
  LogFile origin;
  const auto name = ports::last_component(file.path);
  origin.host = name.substr(0, name.rfind('_'));
  origin.place = file.path;
  std::unique_ptr<ports::ByteSource> source;
  std::int64_t position = -1;  // of the source
  for (const auto& block : *blocks) {
    if (position != block.offset) {
      auto opened = files.open(file.path, {block.offset});
      if (!opened) return opened.error();
      source = std::move(*opened);
    }
    if (auto visited = visit_log_block(*source, block.stored, origin, visitor); !visited) return visited;
    position = block.offset + block.stored;
  }
  return Done{};
}

}  // namespace

Result<Done> visit_log_block(ports::ByteSource& block, std::int64_t bytes, const LogFile& origin, LogVisitor& visitor) {
  BlockBytes content{block, bytes};
  return visit_entries(content, origin, visitor);
}

Result<Done> visit_aggregated_log(const ports::FileSystem& files, const ports::FileStatus& file, LogVisitor& visitor) {
  auto visited = visit_file(files, file, visitor);
  if (visited || visited.error().text.find(file.path) != std::string::npos) return visited;
  return Error{visited.error().code, fmt::format("{}: {}", file.path, visited.error().text)};
}

}  // namespace heddle::interop
