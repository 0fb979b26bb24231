// Reads the properties into a map, then the queues from root downwards, so that the first error is the topmost one.
#include "config/hadoop/capacity_scheduler_xml.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "config/hadoop/capacity_values.hpp"
#include "config/hadoop/hadoop_references.hpp"
#include "config/text/did_you_mean.hpp"
#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

constexpr std::string_view key_prefix = "yarn.scheduler.capacity.";
constexpr float capacity_precision = 0.0005F;  // allowed error of the sum of the children's capacities

constexpr std::array<std::string_view, 20> queue_words{"queues",
                                                       "max-parallel-apps",
                                                       "capacity",
                                                       "maximum-capacity",
                                                       "minimum-user-limit-percent",
                                                       "user-limit-factor",
                                                       "maximum-am-resource-percent",
                                                       "maximum-applications",
                                                       "priority",
                                                       "ordering-policy",
                                                       "ordering-policy.fair.enable-size-based-weight",
                                                       "state",
                                                       "disable_preemption",
                                                       "maximum-allocation-mb",
                                                       "maximum-allocation-vcores",
                                                       "user-settings.USER.weight",
                                                       "acl_submit_applications",
                                                       "acl_administer_queue",
                                                       "acl_application_max_priority",
                                                       "default-application-priority"};

constexpr std::array<std::string_view, 14> scheduler_words{"maximum-applications",
                                                           "global-queue-max-application",
                                                           "max-parallel-apps",
                                                           "maximum-am-resource-percent",
                                                           "resource-calculator",
                                                           "node-locality-delay",
                                                           "rack-locality-additional-delay",
                                                           "rack-locality-full-reset",
                                                           "per-node-heartbeat.multiple-assignments-enabled",
                                                           "per-node-heartbeat.maximum-container-assignments",
                                                           "per-node-heartbeat.maximum-offswitch-assignments",
                                                           "reservations-continue-look-all-nodes",
                                                           "queue-mappings",
                                                           "queue-mappings-override.enable"};

class QueueFileReader {
public:
  QueueFileReader(const std::vector<HadoopProperty>& properties, std::string_view file_name)
      : values_{properties, file_name} {}

  Result<CapacitySchedulerFile> read() {
    read_scheduler();
    read_queue("root", -1, 0);
    if (!values_.error()) check_children();
    if (values_.error()) return *values_.error();
    read_stopped_elsewhere();
    list_unread();
    return std::move(file_);
  }

private:
  // -- keys of the scheduler -------------------------------------------------------
  void read_scheduler() {
    const auto key = [](std::string_view name) { return std::string{key_prefix} + std::string{name}; };
    constexpr double most = 2147483647.0;
    file_.applications_max = values_.number<std::int32_t>(key("maximum-applications"), 10000, 1, most);
    file_.applications_max_of_queue =
        std::max(values_.number<std::int32_t>(key("global-queue-max-application"), 0, -1, most), 0);
    master_share_max_ = values_.number<float>(key("maximum-am-resource-percent"), 0.1F, 0, 1);
    file_.node_locality_delay = values_.number<std::int32_t>(key("node-locality-delay"), 40, -1, most);
    file_.rack_locality_additional_delay =
        values_.number<std::int32_t>(key("rack-locality-additional-delay"), -1, -1, most);
    file_.rack_locality_full_reset = values_.truth(key("rack-locality-full-reset"), true);
    file_.assigns_multiple = values_.truth(key("per-node-heartbeat.multiple-assignments-enabled"), true);
    file_.assignments_max =
        values_.number<std::int32_t>(key("per-node-heartbeat.maximum-container-assignments"), 100, -1, most);
    file_.off_switch_assignments_max =
        values_.number<std::int32_t>(key("per-node-heartbeat.maximum-offswitch-assignments"), 1, 1, most);
    file_.looks_beyond_reservations = values_.truth(key("reservations-continue-look-all-nodes"), true);
    parallel_applications_max_ = values_.number<std::int32_t>(key("max-parallel-apps"), 2147483647, 0, most);
    read_parallel_applications_of_users();
    read_mappings(key("queue-mappings"));
    file_.mappings_override = values_.truth(key("queue-mappings-override.enable"), false);
    constexpr std::array<std::string_view, 2> calculators{
        "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"};
    file_.is_dominant = values_.word(key("resource-calculator"), calculators) == calculators[1];
  }

  void read_parallel_applications_of_users() {
    constexpr std::string_view word = "max-parallel-apps";
    const std::string start = std::string{key_prefix} + "user.";
    constexpr double most = 2147483647.0;
    file_.parallel_applications_max_of_users =
        values_.number<std::int32_t>(start + std::string{word}, 2147483647, 0, most);
    for (auto at = values_.by_key().lower_bound(start); at != values_.by_key().end() && at->first.starts_with(start);
         ++at) {
      if (!at->first.ends_with("." + std::string{word}) || at->first.size() <= start.size() + word.size() + 1) continue;
      const std::string user = at->first.substr(start.size(), at->first.size() - start.size() - word.size() - 1);
      file_.parallel_applications_max_of_user[user] =
          values_.number<std::int32_t>(at->first, file_.parallel_applications_max_of_users, 0, most);
    }
  }

  /// A queue that was removed from its parent may still have a state. STOPPED allows its removal.
  void read_stopped_elsewhere() {
    constexpr std::string_view word = ".state";
    for (auto& [key, value] : values_.by_key()) {
      if (!key.starts_with(std::string{key_prefix} + "root.") || !key.ends_with(word) || value.text != "STOPPED")
        continue;
      const std::string name = key.substr(key_prefix.size(), key.size() - key_prefix.size() - word.size());
      if (std::any_of(file_.queues.begin(), file_.queues.end(), [&](const auto& queue) { return queue.name == name; }))
        continue;
      file_.stopped_elsewhere.insert(name);
      value.is_read = true;
    }
  }

  void read_mappings(const std::string& key) {
    const CapacityValues::Value* found = values_.find(key);
    if (found == nullptr) return;
    for (const std::string& each : comma_separated(found->text)) {
      const std::size_t first = each.find(':');
      const std::size_t second = each.find(':', first == std::string::npos ? first : first + 1);
      const std::string kind = each.substr(0, first);
      if (second == std::string::npos || second + 1 == each.size() || (kind != "u" && kind != "g"))
        return values_.fail(key, "must be a list of u:USER:QUEUE and g:GROUP:QUEUE, not \"" + each + "\"");
      file_.mappings.push_back({kind == "g", each.substr(first + 1, second - first - 1), each.substr(second + 1)});
    }
  }

  // -- queues --------------------------------------------------------------------
  static std::string key_of(const std::string& queue, std::string_view name) {
    return std::string{key_prefix} + queue + "." + std::string{name};
  }

  void read_queue(const std::string& name, std::int32_t parent, std::int64_t depth) {
    if (depth > 100) return values_.fail(key_of(name, "queues"), "queues must not be nested deeper than 100 levels");
    const auto index = static_cast<std::int32_t>(file_.queues.size());
    CapacityQueueSettings& queue = file_.queues.emplace_back();
    queue.name = name;
    queue.parent = parent;
    const CapacityValues::Value* list = values_.find(key_of(name, "queues"));
    const std::vector<std::string> children =
        list == nullptr ? std::vector<std::string>{} : comma_separated(list->text);
    queue.is_parent = !children.empty();
    if (parent < 0 && children.empty())
      return values_.fail(key_of(name, "queues"), "must name at least one queue below root");
    read_capacities(queue, parent);
    read_limits(queue);
    for (std::size_t i = 0; i < children.size() && !values_.error(); ++i) {
      if (children[i].find('.') != std::string::npos)
        return values_.fail(key_of(name, "queues"), "a queue name must not contain a dot: \"" + children[i] + "\"");
      if (std::find(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(i), children[i]) !=
          children.begin() + static_cast<std::ptrdiff_t>(i))
        return values_.fail(key_of(name, "queues"), "lists \"" + children[i] + "\" twice");
      read_queue(name + "." + children[i], index, depth + 1);
    }
  }

  void read_capacities(CapacityQueueSettings& queue, std::int32_t parent) {
    const std::string key = key_of(queue.name, "capacity");
    if (parent >= 0) {
      if (values_.find(key) == nullptr)
        return values_.fail(key_of(file_.queues[static_cast<std::size_t>(parent)].name, "queues"),
                            "lists " + queue.name + ", which has no " + key);
      queue.capacity = values_.capacity(key);
    }
    const std::string maximum_key = key_of(queue.name, "maximum-capacity");
    if (parent >= 0 && values_.find(maximum_key) != nullptr) {
      queue.maximum_capacity = values_.capacity(maximum_key);
      if (queue.maximum_capacity.kind == ConfiguredCapacity::Kind::weight)
        return values_.fail(maximum_key, "must be a percentage or an amount, not a weight");
      const bool are_percent = queue.capacity.kind == ConfiguredCapacity::Kind::percent &&
                               queue.maximum_capacity.kind == ConfiguredCapacity::Kind::percent;
      if (queue.maximum_capacity.number == -1.0F) queue.maximum_capacity.number = 100.0F;
      if (are_percent && queue.maximum_capacity.number < queue.capacity.number)
        return values_.fail(maximum_key, "must not be below the capacity of the queue");
    }
    if (queue.capacity.kind == ConfiguredCapacity::Kind::absolute &&
        queue.maximum_capacity.kind != ConfiguredCapacity::Kind::absolute)
      queue.maximum_capacity = ConfiguredCapacity{ConfiguredCapacity::Kind::absolute, 0, Resource{}};
  }

  void read_limits(CapacityQueueSettings& queue) {
    const auto key = [&](std::string_view name) { return key_of(queue.name, name); };
    constexpr double most = 2147483647.0;
    queue.user_limit_percent = values_.number<float>(key("minimum-user-limit-percent"), 100.0F, 0, 100);
    queue.user_limit_factor = values_.number<float>(key("user-limit-factor"), 1.0F, -1, most);
    queue.master_share_max = values_.number<float>(key("maximum-am-resource-percent"), master_share_max_, 0, 1);
    if (values_.find(key("maximum-applications")) != nullptr)
      queue.applications_max = values_.number<std::int32_t>(key("maximum-applications"), 0, 0, most);
    queue.parallel_applications_max =
        values_.number<std::int32_t>(key("max-parallel-apps"), parallel_applications_max_, 0, most);
    queue.priority = values_.number<std::int32_t>(key("priority"), 0, -most, most);
    queue.submitters = values_.access_list(key("acl_submit_applications"));
    queue.administrators = values_.access_list(key("acl_administer_queue"));
    queue.is_stopped = values_.word(key("state"), std::array<std::string_view, 2>{"RUNNING", "STOPPED"}) == "STOPPED";
    const bool is_parent_preemptable =
        queue.parent < 0 || file_.queues[static_cast<std::size_t>(queue.parent)].is_preemptable;
    queue.is_preemptable = !values_.truth(key("disable_preemption"), !is_parent_preemptable);
    if (queue.parent >= 0 && file_.queues[static_cast<std::size_t>(queue.parent)].is_stopped) queue.is_stopped = true;
    if (queue.is_parent) {
      // Without its own policy, a parent uses the one of its own parent.
      constexpr std::array<std::string_view, 2> policies{"utilization", "priority-utilization"};
      const std::string policy = values_.word(key("ordering-policy"), policies);
      const bool is_inherited =
          queue.parent >= 0 && file_.queues[static_cast<std::size_t>(queue.parent)].respects_priority;
      queue.respects_priority = policy.empty() ? is_inherited : policy == policies[1];
    } else {
      queue.order = values_.word(key("ordering-policy"), std::array<std::string_view, 2>{"fifo", "fair"}) == "fair"
                        ? ApplicationOrder::fair
                        : ApplicationOrder::fifo;
      queue.has_size_based_weight = values_.truth(key("ordering-policy.fair.enable-size-based-weight"), false);
    }
    read_maximum_container(queue);
    read_user_weights(queue);
  }

  void read_maximum_container(CapacityQueueSettings& queue) {
    const auto key = [&](std::string_view name) { return key_of(queue.name, name); };
    Resource most{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int32_t>::max()};
    if (queue.parent >= 0) most = file_.queues[static_cast<std::size_t>(queue.parent)].maximum_container.value_or(most);
    const Resource inherited = most;
    most.memory_mib = values_.number<std::int64_t>(key("maximum-allocation-mb"), most.memory_mib, 1, 9.3e18);
    most.cores = values_.number<std::int64_t>(key("maximum-allocation-vcores"), most.cores, 1, 2147483647.0);
    if (most != inherited ||
        (queue.parent >= 0 && file_.queues[static_cast<std::size_t>(queue.parent)].maximum_container))
      queue.maximum_container = most;
  }

  void read_user_weights(CapacityQueueSettings& queue) {
    if (queue.parent >= 0) queue.user_weights = file_.queues[static_cast<std::size_t>(queue.parent)].user_weights;
    const std::string start = key_of(queue.name, "user-settings.");
    for (auto at = values_.by_key().lower_bound(start); at != values_.by_key().end() && at->first.starts_with(start);
         ++at) {
      if (!at->first.ends_with(".weight")) continue;
      const std::string user =
          at->first.substr(start.size(), at->first.size() - start.size() - std::string_view{".weight"}.size());
      queue.user_weights[user] = values_.number<float>(at->first, 1.0F, 0, 2147483647.0);
    }
  }

  // -- checks --------------------------------------------------------------------
  void check_children() {
    struct Sum {
      float percent = 0;
      std::optional<ConfiguredCapacity::Kind> kind;
    };
    std::vector<Sum> sums(file_.queues.size());
    for (const CapacityQueueSettings& child : file_.queues) {
      if (child.parent < 0) continue;
      Sum& sum = sums[static_cast<std::size_t>(child.parent)];
      if (sum.kind && *sum.kind != child.capacity.kind)
        return values_.fail(
            key_of(child.name, "capacity"),
            "must be of the same kind (percentage, weight or amount) as the capacities of its siblings");
      sum.kind = child.capacity.kind;
      sum.percent += child.capacity.number / 100.0F;
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i].kind == ConfiguredCapacity::Kind::percent && std::abs(sums[i].percent - 1.0F) > capacity_precision)
        return values_.fail(key_of(file_.queues[i].name, "queues"),
                            "the capacities of these queues must sum to 100, not to " +
                                std::to_string(static_cast<double>(sums[i].percent) * 100.0));
  }

  void list_unread() {
    std::vector<std::string_view> names;
    for (const CapacityQueueSettings& queue : file_.queues) names.push_back(queue.name);
    for (const auto& [key, value] : values_.by_key()) {
      if (value.is_read || !key.starts_with(key_prefix)) continue;
      file_.unread_keys.push_back(values_.where(value.line) + key + hint(key.substr(key_prefix.size()), names));
    }
  }

  /// A suggestion for an unread key.
  static std::string hint(const std::string& rest, const std::vector<std::string_view>& names) {
    if (!rest.starts_with("root.")) return suggestion(rest, scheduler_words);
    std::string_view queue;
    for (const std::string_view each : names)
      if (rest.starts_with(std::string{each} + ".") && each.size() > queue.size()) queue = each;
    const std::string word = rest.substr(queue.size() + (queue.empty() ? 0 : 1));
    if (std::find(queue_words.begin(), queue_words.end(), word) != queue_words.end()) return {};
    if (const std::string near = suggestion(word, queue_words); !near.empty()) return near;
    return suggestion(rest.substr(0, rest.rfind('.')), names);
  }

  CapacityValues values_;
  CapacitySchedulerFile file_;
  std::int32_t parallel_applications_max_ = 2147483647;
  float master_share_max_ = 0.1F;
};

}  // namespace

std::string QueueMapping::queue_for(const std::string& user, const std::vector<std::string>& groups) const {
  const bool is_meant =
      is_group ? std::find(groups.begin(), groups.end(), source) != groups.end() : source == "%user" || source == user;
  if (!is_meant) return {};
  std::string result = queue;
  const auto fill_in = [&](std::string_view place, const std::string& with) {
    for (std::size_t at = result.find(place); at != std::string::npos; at = result.find(place, at + with.size()))
      result.replace(at, place.size(), with);
  };
  fill_in("%user", user);
  fill_in("%primary_group", groups.empty() ? std::string{} : groups.front());
  return result;
}

std::int32_t parallel_applications_max_of(const CapacitySchedulerFile& file, const std::string& user) {
  const auto own = file.parallel_applications_max_of_user.find(user);
  return own == file.parallel_applications_max_of_user.end() ? file.parallel_applications_max_of_users : own->second;
}

Result<CapacitySchedulerFile> read_capacity_properties(const std::vector<HadoopProperty>& properties,
                                                       std::string_view file_name) {
  return QueueFileReader{properties, file_name}.read();
}

Result<CapacitySchedulerFile> read_capacity_scheduler_xml(std::string_view text, std::string_view file_name) {
  auto properties = read_hadoop_properties(std::string{file_name}, text);
  if (!properties) return properties.error();
  std::vector<SettingEntry> entries;
  for (const auto& each : *properties)
    entries.push_back({each.key, each.value, std::string{file_name} + ":" + std::to_string(each.line)});
  if (const auto done = expand_entries(entries); !done) return done.error();
  for (std::size_t i = 0; i < entries.size(); ++i) (*properties)[i].value = std::move(entries[i].value);
  return read_capacity_properties(*properties, file_name);
}

}  // namespace heddle::config
