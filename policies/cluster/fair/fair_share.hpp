// Divides one resource type over queues or applications by weight, each with a minimum and a maximum. Order: results
// are in input order. Truncation may assign slightly more than the total, never less. Cost: the number of entries times
// about 30 (a few powers of two, then 25 halvings). After Hadoop's ComputeFairShares (CF-1 … CF-12), with the same
// double arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace heddle::policies {

inline constexpr std::int64_t unbounded_memory = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t unbounded_cores = std::numeric_limits<std::int32_t>::max();

struct ShareInput {
  float weight = 1.0F;
  std::int64_t minimum = 0;
  std::int64_t maximum = unbounded_memory;
  bool is_queue = false;
  bool is_active = true;  // has a runnable application; only for kind instantaneous

  bool operator==(const ShareInput&) const = default;
};

enum class ShareKind : std::uint8_t { instantaneous, steady };

/// Keeps its memory from one call to the next.
class FairShareSearch {
public:
  /// `shares` has one number per input; `inputs` may be empty.
  void compute(const std::vector<ShareInput>& inputs, std::int64_t total, ShareKind kind,
               std::vector<std::int64_t>& shares);

private:
  /// An entry without fixed share. Bounds are doubles, as in Hadoop's comparisons.
  struct Moving {
    double weight;
    double minimum;
    double maximum;
    std::size_t at;
  };
  [[nodiscard]] static std::int64_t share_at(const Moving& entry, double ratio);
  [[nodiscard]] std::int64_t used_at(double ratio) const;
  [[nodiscard]] double first_power_reaching(std::int64_t target) const;
  [[nodiscard]] double ratio_for(std::int64_t target) const;

  std::vector<Moving> moving_;
};

/// The same once.
void compute_fair_shares(const std::vector<ShareInput>& inputs, std::int64_t total, ShareKind kind,
                         std::vector<std::int64_t>& shares);

}  // namespace heddle::policies
