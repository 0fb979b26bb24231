// Requests to a DataNode and its responses, as bytes. All readers accept any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hdfs/block.hpp"
#include "interop/hdfs/checksum.hpp"
#include "model/result.hpp"

namespace heddle::interop::hdfs {

/// Status numbers of a DataNode.
inline constexpr std::uint32_t status_success = 0;
inline constexpr std::uint32_t status_error_token = 5;
inline constexpr std::uint32_t status_checksum_ok = 6;
inline constexpr std::uint32_t status_restart = 8;  // the DataNode restarts soon
inline constexpr std::uint32_t status_in_progress = 12;

[[nodiscard]] std::string status_name(std::uint32_t status);

struct ReadRequest {
  Block block;
  BlockToken token;
  std::string client_name;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

struct WriteRequest {
  Block block;
  BlockToken token;
  std::string client_name;
  std::vector<DataNode> targets;  // behind the DataNode that gets the request
  ChecksumKind checksum;
  std::vector<std::uint32_t> storage_types;  // of the DataNode and its targets
  std::vector<std::string> storage_ids;
};

struct OperationResponse {
  std::uint32_t status = 0;
  std::string first_bad_link;  // write: address of the DataNode that could not be reached; empty if none
  std::string message;
  std::optional<ChecksumKind> checksum;  // read: of the packets
  std::uint64_t chunk_offset = 0;        // read: offset of the first packet, at most the requested one
};

struct PipelineAck {
  std::int64_t number = 0;
  std::vector<std::uint32_t> replies;  // of each DataNode of the pipeline, the nearest first
};

/// Version, operation and delimited message.
[[nodiscard]] std::string write_read_request(const ReadRequest& request);
[[nodiscard]] std::string write_write_request(const WriteRequest& request);
/// The delimited message after all packets of a read.
[[nodiscard]] std::string write_read_status(std::uint32_t status);
/// Without the length in front. Errc::corrupt if it cannot be read or its checksum kind is impossible.
[[nodiscard]] Result<OperationResponse> read_operation_response(std::string_view bytes);
[[nodiscard]] Result<PipelineAck> read_pipeline_ack(std::string_view bytes);

}  // namespace heddle::interop::hdfs
