// Rules of a reduce that copies map outputs while maps still run: what follows a failed copy. Without rules the first
// lost output fails the task, as in Spark.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "model/stage_work.hpp"
#include "model/time.hpp"

namespace heddle::ports {

struct CopyVerdict {
  std::string end_task;   // why the task fails; empty: it continues
  Duration host_wait{0};  // time without copies from this host
};

/// One reduce attempt's rules. Called on the thread of its task slot.
class CopyRules {
public:
  virtual ~CopyRules() = default;
  /// Run time of the longest map of the job that has succeeded so far.
  virtual void on_longest_map(Duration run_time) = 0;
  virtual void on_copied(std::int32_t map, const std::string& host) = 0;
  [[nodiscard]] virtual CopyVerdict on_copy_failed(std::int32_t map, const std::string& host, CopyError error) = 0;
};

/// Passes failed copies that the master of a job must know from the rules of a reduce to the actor that reports them.
/// Any thread may call any function.
class CopyNotices {
public:
  void watch(std::function<void(std::int32_t map)> report) {
    const std::lock_guard lock{mutex_};
    report_ = std::move(report);
  }
  void add(std::int32_t map) {
    const std::lock_guard lock{mutex_};
    if (report_) report_(map);
  }

private:
  std::mutex mutex_;
  std::function<void(std::int32_t map)> report_;
};

/// Makes the rules of an attempt that copies the outputs of so many maps.
using MakeCopyRules = std::function<std::unique_ptr<CopyRules>(const StageKey& stage, std::int32_t index,
                                                               std::int32_t attempt, std::int32_t maps)>;

}  // namespace heddle::ports
