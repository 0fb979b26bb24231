#include "apps/roles/budgeted_merges.hpp"

#include <algorithm>
#include <utility>

#include "policies/map_reduce/merge_budget.hpp"

namespace heddle::apps {
namespace {

/// A task slot copies one output at a time and spills before the next one, so no copy has to wait for memory.
class BudgetedMerges final : public ports::MergeRules {
public:
  explicit BudgetedMerges(policies::MergeBudget budget) : budget_{std::move(budget)} {}

  bool keeps_in_memory(std::int64_t bytes) override {
    return budget_.reserve(bytes) == policies::MergeDestination::memory;
  }
  bool starts_merge(std::int64_t bytes) override {
    if (budget_.commit_in_memory(next_++, bytes).empty()) return false;
    budget_.release(budget_.used());
    return true;
  }

private:
  policies::MergeBudget budget_;
  std::int64_t next_ = 0;
};

}  // namespace

ports::MakeMergeRules budgeted_merges(std::int64_t memory) {
  return [memory](const MapReduceRules& job) -> Result<std::unique_ptr<ports::MergeRules>> {
    policies::MergeBudgetSettings settings;
    settings.memory = std::min(memory, job.reduce_memory);
    settings.input_part = job.copy_part;
    settings.single_part = job.single_part;
    settings.merge_part = job.merge_part;
    settings.files_of_merge = job.sort_factor;
    auto budget = policies::MergeBudget::make(settings);
    if (!budget) return budget.error();
    return std::unique_ptr<ports::MergeRules>{std::make_unique<BudgetedMerges>(*budget)};
  };
}

}  // namespace heddle::apps
