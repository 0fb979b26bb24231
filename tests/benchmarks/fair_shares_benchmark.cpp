// Updates of fair shares: a FairScheduler with 11,100 queues, then with 1,110; one line per measure. One thread, no
// actors, processor time; the seed is fixed.
//   fair_shares_scratch   a change of the cluster's size, which changes every share; mean of 20
//   fair_shares_leaf      a change of one leaf's demand; mean of 2,000
//   fair_shares_activity  the end of the only application of a leaf; mean of 2,000
//   ..._at_ten_times      cost (scratch: for each queue), relative to that with a tenth of the queues
#include <cstdio>
#include <ctime>
#include <string>

#include "config/hadoop/fair_scheduler_xml.hpp"
#include "model/random_stream.hpp"
#include "policies/cluster/fair/fair_scheduler.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;

/// Processor time of the thread, so that other processes do not count.
double processor_seconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

/// A FairScheduler with `tops` x 10 x 10 leaf queues (weights 1 to 4, minimum shares of 0 to 63 GiB, no maxima), one
/// node larger than all requests, and an application with requests in each leaf.
class ManyQueues {
public:
  explicit ManyQueues(std::int64_t tops) : leaf_count_{tops * 100}, fair_{{}, file(tops), Instant{}} {
    fair_.on_node_added(Instant{}, {NodeId{1}, "h", "/r", {cluster_mib(), 1'000'000}}, effects_);
    for (std::int64_t number = 1; number <= leaf_count_; ++number) {
      const AttemptId attempt = attempt_of(number);
      (void)fair_.on_application_added(Instant{}, {attempt.application, leaf(number), "user", 0, std::nullopt});
      fair_.on_attempt_added(Instant{}, attempt, effects_);
      add_request(number, 1);
    }
    fair_.update(Instant{});
  }
  [[nodiscard]] std::int64_t leaf_count() const { return leaf_count_; }
  [[nodiscard]] std::int64_t cluster_mib() const { return leaf_count_ * 10'000; }

  void add_request(std::int64_t number, std::int32_t count) {
    (void)fair_.allocate(Instant{}, attempt_of(number), {{{1, "*", count, Resource{1024, 1}, true}}, {}, {}, {}},
                         effects_);
    effects_.clear();
  }
  /// Removes or adds the only application of the leaf; an empty leaf has no share.
  void set_active(std::int64_t number, bool is_active) {
    if (is_active) fair_.on_attempt_added(Instant{}, attempt_of(number), effects_);
    else fair_.on_attempt_removed(Instant{}, attempt_of(number), effects_);
    effects_.clear();
  }
  void set_cluster(std::int64_t memory_mib) {
    fair_.on_node_updated(Instant{}, NodeId{1}, {memory_mib, 1'000'000}, effects_);
    effects_.clear();
  }
  void update() { fair_.update(Instant{}); }
  [[nodiscard]] std::int64_t share_of(std::int64_t number) const {
    return fair_.queues().at(fair_.queues().find(leaf(number))).fair_share.memory_mib;
  }
  [[nodiscard]] std::int64_t share_of_all() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < fair_.queues().size(); ++i)
      sum += fair_.queues().at(static_cast<RowIndex>(i)).fair_share.memory_mib;
    return sum;
  }

private:
  static AttemptId attempt_of(std::int64_t number) { return {ApplicationId{1, number}, 1}; }
  static std::string leaf(std::int64_t number) {
    number -= 1;
    return "root.t" + std::to_string(number / 100) + ".m" + std::to_string(number / 10 % 10) + ".q" +
           std::to_string(number % 10);
  }
  static config::FairSchedulerFile file(std::int64_t tops) {
    RandomStream random{1};
    std::string text = "<allocations>";
    const auto open = [&](const char* prefix, int number) {
      text += "<queue name=\"" + std::string{prefix} + std::to_string(number) + "\"><weight>" +
              std::to_string(1 + random.below(4)) + "</weight><minResources>" +
              std::to_string(random.below(64) * 1024) + " mb, 0 vcores</minResources>";
    };
    for (int top = 0; top < tops; ++top) {
      open("t", top);
      for (int middle = 0; middle < 10; ++middle) {
        open("m", middle);
        for (int leaf = 0; leaf < 10; ++leaf) {
          open("q", leaf);
          text += "</queue>";
        }
        text += "</queue>";
      }
      text += "</queue>";
    }
    return *config::read_fair_scheduler_xml(text + "</allocations>", "fair-scheduler.xml");
  }

  std::int64_t leaf_count_;
  FairScheduler fair_;
  ResourceEffects effects_;
};

/// Mean time of `act` in microseconds; its argument is the number of the call.
template <class Act>
double mean_us(int turns, Act act) {
  double taken = 0;
  for (int turn = 0; turn < turns; ++turn) taken += act(turn);
  return 1e6 * taken / turns;
}

template <class Act>
double seconds_of(Act act) {
  const double start = processor_seconds();
  act();
  return processor_seconds() - start;
}

/// Times in microseconds.
struct ShareTimes {
  double scratch = 0;
  double leaf = 0;
  double activity = 0;
};

/// Updates of the FairScheduler: full, after a change of one leaf's demand, and after a change of one leaf's activity.
/// Measures update(), the reading of shares, and for the leaf also the call that changes it.
ShareTimes share_times(std::int64_t tops, int full_updates) {
  ManyQueues queues{tops};
  RandomStream random{1};
  std::int64_t sum = 0;
  const auto draw = [&] {
    return static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(queues.leaf_count())));
  };
  const double scratch = mean_us(full_updates, [&](int turn) {
    queues.set_cluster(queues.cluster_mib() * (2 + turn % 2) / 2);  // changes every share
    return seconds_of([&] {
      queues.update();
      sum += queues.share_of_all();
    });
  });
  const double demand = mean_us(2'000, [&](int turn) {
    const std::int64_t leaf = draw();
    return seconds_of([&] {
      queues.add_request(leaf, 2 + turn % 5);
      queues.update();
      sum += queues.share_of(leaf);
    });
  });
  const double activity = mean_us(2'000, [&](int) {
    const std::int64_t leaf = draw();
    const double taken = seconds_of([&] {
      queues.set_active(leaf, false);
      queues.update();
      sum += queues.share_of(leaf);
    });
    queues.set_active(leaf, true);
    queues.add_request(leaf, 1);
    queues.update();
    return taken;
  });
  std::printf("%lld leaves, checksum of all shares %lld\n", static_cast<long long>(queues.leaf_count()),
              static_cast<long long>(sum));
  return {scratch, demand, activity};
}

}  // namespace

int main() {
  const ShareTimes large = share_times(100, 20);
  const ShareTimes small = share_times(10, 200);
  std::printf("fair_shares_scratch %.3f ms\nfair_shares_leaf %.3f us\nfair_shares_activity %.3f us\n",
              large.scratch / 1e3, large.leaf, large.activity);
  std::printf("fair_shares_scratch_at_ten_times %.2f x\n", large.scratch / small.scratch / 10);
  std::printf("fair_shares_leaf_at_ten_times %.2f x\n", large.leaf / small.leaf);
  std::printf("fair_shares_activity_at_ten_times %.2f x\n", large.activity / small.activity);
  return 0;
}
