#include "work/shuffle/segment_writer.hpp"

namespace heddle::work {

Result<Done> SegmentWriter::add_sealed(std::string_view blocks) {
  bytes_ += static_cast<std::int64_t>(blocks.size());
  return file_.write(blocks.data(), blocks.size());
}

Result<Done> SegmentWriter::put() {
  content_.records += block_.records();
  content_.bytes += static_cast<std::int64_t>(block_.raw_bytes());
  return add_sealed(block_.seal());
}

}  // namespace heddle::work
