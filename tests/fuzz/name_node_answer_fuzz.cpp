// Responses of a NameNode: whatever they are, they become values.
#include "interop/hadoop/message_guard.hpp"
#include "interop/hdfs/block_messages.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(name_node_answer) {
  using namespace heddle::interop;
  if (proto::GetListingResponse listing; parse_message(input, listing))
    for (const auto& entry : listing.listing().entries()) {
      const auto status = hdfs::read_status(entry);
      for (const auto& block : status.blocks) HEDDLE_ASSERT(block.is_cached.size() <= block.locations.size(), "");
    }
  if (proto::GetBlockLocationsResponse located; parse_message(input, located))
    static_cast<void>(hdfs::read_located_blocks(located.locations()));
  if (proto::AddBlockResponse added; parse_message(input, added))
    static_cast<void>(hdfs::read_located_block(added.block()));
}
