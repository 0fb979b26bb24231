// Groups the records of a sorted stream by key: what a reduce function walks through.
#pragma once

#include <string>
#include <string_view>

#include "model/result.hpp"
#include "work/records/key_comparator.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

/// while (next_group()) { key(); while (next_value(v)) … }   Values not read are skipped.
class RecordGroups {
public:
  /// `records` outlives this object.
  RecordGroups(RecordStream& records, KeyComparator comparator)
      : records_{records}, comparator_{std::move(comparator)} {}

  [[nodiscard]] Result<bool> next_group();
  /// Key of the group's first record; lives until next_group.
  [[nodiscard]] std::string_view key() const { return key_; }
  /// The view lives until the next call.
  [[nodiscard]] Result<bool> next_value(std::string_view& value);

private:
  [[nodiscard]] Result<bool> look_ahead();

  RecordStream& records_;
  KeyComparator comparator_;
  RecordBatch batch_;
  std::size_t at_ = 0;
  std::string key_;
  bool is_in_group_ = false;
};

}  // namespace heddle::work
