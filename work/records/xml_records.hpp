// Reads records between a begin and an end mark, as Hadoop Streaming's StreamXmlRecordReader. A record belongs to the
// split in which its begin mark starts. Marks are compared byte by byte without backtracking.
#pragma once

#include <memory>

#include "model/input_split.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "work/files/byte_source.hpp"
#include "work/records/record_reader.hpp"

namespace heddle::work {

[[nodiscard]] Result<std::unique_ptr<RecordReader>> open_xml_records(const TextInput& input, const InputSplit& split,
                                                                     std::unique_ptr<ByteSource> source,
                                                                     const RecordReaderSettings& settings);

}  // namespace heddle::work
