// The formula of the user limit, and the books that it reads.
#include "policies/cluster/capacity/capacity_users.hpp"

#include <algorithm>

#include "model/java_text.hpp"

namespace heddle::policies {

Slot CapacityUsers::intern(std::int32_t id, const std::string& name) {
  if (const Slot known = slots_.find(id); known != no_slot) return known;
  const auto slot = static_cast<Slot>(users_.size());
  users_.emplace_back();
  users_.back().id = id;
  users_.back().name = name;
  slots_.insert(id, slot);
  return slot;
}

void CapacityUsers::count_active(CapacityUser& user, bool is_active) {
  if (user.is_active != is_active) active_ += is_active ? 1 : -1;
  user.is_active = is_active;
  active_weight_ = static_cast<float>(active_);
  if (!has_weights_) return;
  active_weight_ = 0;
  for (const Slot each : present_)
    if (at(each).is_active) active_weight_ += at(each).weight;
}

void CapacityUsers::arrive(Slot slot, float weight) {
  CapacityUser& user = at(slot);
  if (user.is_present) return;
  user.is_present = true;
  user.weight = weight;
  has_weights_ = has_weights_ || weight != 1.0F;
  user.used = user.masters_used = Resource{};
  user.usage_ratio = 0;
  present_.push_back(slot);
  while (present_.size() >= buckets_ - (buckets_ >> 2)) buckets_ *= 2;
}

void CapacityUsers::leave(Slot slot) {
  CapacityUser& user = at(slot);
  user.is_present = false;
  std::erase(present_, slot);
  count_active(user, false);
}

void CapacityUsers::set_weight(Slot slot, float weight) {
  at(slot).weight = weight;
  has_weights_ = has_weights_ || weight != 1.0F;
  count_active(at(slot), at(slot).is_active);
  forget_limits();
}

void CapacityUsers::change_applications(Slot slot, std::int32_t waiting_by, std::int32_t running_by) {
  CapacityUser& user = at(slot);
  const auto counts = [&] { return user.waiting > 0 && user.running <= 0 ? 1 : 0; };
  waiting_users_now_ -= counts();
  user.waiting += waiting_by;
  user.running += running_by;
  waiting_users_now_ += counts();
}

void CapacityUsers::start_asking(Slot slot, bool& is_asking) {
  CapacityUser& user = at(slot);
  if (user.is_present && user.running <= 0) return;
  if (!user.is_asking) {
    user.is_asking = true;
    ++asking_users_;
    forget_limits();
    arrive(slot, user.weight);
    if (!user.is_active) used_by_active_ += user.used;
    count_active(user, true);
  }
  if (!is_asking) ++user.asking;
  is_asking = true;
}

void CapacityUsers::stop_asking(Slot slot, bool& is_asking) {
  CapacityUser& user = at(slot);
  if (!user.is_asking) return;
  if (is_asking) --user.asking;
  is_asking = false;
  if (user.asking > 0) return;
  user.is_asking = false;
  --asking_users_;
  forget_limits();
  if (!user.is_present || !user.is_active) return;
  count_active(user, false);
  used_by_active_ -= user.used;
}

void CapacityUsers::change_usage(Slot slot, const Resource& by, const ResourceCalculator& calculator,
                                 const Resource& cluster) {
  CapacityUser& user = at(slot);
  user.used += by;
  if (user.is_active) used_by_active_ += by;
  forget_limits();
  const float ratio = calculator.ratio(user.used, cluster);
  usage_ratio_ += ratio - user.usage_ratio;
  user.usage_ratio = ratio;
}

void CapacityUsers::on_cluster_changed(const ResourceCalculator& calculator, const Resource& cluster) {
  const auto bucket_of = [&](Slot slot) { return java::map_bucket(java::string_hash(at(slot).name), buckets_); };
  std::vector<Slot> order = present_;
  if (order.size() > 1)
    std::stable_sort(order.begin(), order.end(), [&](Slot a, Slot b) { return bucket_of(a) < bucket_of(b); });
  usage_ratio_ = 0;
  for (const Slot slot : order) {
    CapacityUser& user = at(slot);
    user.usage_ratio = calculator.ratio(user.used, cluster);
    usage_ratio_ += user.usage_ratio;
  }
}

Resource CapacityUsers::common_limit(const ResourceCalculator& calculator, const UserLimitInput& input) const {
  const Resource& required = input.minimum_allocation;
  const Resource capacity = calculator.larger(input.cluster, input.capacity, required);
  const Resource consumed = calculator.multiplied_up(input.cluster, static_cast<double>(usage_ratio_), required);
  const Resource current = calculator.compare(input.cluster, consumed, capacity) < 0 ? capacity : consumed + required;
  const Resource by_users = calculator.divided_up(used_by_active_ + required, active_weight_);
  const Resource by_percent =
      calculator.divided_up(multiplied(current, static_cast<double>(input.percent)), std::int64_t{100});
  const Resource fair = calculator.larger(input.cluster, by_users, by_percent);
  const bool is_unlimited = input.factor == -1.0F || input.capacity == Resource{};
  const Resource most = is_unlimited ? calculator.rounded_down(input.maximum, required)
                                     : multiplied(capacity, static_cast<double>(input.factor));
  return calculator.rounded_up(calculator.smaller(input.cluster, fair, most), required);
}

Resource CapacityUsers::limit_of(Slot user, const ResourceCalculator& calculator, const UserLimitInput& input) {
  if (computed_version_ != version_) {
    common_limit_ = common_limit(calculator, input);
    computed_version_ = version_;
    waiting_users_ = waiting_users_now_;
  }
  return calculator.multiplied_down(common_limit_, static_cast<double>(at(user).weight), input.minimum_allocation);
}

Resource CapacityUsers::limit_now(Slot user, const ResourceCalculator& calculator, const UserLimitInput& input) const {
  return calculator.multiplied_down(common_limit(calculator, input), static_cast<double>(at(user).weight),
                                    input.minimum_allocation);
}

}  // namespace heddle::policies
