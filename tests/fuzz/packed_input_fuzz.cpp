// Arbitrary gzip and bzip2 files: must give text, or the error for a corrupt file. The first byte selects the format.
#include <string>

#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"
#include "work/records/record_reader.hpp"

HEDDLE_FUZZ_TARGET(packed_input) {
  using namespace heddle;
  static const work::ScratchFolder folder;
  if (input.empty()) return;
  const std::string path = folder.write(input.front() == 'b' ? "x.bz2" : "x.gz", input.substr(1));
  auto reader = work::open_records(work::local_files(), {}, {path, 0, static_cast<std::int64_t>(input.size()), {}}, {});
  HEDDLE_ASSERT(reader.has_value(), "the file is there");
  work::RecordBatch batch;
  for (std::size_t records = 0; records < 1'000'000; records += batch.size()) {
    const auto more = (*reader)->next(batch);
    if (!more) HEDDLE_ASSERT(more.error().text.find(path) != std::string::npos, more.error().text);
    if (!more || !*more) break;
  }
}
