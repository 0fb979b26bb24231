#include "interop/hdfs/operations.hpp"

#include <array>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hdfs/block_messages.hpp"
#include "interop/hdfs/packet.hpp"

namespace heddle::interop::hdfs {
namespace {

constexpr std::size_t pipeline_max = 512;  // dfs.replication.max

std::string with_operation(char operation, const google::protobuf::MessageLite& message) {
  std::string out{'\x00', '\x1c', operation};
  append_delimited(out, message.SerializeAsString());
  return out;
}

proto::ClientOperationHeader header_of(const Block& block, const BlockToken& token, const std::string& client_name) {
  proto::ClientOperationHeader header;
  write_block(block, *header.mutable_base()->mutable_block());
  write_token(token, *header.mutable_base()->mutable_token());
  header.set_client_name(client_name);
  return header;
}

}  // namespace

std::string status_name(std::uint32_t status) {
  constexpr std::array names{"SUCCESS",        "ERROR",
                             "ERROR_CHECKSUM", "ERROR_INVALID",
                             "ERROR_EXISTS",   "ERROR_ACCESS_TOKEN",
                             "CHECKSUM_OK",    "ERROR_UNSUPPORTED",
                             "OOB_RESTART",    "OOB_RESERVED1",
                             "OOB_RESERVED2",  "OOB_RESERVED3",
                             "IN_PROGRESS",    "ERROR_BLOCK_PINNED"};
  return status < names.size() ? names[status] : "status " + std::to_string(status);
}

std::string write_read_request(const ReadRequest& request) {
  proto::ReadBlockOperation message;
  *message.mutable_header() = header_of(request.block, request.token, request.client_name);
  message.set_offset(request.offset);
  message.set_length(request.length);
  message.set_send_checksums(true);
  return with_operation(81, message);
}

std::string write_write_request(const WriteRequest& request) {
  proto::WriteBlockOperation message;
  *message.mutable_header() = header_of(request.block, request.token, request.client_name);
  for (const auto& target : request.targets) write_data_node(target, *message.add_targets());
  message.set_stage(proto::WriteBlockOperation::PIPELINE_SETUP_CREATE);
  message.set_pipeline_size(static_cast<std::uint32_t>(request.targets.size() + 1));
  message.set_bytes_received_min(0);
  message.set_bytes_received_max(0);
  message.set_latest_generation_stamp(request.block.generation);
  message.mutable_requested_checksum()->set_type(static_cast<proto::ChecksumType>(request.checksum.type));
  message.mutable_requested_checksum()->set_bytes_per_checksum(request.checksum.chunk_bytes);
  for (std::size_t index = 0; index < request.storage_types.size(); ++index) {
    const auto type = static_cast<proto::StorageType>(request.storage_types[index]);
    if (index == 0) message.set_storage_type(type);
    else message.add_target_storage_types(type);
  }
  for (std::size_t index = 0; index < request.storage_ids.size(); ++index)
    if (index == 0) message.set_storage_id(request.storage_ids[0]);
    else message.add_target_storage_ids(request.storage_ids[index]);
  return with_operation(80, message);
}

std::string write_read_status(std::uint32_t status) {
  proto::ClientReadStatus message;
  message.set_status(static_cast<proto::TransferStatus>(status));
  std::string out;
  append_delimited(out, message.SerializeAsString());
  return out;
}

Result<OperationResponse> read_operation_response(std::string_view bytes) {
  proto::BlockOperationResponse message;
  if (!parse_message(bytes, message)) return Error{Errc::corrupt, "the response of a DataNode cannot be read"};
  OperationResponse response;
  response.status = static_cast<std::uint32_t>(message.status());
  response.first_bad_link = message.first_bad_link();
  response.message = message.message();
  if (!message.has_read_checksum()) return response;
  const auto& checksum = message.read_checksum().checksum();
  if (checksum.bytes_per_checksum() == 0 || checksum.bytes_per_checksum() > chunk_bytes_max)
    return Error{Errc::corrupt, "a DataNode sends checksums of " + std::to_string(checksum.bytes_per_checksum()) +
                                    " bytes of data each"};
  response.checksum = ChecksumKind{static_cast<ChecksumType>(checksum.type()), checksum.bytes_per_checksum()};
  response.chunk_offset = message.read_checksum().chunk_offset();
  return response;
}

Result<PipelineAck> read_pipeline_ack(std::string_view bytes) {
  proto::PipelineAck message;
  if (!parse_message(bytes, message) || static_cast<std::size_t>(message.replies_size()) > pipeline_max)
    return Error{Errc::corrupt, "an acknowledgement of a DataNode cannot be read"};
  PipelineAck ack{message.sequence(), {}};
  for (const auto reply : message.replies()) ack.replies.push_back(static_cast<std::uint32_t>(reply));
  return ack;
}

}  // namespace heddle::interop::hdfs
