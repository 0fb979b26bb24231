#include "interop/hdfs/file_writer.hpp"

#include <algorithm>
#include <utility>

namespace heddle::interop::hdfs {

FileWriter::FileWriter(FileSystemParts parts, std::shared_ptr<LeaseRenewer> leases, OpenFile file,
                       const WriteRules& rules)
    : parts_{std::move(parts)}, leases_{std::move(leases)}, file_{std::move(file)}, rules_{rules} {
  leases_->add(*this);
}

FileWriter::~FileWriter() { leases_->remove(*this); }

void FileWriter::send_heartbeat() {
  // While the file's own thread writes, there is data.
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (lock && writer_) writer_->send_heartbeat();
}

Error FileWriter::error_of(const Error& fault) const {
  return {fault.code, "cannot write '" + parts_.name_node->name() + file_.path + "': " + fault.text};
}

Result<Done> FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!writer_)
      if (auto opened = open_block(); !opened) return opened;
    const std::uint64_t room = rules_.block_bytes - writer_->bytes();
    const auto piece = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size())));
    {
      const std::lock_guard lock{mutex_};
      if (auto written = writer_->write(piece); !written) return error_of(written.error());
    }
    bytes.remove_prefix(piece.size());
    if (writer_->bytes() == rules_.block_bytes)
      if (auto closed = close_block(); !closed) return closed;
  }
  return Done{};
}

WriteRequest FileWriter::request_for(const LocatedBlock& located, const std::string& first) const {
  WriteRequest request{located.block,   located.token,         file_.client_name,  {},
                       rules_.checksum, located.storage_types, located.storage_ids};
  for (const auto& node : located.locations)
    if (parts_.data_nodes->address(node) != first) request.targets.push_back(node);
  return request;
}

Result<Done> FileWriter::open_block() {
  std::vector<DataNode> excluded;
  PipelineFault fault;
  std::string refusal;  // of the NameNode
  for (int pipelines = 0; pipelines < pipelines_max; ++pipelines) {
    auto located = parts_.name_node->add_block(file_, block_, excluded);
    // The DataNodes that are left out do not answer, or are full and the NameNode has not heard of it.
    if (!located && located.error().code == Errc::no_space && !excluded.empty()) {
      refusal = "; the NameNode has no other: " + located.error().text;
      break;
    }
    if (!located) return located.error();
    if (located->locations.empty())
      return Error{Errc::no_space,
                   "the NameNode names no DataNode for a block of '" + parts_.name_node->name() + file_.path + "'"};
    const auto first = parts_.data_nodes->address(located->locations.front());
    auto writer = BlockWriter::open(first, request_for(*located, first), parts_.data_nodes->limits(), fault);
    if (writer) {
      const std::lock_guard lock{mutex_};
      writer_ = std::move(writer);
      block_ = located->block;
      return Done{};
    }
    if (auto abandoned = parts_.name_node->abandon_block(file_, located->block); !abandoned) return abandoned;
    const auto* bad = DataNodes::find(located->locations, fault.bad_node);
    excluded.push_back(bad != nullptr ? *bad : located->locations.front());
  }
  return Error{Errc::interrupted, "no DataNode takes a block of '" + parts_.name_node->name() + file_.path +
                                      "'; the last fault: " + fault.error.text + refusal};
}

Result<Done> FileWriter::close_block() {
  const std::lock_guard lock{mutex_};
  if (auto closed = writer_->close(rules_.must_sync); !closed) return error_of(closed.error());
  block_->bytes = writer_->bytes();
  writer_.reset();
  return Done{};
}

Result<Done> FileWriter::close() {
  if (writer_)
    if (auto closed = close_block(); !closed) return closed;
  auto completed = parts_.name_node->complete(file_, block_);
  leases_->remove(*this);
  return completed;
}

}  // namespace heddle::interop::hdfs
