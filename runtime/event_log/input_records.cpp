#include "runtime/event_log/input_records.hpp"

#include <utility>

namespace heddle::runtime {

std::string EffectDigest::text() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  auto rest = value_;
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4U) *digit = digits[rest & 15U];
  return text;
}

void InputRecords::write(Instant when, std::string_view name, ports::EventFields fields, const EffectDigest& effects) {
  if (sink_ == nullptr) return;
  flush();
  if (!effects.is_empty()) fields.add("effects", effects.text());
  sink_->write(when, name, fields);
}

EffectDigest& InputRecords::add_to_run(Instant when, const RunKind& kind,
                                       const std::array<std::int64_t, RunKind::keys_max>& keys, std::int64_t number) {
  if (kind_ == &kind && (kind.is_timeless || when_ == when) && number == first_ + count_ && keys_ == keys) {
    ++count_;
    return effects_;
  }
  flush();
  kind_ = &kind;
  when_ = when;
  keys_ = keys;
  first_ = number;
  count_ = 1;
  effects_ = {};
  return effects_;
}

void InputRecords::flush() {
  if (kind_ == nullptr) return;
  const auto& kind = *std::exchange(kind_, nullptr);
  if (sink_ == nullptr) return;
  ports::EventFields fields;
  for (std::size_t i = 0; i < RunKind::keys_max; ++i)
    if (!kind.keys[i].empty()) fields.add(kind.keys[i], keys_[i]);
  fields.add("first", first_).add("count", count_);
  if (!effects_.is_empty()) fields.add("effects", effects_.text());
  sink_->write(when_, kind.name, fields);
}

}  // namespace heddle::runtime
