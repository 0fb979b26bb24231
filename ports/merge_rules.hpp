// Rules of a reduce for the memory that copied map outputs take. Without rules it is a fixed number of bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::ports {

/// One reduce attempt's rules. Called on the thread of its task slot.
class MergeRules {
public:
  virtual ~MergeRules() = default;
  /// False: an output of so many bytes goes to disk.
  [[nodiscard]] virtual bool keeps_in_memory(std::int64_t bytes) = 0;
  /// An output is complete in memory. True: all outputs in memory go to disk now.
  [[nodiscard]] virtual bool starts_merge(std::int64_t bytes) = 0;
};

/// Makes the rules of an attempt of a job with these settings. Fails if they contradict each other.
using MakeMergeRules = std::function<Result<std::unique_ptr<MergeRules>>(const MapReduceRules& job)>;

}  // namespace heddle::ports
