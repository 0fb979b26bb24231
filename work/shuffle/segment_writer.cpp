#include "work/shuffle/segment_writer.hpp"

namespace heddle::work {

Result<Done> SegmentWriter::add_sealed(std::string_view blocks) {
  bytes_ += static_cast<std::int64_t>(blocks.size());
  return file_.write(blocks.data(), blocks.size());
}

}  // namespace heddle::work
