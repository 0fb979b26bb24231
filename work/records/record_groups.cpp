#include "work/records/record_groups.hpp"

namespace heddle::work {

// False at the end of the stream; otherwise batch_[at_] is the next record.
Result<bool> RecordGroups::look_ahead() {
  if (at_ < batch_.size()) return true;
  at_ = 0;
  auto more = records_.next(batch_);
  if (!more || !*more) batch_.clear();
  return more;
}

Result<bool> RecordGroups::next_group() {
  std::string_view skipped;
  while (is_in_group_) {
    auto more = next_value(skipped);
    if (!more) return more;
  }
  auto more = look_ahead();
  if (!more || !*more) return more;
  key_.assign(batch_[at_].key);
  is_in_group_ = true;
  return true;
}

Result<bool> RecordGroups::next_value(std::string_view& value) {
  if (!is_in_group_) return false;
  auto more = look_ahead();
  if (!more) return more;
  if (!*more || comparator_.compare(batch_[at_].key, key_) != 0) {
    is_in_group_ = false;
    return false;
  }
  value = batch_[at_++].value;
  return true;
}

}  // namespace heddle::work
