#include "interop/logs/tfile_index.hpp"

#include <fmt/format.h>

#include <array>

namespace heddle::interop {
namespace {

constexpr std::string_view magic{"\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50", 16};
constexpr std::string_view blocks_name = "data:BCFile.index";
constexpr std::int64_t name_bytes_max = 4096;

constexpr int first_of_one = -32;  // a first byte from here on is the number itself

int byte_of(char c) { return static_cast<signed char>(c); }

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const auto c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::optional<std::string> take_text(std::string_view& text) {
  const auto size = take_tfile_number(text);
  if (!size || *size < 0 || *size > name_bytes_max || static_cast<std::uint64_t>(*size) > text.size())
    return std::nullopt;
  std::string made{text.substr(0, static_cast<std::size_t>(*size))};
  text.remove_prefix(made.size());
  return made;
}

std::optional<TFileBlock> take_block(std::string_view& text, std::int64_t file_bytes) {
  const auto offset = take_tfile_number(text);
  if (!offset) return std::nullopt;
  const auto stored = take_tfile_number(text);
  if (!stored) return std::nullopt;
  const auto content = take_tfile_number(text);
  if (!content || *offset < 0 || *stored < 0 || *content < 0) return std::nullopt;
  if (*offset > file_bytes || *stored > file_bytes - *offset) return std::nullopt;
  return TFileBlock{*offset, *stored, *content};
}

Error damaged(const char* part) { return {Errc::corrupt, fmt::format("its {} is damaged", part)}; }

Result<Done> check_compression(const std::string& name) {
  if (name == "none") return Done{};
  return Error{Errc::refused, fmt::format("it is compressed with {}, which heddle does not read; use yarn logs", name)};
}

}  // namespace

std::size_t tfile_number_rest(char first) {
  const int value = byte_of(first);
  if (value >= first_of_one) return 0;
  const int group = (value + 128) / 8;
  if (group >= 7) return 1;
  if (group >= 3) return 2;
  if (group >= 1) return 3;
  return static_cast<std::size_t>(value + 129);  // 4 to 8
}

std::optional<std::int64_t> take_tfile_number(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const int first = byte_of(text.front());
  const auto rest = tfile_number_rest(text.front());
  if (rest > 8 || text.size() < 1 + rest || (first < first_of_one - 88 && rest < 4)) return std::nullopt;
  const auto bytes = big_endian(text.substr(1, rest));
  text.remove_prefix(1 + rest);
  // The first byte of a number of 2 to 4 bytes has its highest bits, and its sign.
  constexpr std::array bases{0, 52, 88, 112};
  if (rest == 0) return first;
  if (rest < 4)
    return (static_cast<std::int64_t>(first + bases.at(rest)) * (std::int64_t{1} << (8 * rest))) |
           static_cast<std::int64_t>(bytes);
  const auto unused = 64 - 8 * static_cast<int>(rest);
  return static_cast<std::int64_t>(bytes << unused) >> unused;
}

Result<std::int64_t> parse_tfile_end(std::string_view end, std::int64_t file_bytes) {
  if (end.size() != tfile_end_bytes || end.substr(12) != magic)
    return Error{Errc::corrupt, "it is no file of collected logs, or not complete"};
  const auto offset = static_cast<std::int64_t>(big_endian(end.substr(0, 8)));
  if (big_endian(end.substr(8, 2)) != 1)
    return Error{Errc::refused,
                 fmt::format("it has version {} of its format; heddle reads version 1", big_endian(end.substr(8, 2)))};
  const auto limit = file_bytes - static_cast<std::int64_t>(tfile_end_bytes);
  if (offset < 0 || offset > limit || limit - offset > tfile_index_bytes_max) return damaged("end");
  return offset;
}

Result<TFileBlock> parse_tfile_index(std::string_view index, std::int64_t file_bytes) {
  const auto count = take_tfile_number(index);
  if (!count) return damaged("index");
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto name = take_text(index);
    const auto compression = name ? take_text(index) : std::nullopt;
    const auto block = compression ? take_block(index, file_bytes) : std::nullopt;
    if (!block) return damaged("index");
    if (*name != blocks_name) continue;
    if (auto checked = check_compression(*compression); !checked) return checked.error();
    if (block->stored > tfile_index_bytes_max) return damaged("index");
    return *block;
  }
  return damaged("index");
}

Result<std::vector<TFileBlock>> parse_tfile_blocks(std::string_view list, std::int64_t file_bytes) {
  const auto compression = take_text(list);
  const auto count = compression ? take_tfile_number(list) : std::nullopt;
  if (!count || *count < 0) return damaged("list of blocks");
  if (auto checked = check_compression(*compression); !checked) return checked.error();
  std::vector<TFileBlock> made;
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto block = take_block(list, file_bytes);
    if (!block) return damaged("list of blocks");
    made.push_back(*block);
  }
  return made;
}

}  // namespace heddle::interop
