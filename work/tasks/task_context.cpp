#include "work/tasks/task_context.hpp"

namespace heddle::work {

bool TaskContext::next_batch(Shape shape) {
  if (is_killed()) throw TaskError{TaskError::Side::input, {Errc::cancelled, "the attempt was killed"}};
  auto more = input_.next(batch_);
  if (!more) throw TaskError{TaskError::Side::input, more.error()};
  if (!*more) return false;
  const std::string_view kept = input_.kept_separator();
  if (shape == Shape::pairs && !kept.empty()) {
    for (auto& record : batch_) {
      if (record.value.substr(0, kept.size()) == kept) record.value.remove_prefix(kept.size());
    }
  }
  return true;
}

const std::vector<std::string>& TaskContext::barrier_hosts() const {
  static const std::vector<std::string> none;
  return identity_.barrier_hosts == nullptr ? none : *identity_.barrier_hosts;
}

const std::vector<std::string>& TaskContext::devices(std::string_view kind) const {
  static const std::vector<std::string> none;
  if (identity_.devices == nullptr) return none;
  for (const auto& held : identity_.devices->kinds)
    if (held.name == kind) return held.addresses;
  return none;
}

std::string_view TaskContext::join(const Record& record) {
  const std::string_view separator = input_.line_separator();
  const bool is_adjacent = separator.empty() && record.key.data() + record.key.size() == record.value.data();
  if (is_adjacent) return {record.key.data(), record.key.size() + record.value.size()};
  joined_.assign(record.key).append(separator).append(record.value);
  return joined_;
}

void TaskContext::add_to_counter(std::string_view group, std::string_view name, std::int64_t amount) {
  std::string key;
  key.reserve(group.size() + 1 + name.size());
  key.append(group).append("\t").append(name);
  counters_[std::move(key)] += amount;
}

}  // namespace heddle::work
