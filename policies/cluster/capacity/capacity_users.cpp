// The formula of the user limit, and the state that it reads.
#include "policies/cluster/capacity/capacity_users.hpp"

#include <algorithm>

#include "model/java_text.hpp"

namespace heddle::policies {

RowIndex CapacityUsers::intern(std::int32_t id, const std::string& name) {
  if (const RowIndex known = slots_.find(id); known != no_row) return known;
  const auto row = static_cast<RowIndex>(users_.size());
  users_.emplace_back();
  users_.back().id = id;
  users_.back().name = name;
  slots_.insert(id, row);
  return row;
}

void CapacityUsers::count_active(CapacityUser& user, bool is_active) {
  if (user.is_active != is_active) active_ += is_active ? 1 : -1;
  user.is_active = is_active;
  active_weight_ = static_cast<float>(active_);
  if (!has_weights_) return;
  active_weight_ = 0;
  for (const RowIndex each : present_)
    if (at(each).is_active) active_weight_ += at(each).weight;
}

void CapacityUsers::arrive(RowIndex row, float weight) {
  CapacityUser& user = at(row);
  if (user.is_present) return;
  user.is_present = true;
  user.weight = weight;
  has_weights_ = has_weights_ || weight != 1.0F;
  user.used = user.masters_used = MemoryAndCores{};
  user.usage_ratio = 0;
  present_.push_back(row);
  while (present_.size() >= buckets_ - (buckets_ >> 2)) buckets_ *= 2;
}

void CapacityUsers::leave(RowIndex row) {
  CapacityUser& user = at(row);
  user.is_present = false;
  std::erase(present_, row);
  count_active(user, false);
}

void CapacityUsers::set_weight(RowIndex row, float weight) {
  at(row).weight = weight;
  has_weights_ = has_weights_ || weight != 1.0F;
  count_active(at(row), at(row).is_active);
  clear_limits();
}

void CapacityUsers::change_applications(RowIndex row, std::int32_t waiting_by, std::int32_t running_by) {
  CapacityUser& user = at(row);
  const auto counts = [&] { return user.waiting > 0 && user.running <= 0 ? 1 : 0; };
  waiting_users_now_ -= counts();
  user.waiting += waiting_by;
  user.running += running_by;
  waiting_users_now_ += counts();
}

void CapacityUsers::start_asking(RowIndex row, bool& is_asking) {
  CapacityUser& user = at(row);
  if (user.is_present && user.running <= 0) return;
  if (!user.is_asking) {
    user.is_asking = true;
    ++asking_users_;
    clear_limits();
    arrive(row, user.weight);
    if (!user.is_active) used_by_active_ += user.used;
    count_active(user, true);
  }
  if (!is_asking) ++user.asking;
  is_asking = true;
}

void CapacityUsers::stop_asking(RowIndex row, bool& is_asking) {
  CapacityUser& user = at(row);
  if (!user.is_asking) return;
  if (is_asking) --user.asking;
  is_asking = false;
  if (user.asking > 0) return;
  user.is_asking = false;
  --asking_users_;
  clear_limits();
  if (!user.is_present || !user.is_active) return;
  count_active(user, false);
  used_by_active_ -= user.used;
}

void CapacityUsers::change_usage(RowIndex row, const MemoryAndCores& by, const ResourceCalculator& calculator,
                                 const MemoryAndCores& cluster) {
  CapacityUser& user = at(row);
  user.used += by;
  if (user.is_active) used_by_active_ += by;
  clear_limits();
  const float ratio = calculator.ratio(user.used, cluster);
  usage_ratio_ += ratio - user.usage_ratio;
  user.usage_ratio = ratio;
}

void CapacityUsers::on_cluster_changed(const ResourceCalculator& calculator, const MemoryAndCores& cluster) {
  const auto bucket_of = [&](RowIndex row) { return java::map_bucket(java::string_hash(at(row).name), buckets_); };
  std::vector<RowIndex> order = present_;
  if (order.size() > 1)
    std::stable_sort(order.begin(), order.end(), [&](RowIndex a, RowIndex b) { return bucket_of(a) < bucket_of(b); });
  usage_ratio_ = 0;
  for (const RowIndex row : order) {
    CapacityUser& user = at(row);
    user.usage_ratio = calculator.ratio(user.used, cluster);
    usage_ratio_ += user.usage_ratio;
  }
}

MemoryAndCores CapacityUsers::common_limit(const ResourceCalculator& calculator, const UserLimitInput& input) const {
  const MemoryAndCores& required = input.minimum_allocation;
  const MemoryAndCores capacity = calculator.larger(input.cluster, input.capacity, required);
  const MemoryAndCores consumed = calculator.multiplied_up(input.cluster, static_cast<double>(usage_ratio_), required);
  const MemoryAndCores current =
      calculator.compare(input.cluster, consumed, capacity) < 0 ? capacity : consumed + required;
  const MemoryAndCores by_users = calculator.divided_up(used_by_active_ + required, active_weight_);
  const MemoryAndCores by_percent =
      calculator.divided_up(multiplied(current, static_cast<double>(input.percent)), std::int64_t{100});
  const MemoryAndCores fair = calculator.larger(input.cluster, by_users, by_percent);
  const bool is_unlimited = input.factor == -1.0F || input.capacity == MemoryAndCores{};
  const MemoryAndCores most = is_unlimited ? calculator.rounded_down(input.maximum, required)
                                           : multiplied(capacity, static_cast<double>(input.factor));
  return calculator.rounded_up(calculator.smaller(input.cluster, fair, most), required);
}

MemoryAndCores CapacityUsers::limit_of(RowIndex user, const ResourceCalculator& calculator,
                                       const UserLimitInput& input) {
  if (computed_version_ != version_) {
    common_limit_ = common_limit(calculator, input);
    computed_version_ = version_;
    waiting_users_ = waiting_users_now_;
  }
  return calculator.multiplied_down(common_limit_, static_cast<double>(at(user).weight), input.minimum_allocation);
}

MemoryAndCores CapacityUsers::peek_limit(RowIndex user, const ResourceCalculator& calculator,
                                         const UserLimitInput& input) const {
  const MemoryAndCores common = computed_version_ == version_ ? common_limit_ : common_limit(calculator, input);
  return calculator.multiplied_down(common, static_cast<double>(at(user).weight), input.minimum_allocation);
}

MemoryAndCores CapacityUsers::limit_now(RowIndex user, const ResourceCalculator& calculator,
                                        const UserLimitInput& input) const {
  return calculator.multiplied_down(common_limit(calculator, input), static_cast<double>(at(user).weight),
                                    input.minimum_allocation);
}

}  // namespace heddle::policies
