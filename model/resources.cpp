#include "model/resources.hpp"

#include <algorithm>

namespace heddle {
namespace {

auto position(auto& rows, std::string_view name) {
  return std::lower_bound(rows.begin(), rows.end(), name, [](const ResourceAmount& row, std::string_view wanted) {
    return row.name.compare(wanted) < 0;
  });
}

}  // namespace

ResourceAmounts::ResourceAmounts(std::initializer_list<ResourceAmount> amounts) {
  for (const auto& [name, amount] : amounts) set(name, amount);
}

ResourceAmounts::ResourceAmounts(const Rows& amounts) {
  for (const auto& [name, amount] : amounts) set(name, amount);
}

std::int64_t ResourceAmounts::of(std::string_view name) const {
  const Rows& all = rows();
  const auto at = position(all, name);
  return at == all.end() || at->name != name ? 0 : at->amount;
}

void ResourceAmounts::set(std::string_view name, std::int64_t amount) {
  if (amount == 0 && rows_ == nullptr) return;
  if (rows_ == nullptr) rows_ = new Rows;
  const auto at = position(*rows_, name);
  const bool is_known = at != rows_->end() && at->name == name;
  if (amount != 0 && is_known) at->amount = amount;
  else if (amount != 0) rows_->insert(at, ResourceAmount{std::string{name}, amount});
  else if (is_known) rows_->erase(at);
  if (rows_->empty()) remove(std::exchange(rows_, nullptr));
}

const ResourceAmount* ResourceAmounts::first_beyond(const ResourceAmounts& most) const {
  for (const ResourceAmount& each : rows())
    if (each.amount > most.of(each.name)) return &each;
  return nullptr;
}

const ResourceAmounts::Rows& ResourceAmounts::no_rows() {
  static const Rows none;
  return none;
}

ResourceAmounts::Rows* ResourceAmounts::new_copy(const Rows& rows) { return new Rows{rows}; }

void ResourceAmounts::remove(Rows* rows) { delete rows; }

void ResourceAmounts::assign(const ResourceAmounts& other) {
  ResourceAmounts copy{other};
  std::swap(rows_, copy.rows_);
}

void ResourceAmounts::add_rows(const ResourceAmounts& other, std::int64_t times) {
  const Rows added = *other.rows_;  // `other` may be this
  for (const auto& [name, amount] : added) set(name, of(name) + amount * times);
}

bool ResourceAmounts::has_equal_rows(const ResourceAmounts& other) const { return *rows_ == *other.rows_; }

Resource larger_of_each_type(const Resource& a, const Resource& b) {
  Resource larger{std::max(a.memory_mib, b.memory_mib), std::max(a.cores, b.cores), a.others};
  for (const auto& [name, amount] : b.others) larger.others.set(name, std::max(amount, a.others.of(name)));
  return larger;
}

}  // namespace heddle
