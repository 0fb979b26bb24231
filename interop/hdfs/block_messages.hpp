// Values of HDFS as protobuf messages. Only sources include this: it includes protobuf.
#pragma once

#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hdfs/block.hpp"

namespace heddle::interop::hdfs {

void write_block(const Block& block, proto::ExtendedBlock& message);
void write_token(const BlockToken& token, proto::Token& message);
void write_data_node(const DataNode& node, proto::DatanodeInfo& message);

[[nodiscard]] Block read_block(const proto::ExtendedBlock& message);
[[nodiscard]] LocatedBlock read_located_block(const proto::LocatedBlock& message);
[[nodiscard]] LocatedBlocks read_located_blocks(const proto::LocatedBlocks& message);
[[nodiscard]] Status read_status(const proto::HdfsFileStatus& message);

}  // namespace heddle::interop::hdfs
