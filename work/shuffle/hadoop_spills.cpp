#include "work/shuffle/hadoop_spills.hpp"

#include <algorithm>

#include "model/java_number.hpp"

namespace heddle::work {

HadoopSpills::HadoopSpills(std::int32_t size_mib, float spill_part)
    : size_{std::int64_t{size_mib} << 20},
      soft_{java::to_int(static_cast<float>(size_) * spill_part)},
      void_{size_},
      room_{soft_} {
  set_equator(0);
  index_end_ = index_;
}

std::int64_t HadoopSpills::before(std::int64_t position) const {
  return (position - position % index_bytes - index_bytes + size_) % size_;
}

void HadoopSpills::set_equator(std::int64_t position) {
  equator_ = position;
  index_ = before(position);
}

bool HadoopSpills::has_spill_to_reclaim() const {
  return (index_end_ + index_bytes) % size_ != equator_ - equator_ % index_bytes;
}

void HadoopSpills::reclaim_spill() {
  spill_start_ = spill_end_ = equator_;
  index_end_ = before(equator_);
}

/// Starts a spill of all records and ends it.
void HadoopSpills::spill() {
  index_end_ = (index_ + index_bytes) % size_;
  spill_end_ = mark_;
  if (spill_end_ < spill_start_) void_ = size_;
  spill_start_ = spill_end_;
}

/// The look before a record.
bool HadoopSpills::begin_record() {
  room_ -= index_bytes;
  if (room_ > 0) return false;
  const auto used = distance(index_, data_);
  if (has_spill_to_reclaim()) {
    reclaim_spill();
    room_ = std::min(distance(data_, index_) - 2 * index_bytes, soft_ - used) - index_bytes;
    return false;
  }
  if (used < soft_ || index_ == index_end_) return false;
  const auto free = distance(data_, index_);
  const auto average = java::wrap_int(bytes() / records_);
  spill();
  // The index gets as much of the free memory as records of the average size need, and at most half.
  const auto gap = std::max(2 * index_bytes - 1, std::min(free / 2, free / (index_bytes + average) * index_bytes));
  set_equator((data_ + gap) % size_);
  mark_ = data_ = equator_;
  room_ = std::min({distance(spill_end_, equator_), distance(equator_, index_end_), soft_}) - 2 * index_bytes;
  return true;
}

bool HadoopSpills::free_room(std::int64_t bytes, Step& step) {
  for (;;) {
    const auto to_index = distance(data_, index_);
    const auto to_spill = distance(data_, index_end_);
    const bool is_blocked = to_index <= to_spill ? to_index <= bytes + 2 * index_bytes
                                                 : to_spill <= bytes || distance(spill_end_, index_) < 2 * index_bytes;
    if (!is_blocked) return true;
    if (has_spill_to_reclaim()) {
      reclaim_spill();
      room_ = std::min(to_index - 2 * index_bytes, soft_ - distance(index_, data_)) - bytes;
    } else if (index_ != index_end_) {
      step.spills_before = true;
      spill();
      set_equator(mark_);  // the bytes of this record that are written already stay
    } else {
      set_equator(0);
      spill_start_ = spill_end_ = data_ = equator_;
      index_end_ = index_;
      void_ = size_;
      return false;
    }
  }
}

bool HadoopSpills::write(std::int64_t bytes, Step& step) {
  room_ -= bytes;
  if (room_ <= 0 && !free_room(bytes, step)) return false;
  data_ += bytes;
  if (data_ > void_) data_ -= void_;
  return true;
}

bool HadoopSpills::write_text(std::int64_t head, std::int64_t bytes, Step& step) {
  for (std::int64_t i = 0; i < head; ++i)
    if (!write(1, step)) return false;
  return write(bytes, step);
}

/// A key has to be in one piece: one that wraps moves to the start of the ring.
bool HadoopSpills::move_key(std::int64_t key_bytes, Step& step) {
  const auto at_end = void_ - mark_;
  void_ = mark_;
  if (data_ + at_end < std::min(index_, index_end_)) {
    data_ += at_end;
    room_ -= size_ - void_;
    return true;
  }
  data_ = 0;
  return write(at_end, step) && write(key_bytes - at_end, step);
}

bool HadoopSpills::write_record(const SerialisedSize& record, Step& step) {
  const auto start = data_;
  if (!write_text(record.key_head, record.key, step)) return false;
  if (data_ < start && !move_key(record.key_bytes(), step)) return false;
  return write_text(record.value_head, record.value, step) && write(0, step);
}

HadoopSpills::Step HadoopSpills::add_slowly(const SerialisedSize& record) {
  Step step;
  step.spills_before = begin_record();
  step.is_alone = !write_record(record, step);
  if (step.is_alone) {
    count(record.bytes() + vint_bytes(record.key_bytes()) + vint_bytes(record.value_bytes()));
    return step;
  }
  mark_ = data_;
  step_back();
  count(record.bytes());
  return step;
}

}  // namespace heddle::work
