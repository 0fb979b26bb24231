#include "interop/hdfs/file_reader.hpp"

#include <poll.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace heddle::interop::hdfs {
namespace {

// Behind the expected range a reader needs the rest of a record: short requests, so that little is sent for nothing.
constexpr std::uint64_t unexpected_bytes = 128 << 10;
// Blocks of a whole file are located in one call up to this size.
constexpr std::uint64_t located_bytes = std::uint64_t{64} << 30U;

}  // namespace

Result<std::unique_ptr<ports::ByteSource>> FileReader::open(FileSystemParts parts, std::string path,
                                                            const ports::ReadRange& range) {
  const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(range.offset, 0));
  const auto expected = static_cast<std::uint64_t>(std::max<std::int64_t>(range.expected, 0));
  const auto end = expected > std::numeric_limits<std::uint64_t>::max() - begin
                       ? std::numeric_limits<std::uint64_t>::max()
                       : begin + expected;
  std::unique_ptr<FileReader> reader{new FileReader{std::move(parts), std::move(path), begin, end}};
  if (auto located = reader->locate(); !located) return located.error();
  return std::unique_ptr<ports::ByteSource>{std::move(reader)};
}

FileReader::~FileReader() { close_replica(); }

Result<Done> FileReader::locate() {
  const std::uint64_t wanted = expected_end_ > position_ ? expected_end_ - position_ : unexpected_bytes;
  auto located = parts_.name_node->locate(path_, position_, std::clamp<std::uint64_t>(wanted, 1, located_bytes));
  if (!located) return located.error();
  located_ = std::move(located).value();
  return Done{};
}

Result<const LocatedBlock*> FileReader::block_at_position() {
  for (int tries = 0; tries < 2; ++tries) {
    for (const auto& block : located_.blocks)
      if (block.offset <= position_ && position_ - block.offset < block.block.bytes) return &block;
    if (tries > 0) break;
    if (auto located = locate(); !located) return located.error();
  }
  return Error{Errc::io, "the NameNode names no block of '" + parts_.name_node->name() + path_ + "' at byte " +
                             std::to_string(position_) + " of " + std::to_string(located_.file_bytes)};
}

Result<BlockReader> FileReader::open_at(const LocatedBlock& block, const std::string& address) const {
  const std::uint64_t in_block = position_ - block.offset;
  std::uint64_t length = block.block.bytes - in_block;
  const std::uint64_t wanted = expected_end_ > position_ ? expected_end_ - position_ : unexpected_bytes;
  length = std::min(length, wanted);
  const ReadRequest request{block.block, block.token, parts_.client_name, in_block, length};
  const auto& limits = parts_.data_nodes->limits();
  // A DataNode may close an idle connection at any time: this is no fault of the replica.
  if (auto idle = parts_.data_nodes->take_idle(address)) {
    auto reader = BlockReader::open(std::move(*idle), request, limits);
    if (reader) return reader;
  }
  auto connection = DataNodeConnection::connect(address, limits.connect_timeout_ms);
  if (!connection) return connection.error();
  return BlockReader::open(std::move(connection).value(), request, limits);
}

Result<Done> FileReader::open_replica() {
  while (true) {
    const auto found = block_at_position();
    if (!found) return found.error();
    const LocatedBlock& block = **found;
    if (tried_block_ != block.block.id) {
      tried_block_ = block.block.id;
      tried_.clear();
      faults_.clear();
      relocations_left_ = relocations_max;
    }
    for (const auto& address : parts_.data_nodes->candidates(block)) {
      if (tried_.contains(address)) continue;
      auto reader = open_at(block, address);
      if (reader) {
        reader_.emplace(std::move(reader).value());
        address_ = address;
        return Done{};
      }
      on_fault(address, reader.error());
    }
    const bool is_corrupt = !tried_.empty() && is_corrupt_everywhere();
    if (relocations_left_ == 0 || is_corrupt) return no_replica(block);
    if (auto located = locate_again(); !located) return located;
  }
}

void FileReader::on_fault(const std::string& address, const Error& error) {
  // A DataNode closes the connection of a reader that takes nothing for minutes. That must not use up the tries.
  if (position_ > fault_position_) forget_faults();
  fault_position_ = position_;
  const bool is_corrupt = error.code == Errc::corrupt;
  tried_[address] = is_corrupt;
  // A wrong checksum or a token that expired is no fault of other blocks of the DataNode.
  if (!is_corrupt && error.code != Errc::refused) parts_.data_nodes->mark_bad(address);
  if (faults_.size() < 1000) faults_ += (faults_.empty() ? "" : "; ") + error.text;
}

void FileReader::forget_faults() {
  std::erase_if(tried_, [](const auto& one) { return !one.second; });
  if (tried_.empty()) faults_.clear();
  relocations_left_ = relocations_max;
}

Result<Done> FileReader::locate_again() {
  // Replicas move, block tokens expire, and DataNodes restart.
  static_cast<void>(::poll(nullptr, 0, static_cast<int>(parts_.data_nodes->limits().relocation_wait_ms)));
  --relocations_left_;
  std::erase_if(tried_, [](const auto& one) { return !one.second; });
  return locate();
}

bool FileReader::is_corrupt_everywhere() const {
  return std::all_of(tried_.begin(), tried_.end(), [](const auto& one) { return one.second; });
}

Error FileReader::no_replica(const LocatedBlock& block) const {
  const std::string what =
      "cannot read '" + parts_.name_node->name() + path_ + "' at byte " + std::to_string(position_) + ": ";
  if (block.locations.empty())
    return {Errc::unreachable, what + "no running DataNode has a replica of block " + std::to_string(block.block.id) +
                                   "; start the DataNodes that have one"};
  return {is_corrupt_everywhere() ? Errc::corrupt : Errc::unreachable,
          what + "no replica of block " + std::to_string(block.block.id) + " can be read: " + faults_};
}

void FileReader::close_replica() {
  if (reader_ && reader_->is_reusable()) parts_.data_nodes->keep(reader_->take_connection());
  reader_.reset();
}

Result<std::size_t> FileReader::read(char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    if (!reader_) {
      if (position_ >= located_.file_bytes) break;
      const auto opened = open_replica();
      if (!opened) return opened.error();
    }
    const auto got = reader_->read(to + done, size - done);
    if (!got) {
      on_fault(address_, got.error());
      reader_.reset();
      continue;
    }
    done += *got;
    position_ += *got;
    if (*got > 0) continue;
    parts_.data_nodes->mark_good(address_);
    close_replica();
  }
  return done;
}

}  // namespace heddle::interop::hdfs
