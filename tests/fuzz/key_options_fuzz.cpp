// Options of key fields in the first line, keys in the others: must give an error, or a consistent order of keys and a
// valid partition.
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"
#include "work/records/key_comparator.hpp"
#include "work/records/partitioner.hpp"

HEDDLE_FUZZ_TARGET(key_options) {
  using namespace heddle;
  const auto line = input.substr(0, input.find('\n'));
  auto rest = input.substr(std::min(line.size() + 1, input.size()));
  ShuffleDescription description;
  description.comparator = ComparatorKind::key_field;
  description.comparator_options = line;
  description.partitioner = PartitionerKind::key_field;
  description.partitioner_options = line;
  const auto comparator = work::KeyComparator::make(description);
  const auto partitioner = work::Partitioner::make(description, 7);
  std::vector<std::string_view> keys;
  while (!rest.empty() && keys.size() < 8) {
    keys.push_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(keys.back().size() + 1, rest.size()));
  }
  for (const auto left : keys) {
    if (partitioner) {
      const auto partition = partitioner->partition_of(left);
      HEDDLE_ASSERT(partition >= 0 && partition < 7, line);
    }
    if (!comparator) continue;
    for (const auto right : keys) static_cast<void>(comparator->compare(left, right));
  }
}
