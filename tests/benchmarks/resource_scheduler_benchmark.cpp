// Grants per second of the fair and the capacity scheduler, including allocate calls, completions and updates. Prints
// the workload before the figures. One thread, no actors, processor time; the seed is fixed. Arguments: fair, capacity
// (none: both), small (only 1,000 nodes and 100 applications), large (only 10,000 and 1,000), recorded (10,000 and
// 1,000 with and without the ResourceManager's recording, and its cost per grant). Lines that begin with a name have
// the figures of docs/performance.md.
#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "runtime/event_log/recorded.hpp"
#include "tests/benchmarks/memory_reads.hpp"
#include "tests/benchmarks/recording.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;

constexpr std::int32_t slots_per_node = 10;
constexpr std::int32_t nodes_per_rack = 40;
constexpr std::int32_t tops = 5, middles = 8, leaves = 5;
constexpr Resource container{1024, 1};
/// Resident memory of this program with 10,000 nodes and 1,000 applications.
constexpr std::size_t scheduler_bytes = 46'000'000;

/// Processor time of the thread, so that other processes do not count.
double processor_seconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

std::string host_name(std::int32_t host) { return "h" + std::to_string(host); }
std::string rack_name(std::int32_t host) { return "/r" + std::to_string(host / nodes_per_rack); }
std::string leaf_name(std::int32_t leaf) {
  leaf %= tops * middles * leaves;
  return "root.t" + std::to_string(leaf % tops) + ".m" + std::to_string(leaf / tops % middles) + ".q" +
         std::to_string(leaf / tops / middles);
}

/// Containers that a node may get for one heartbeat: ten of any kind, or as many as with Hadoop's default settings.
enum class Limits { many, hadoop_default };

ResourceScheduler fair_rules(Limits limits) {
  std::string text = "<allocations><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>";
  for (std::int32_t top = 0; top < tops; ++top) {
    text += "<queue name=\"t" + std::to_string(top) + "\"><weight>" + std::to_string(1 + top % 3) + "</weight>";
    for (std::int32_t middle = 0; middle < middles; ++middle) {
      text += "<queue name=\"m" + std::to_string(middle) + "\">";
      for (std::int32_t leaf = 0; leaf < leaves; ++leaf)
        text += "<queue name=\"q" + std::to_string(leaf) + "\"><weight>" + std::to_string(1 + leaf % 3) +
                "</weight></queue>";
      text += "</queue>";
    }
    text += "</queue>";
  }
  const auto file = config::read_fair_scheduler_xml(text + "</allocations>", "fair-scheduler.xml");
  FairSchedulerSettings settings;
  settings.assignment.assigns_multiple = limits == Limits::many;
  settings.update_interval = std::chrono::milliseconds{500};
  return ResourceScheduler{FairScheduler{settings, *file, Instant{}}};
}

ResourceScheduler capacity_rules(Limits limits) {
  std::vector<config::HadoopProperty> rows;
  const auto put = [&](const std::string& key, const std::string& value) {
    rows.push_back({"yarn.scheduler.capacity." + key, value, 0});
  };
  const auto list = [&](const std::string& parent, const std::string& prefix, std::int32_t count) {
    std::string names;
    for (std::int32_t i = 0; i < count; ++i) {
      names += (i == 0 ? "" : ",") + prefix + std::to_string(i);
      put(parent + "." + prefix + std::to_string(i) + ".capacity", std::to_string(1 + i % 3) + "w");
    }
    put(parent + ".queues", names);
  };
  list("root", "t", tops);
  for (std::int32_t top = 0; top < tops; ++top) {
    list("root.t" + std::to_string(top), "m", middles);
    for (std::int32_t middle = 0; middle < middles; ++middle)
      list("root.t" + std::to_string(top) + ".m" + std::to_string(middle), "q", leaves);
  }
  for (std::int32_t leaf = 0; leaf < tops * middles * leaves; ++leaf)
    put(leaf_name(leaf) + ".user-limit-factor", "100");
  put("maximum-am-resource-percent", "1");
  if (limits == Limits::many) put("per-node-heartbeat.maximum-offswitch-assignments", std::to_string(slots_per_node));
  const auto file = config::read_capacity_properties(rows, "capacity-scheduler.xml");
  return ResourceScheduler{CapacityScheduler{{}, *file}};
}

/// One application master: hosts of its requests, and changes for its next allocate call.
struct Application {
  AttemptId attempt;
  std::vector<std::int32_t> wanted;  // hosts of outstanding requests
  bool has_news = false;
};

/// The scheduler with the recording of a ResourceManager.
struct RecordedRules {
  explicit RecordedRules(ResourceScheduler rules) : decider{std::move(rules), log.sink()} {}
  template <class... Inputs>
  auto apply(Inputs&&... inputs) {
    return decider.apply(std::forward<Inputs>(inputs)...);
  }
  [[nodiscard]] auto next_due() const { return decider->next_due(); }
  void wait_for_room() const { log.wait_for_room(); }
  double bytes() {
    decider.flush_records();
    return log.bytes();
  }
  benchmarks::Recording log;
  runtime::Recorded<ResourceScheduler> decider;
};
/// The scheduler without recording.
struct PlainRules : ResourceScheduler {
  explicit PlainRules(ResourceScheduler rules) : ResourceScheduler{std::move(rules)} {}
  void wait_for_room() const {}
  double bytes() const { return 0; }
};

template <class Rules>
class Cluster {
public:
  Cluster(ResourceScheduler scheduler, std::int32_t nodes, std::int32_t applications)
      : scheduler_{std::move(scheduler)}, nodes_{nodes}, running_of_(static_cast<std::size_t>(nodes)) {
    for (std::int32_t node = 0; node < nodes; ++node)
      scheduler_.apply(now_,
                       resource_input::NodeAdded{
                           {NodeId{node}, host_name(node), rack_name(node), {1024 * slots_per_node, slots_per_node}}},
                       effects_);
    for (std::int32_t number = 0; number < applications; ++number) {
      const AttemptId attempt{ApplicationId{1, number + 1}, 1};
      if (!scheduler_
               .apply(now_, resource_input::ApplicationAdded{{attempt.application, leaf_name(number), "user", 0,
                                                              std::nullopt}})
               .is_accepted)
        continue;
      scheduler_.apply(now_, resource_input::AttemptAdded{attempt}, effects_);
      applications_.push_back({attempt, {}, false});
    }
    const std::int64_t all = std::int64_t{nodes} * slots_per_node * 9 / 10;
    for (std::int64_t i = 0; i < all; ++i) want(static_cast<std::size_t>(i) % applications_.size());
  }

  /// Simulates 100 ms of the cluster: allocate calls of applications with changes, and a tenth of the nodes, each of
  /// which reports ends and then sends a heartbeat. Effects are taken after each call, as the ResourceManager does.
  void round(bool ends) {
    scheduler_.wait_for_room();
    now_ += std::chrono::milliseconds{100};
    for (std::size_t i = 0; i < applications_.size(); ++i)
      if (applications_[i].has_news) call(i);
    if (const auto due = scheduler_.next_due(); due && *due <= now_)
      scheduler_.apply(now_, resource_input::TimePassed{}, effects_);
    effects_.clear();
    ++rounds_;
    for (std::int32_t i = 0; i < nodes_ / 10; ++i) {
      fetch_ahead(running_of_.data() + (next_node_ + 2) % nodes_);
      if (ends) end_some(next_node_);
      scheduler_.apply(now_, resource_input::NodeOffered{NodeId{next_node_}}, effects_);
      next_node_ = (next_node_ + 1) % nodes_;
      take_effects();
    }
  }
  [[nodiscard]] bool is_full() const { return running_ >= std::int64_t{nodes_} * slots_per_node * 89 / 100; }

  std::int64_t granted = 0;
  std::int64_t local = 0;
  std::int64_t heartbeats() const { return rounds_ * (nodes_ / 10); }
  [[nodiscard]] std::int64_t running() const { return running_; }
  double bytes() { return scheduler_.bytes(); }

private:
  struct Running {
    ContainerId id;
    std::int32_t application;
  };

  void want(std::size_t application) {
    applications_[application].wanted.push_back(
        static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(nodes_))));
    applications_[application].has_news = true;
    changed_places(application, applications_[application].wanted.back());
  }
  /// Records a host whose counts the next call must contain.
  void changed_places(std::size_t application, std::int32_t host) {
    if (news_.size() <= application) news_.resize(applications_.size());
    news_[application].push_back(host);
  }
  /// Each container of the node ends with a probability of 1 to 10.
  void end_some(std::int32_t node) {
    auto& running = running_of_[static_cast<std::size_t>(node)];
    for (std::size_t at = 0; at < running.size();) {
      if (random_.below(10) != 0) {
        ++at;
        continue;
      }
      const Running gone = running[at];
      running[at] = running.back();
      running.pop_back();
      --running_;
      scheduler_.apply(now_, resource_input::ContainerCompleted{gone.id, 0}, effects_);
      effects_.clear();
      want(static_cast<std::size_t>(gone.application));
    }
  }
  void call(std::size_t number) {
    Application& application = applications_[number];
    AllocateRequest batch;
    batch.asks.reserve(2 * news_[number].size() + 1);
    const auto add_request = [&](std::string name, std::ptrdiff_t count) {
      batch.asks.push_back({1, std::move(name), static_cast<std::int32_t>(count), container, true});
    };
    for (const std::int32_t host : news_[number]) {
      const std::vector<std::int32_t>& wanted = application.wanted;
      add_request(host_name(host), std::count(wanted.begin(), wanted.end(), host));
      add_request(rack_name(host), std::count_if(wanted.begin(), wanted.end(), [&](std::int32_t w) {
                    return w / nodes_per_rack == host / nodes_per_rack;
                  }));
    }
    add_request("*", static_cast<std::ptrdiff_t>(application.wanted.size()));
    news_[number].clear();
    application.has_news = false;
    static_cast<void>(
        scheduler_.apply(now_, resource_input::AsksMade{application.attempt, std::move(batch)}, effects_));
    effects_.clear();
  }
  void take_effects() {
    for (const ResourceEffect& effect : effects_) {
      const auto* taken = std::get_if<ContainerAssigned>(&effect);
      if (taken == nullptr) continue;
      ++granted;
      local += taken->locality == AskLocality::node_local ? 1 : 0;
      const auto number = static_cast<std::size_t>(taken->attempt.application.number - 1);
      running_of_[static_cast<std::size_t>(taken->node.value)].push_back(
          {taken->container, static_cast<std::int32_t>(number)});
      ++running_;
      forget_wish(number, static_cast<std::int32_t>(taken->node.value));
    }
    effects_.clear();
  }
  /// The request that a container fulfils: one for its host, otherwise for its rack, otherwise the oldest.
  void forget_wish(std::size_t number, std::int32_t host) {
    std::vector<std::int32_t>& wanted = applications_[number].wanted;
    auto at = std::find(wanted.begin(), wanted.end(), host);
    if (at == wanted.end())
      at = std::find_if(wanted.begin(), wanted.end(),
                        [&](std::int32_t w) { return w / nodes_per_rack == host / nodes_per_rack; });
    if (at == wanted.end()) at = wanted.begin();
    if (at == wanted.end()) return;
    changed_places(number, *at);
    applications_[number].has_news = true;
    wanted.erase(at);
  }

  Rules scheduler_;
  std::int32_t nodes_;
  Instant now_{};
  ResourceEffects effects_;
  RandomStream random_{1};
  std::vector<Application> applications_;
  std::vector<std::vector<std::int32_t>> news_;
  // By node. Side by side and prefetched, because the scheduler is measured and not the nodes.
  LargeTable<boost::container::static_vector<Running, slots_per_node>> running_of_;
  std::int64_t running_ = 0;
  std::int32_t next_node_ = 0;
  std::int64_t rounds_ = 0;
};

template <class Rules>
benchmarks::Cost measure_with(const char* name, ResourceScheduler rules, std::int32_t nodes,
                              std::int32_t applications) {
  Cluster<Rules> cluster{std::move(rules), nodes, applications};
  for (int i = 0; i < 400 && !cluster.is_full(); ++i) cluster.round(false);
  if (!cluster.is_full()) {
    std::fprintf(stderr, "%s: the cluster is not full after the warm-up; the figures would be of another workload\n",
                 name);
    std::exit(1);
  }
  for (int i = 0; i < 50; ++i) cluster.round(true);
  const std::int64_t before = cluster.granted;
  const std::int64_t local = cluster.local;
  const std::int64_t beats = cluster.heartbeats();
  constexpr std::int64_t wanted = 1'000'000;
  const double bytes_before = cluster.bytes();
  const double start = processor_seconds();
  while (cluster.granted - before < wanted) {
    const std::int64_t last = cluster.granted;
    cluster.round(true);
    if (cluster.granted == last && (cluster.heartbeats() - beats) / nodes > 100) break;
  }
  const double taken = processor_seconds() - start;
  const auto grants = static_cast<double>(cluster.granted - before);
  std::printf(
      "%-8s %6d nodes %5d applications: %9.0f grants/s, %.3f us a grant, %.2f heartbeats a grant, %.1f %% node local, "
      "%.1f %% full\n",
      name, nodes, applications, grants / taken, 1e6 * taken / grants,
      static_cast<double>(cluster.heartbeats() - beats) / grants,
      100.0 * static_cast<double>(cluster.local - local) / grants,
      100.0 * static_cast<double>(cluster.running()) / (static_cast<double>(nodes) * slots_per_node));
  std::fflush(stdout);
  return {taken, grants, cluster.bytes() - bytes_before};
}

/// Seconds per grant.
double measure(const char* name, ResourceScheduler rules, std::int32_t nodes, std::int32_t applications) {
  return measure_with<PlainRules>(name, std::move(rules), nodes, applications).nanoseconds() / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  const bool has_rules = has("fair") || has("capacity");
  std::printf(
      "workload: nodes of 10 x (1024 MiB, 1 core) in racks of 40; 200 leaf queues in three levels (5 x 8 x 5), weights "
      "1 to 3; "
      "applications\n"
      "spread over them, unmanaged masters; each asks for its containers by host, rack and *, hosts drawn at random, "
      "and corrects its "
      "asks\n"
      "after each grant; 90 %% of the slots are asked for or running. A round is 100 ms: applications with news call "
      "once, a\n"
      "tenth of the nodes first report ends, one by one, then send a heartbeat; a container ends with a probability of "
      "1 to 10 between\n"
      "two heartbeats (10 s mean length) and is asked for again.\n"
      "fair: assign-multiple on (dynamic), update every 500 ms, no locality delay. capacity: multiple assignments on "
      "(100, 10\n"
      "off-switch), node-locality-delay 40. default: as Hadoop, fair: assign-multiple off; capacity: 1 off-switch. "
      "Warm-up: until full, then 50 rounds. Clock: everything above, 1,000,000 "
      "grants.\n");
  for (const std::string rules : {"fair", "capacity"}) {
    if (has_rules && !has(rules.c_str())) continue;
    const auto make = [&](Limits limits = Limits::many) {
      return rules == "fair" ? fair_rules(limits) : capacity_rules(limits);
    };
    if (has("default")) {
      const double each = measure((rules + ", defaults").c_str(), make(Limits::hadoop_default), 10'000, 1'000);
      std::printf("%s_grants_default %.0f grants/s\n", rules.c_str(), 1 / each);
      continue;
    }
    if (has("recorded")) {
      const auto plain = measure_with<PlainRules>(rules.c_str(), make(), 10'000, 1'000);
      benchmarks::print_recording(rules + "_grants", "grants/s", plain,
                                  measure_with<RecordedRules>(rules.c_str(), make(), 10'000, 1'000));
      continue;
    }
    const double small = has("large") ? 0 : measure(rules.c_str(), make(), 1'000, 100);
    const double large = has("small") ? 0 : measure(rules.c_str(), make(), 10'000, 1'000);
    if (large > 0) std::printf("%s_grants %.0f grants/s\n", rules.c_str(), 1 / large);
    if (small <= 0 || large <= 0) continue;
    std::printf("%s_grants_at_ten_times %.2f x\n", rules.c_str(), large / small);
    const auto reads = [](std::size_t bytes) { return benchmarks::seconds_per_read(bytes, processor_seconds); };
    std::printf("%s_memory_at_ten_times %.2f x\n", rules.c_str(), reads(scheduler_bytes) / reads(scheduler_bytes / 10));
  }
  return 0;
}
