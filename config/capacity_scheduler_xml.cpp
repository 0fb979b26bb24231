// Properties become a map first; the tree is then read from root downwards, so that the first error is the topmost one.
#include "config/capacity_scheduler_xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>

#include "config/hadoop_references.hpp"
#include "config/nearest.hpp"
#include "config/value_text.hpp"

namespace heddle::config {
namespace {

constexpr std::string_view prefix = "yarn.scheduler.capacity.";
constexpr float capacity_precision = 0.0005F;  // by which the children's capacities may miss the whole

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

constexpr std::array<std::string_view, 13> scheduler_words{"maximum-applications",
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

struct Value {
  std::string text;
  std::string raw;  // with the blanks at its ends
  std::int64_t line = 0;
  bool is_read = false;
};

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(static_cast<double>(value))) return std::nullopt;
  return value;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const std::string_view word = trimmed(text.substr(0, comma)); !word.empty()) words.emplace_back(word);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return words;
}

class Reader {
public:
  Reader(const std::vector<CapacityProperty>& properties, std::string_view file_name) : file_name_{file_name} {
    for (const CapacityProperty& each : properties)
      values_[each.key] = Value{std::string{trimmed(each.value)}, each.value, each.line, false};
  }

  Result<CapacitySchedulerFile> read() {
    read_scheduler();
    read_queue("root", -1, 0);
    if (!error_) check_children();
    if (error_) return *error_;
    read_stopped_elsewhere();
    list_unread();
    return std::move(file_);
  }

private:
  // -- values ------------------------------------------------------------------
  Value* find(const std::string& key) {
    const auto at = values_.find(key);
    if (at == values_.end()) return nullptr;
    at->second.is_read = true;
    return &at->second;
  }
  [[nodiscard]] std::string where(std::int64_t line) const {
    return std::string{file_name_} + (line > 0 ? ":" + std::to_string(line) : "") + ": ";
  }
  void fail(const std::string& key, const std::string& why) {
    if (error_) return;
    const auto at = values_.find(key);
    error_ = Error{Errc::usage, where(at == values_.end() ? 0 : at->second.line) + key + ": " + why};
  }
  template <class Number>
  Number number(const std::string& key, Number otherwise, double least, double most) {
    const Value* found = find(key);
    if (found == nullptr || found->text.empty()) return otherwise;
    const std::optional<Number> value = number_of<Number>(found->text);
    if (!value || !(static_cast<double>(*value) >= least && static_cast<double>(*value) <= most)) {
      fail(key, "must be a number" + bounds(least, most) + ", not \"" + found->text + "\"");
      return otherwise;
    }
    return *value;
  }
  static std::string bounds(double least, double most) {
    if (most >= 2147483647.0) return " of at least " + std::to_string(static_cast<std::int64_t>(least));
    return " from " + std::to_string(static_cast<std::int64_t>(least)) + " to " + std::to_string(static_cast<std::int64_t>(most));
  }
  bool truth(const std::string& key, bool otherwise) {
    const Value* found = find(key);
    if (found == nullptr || found->text.empty()) return otherwise;
    if (found->text != "true" && found->text != "false") fail(key, "must be true or false, not \"" + found->text + "\"");
    return found->text == "true";
  }
  std::string word(const std::string& key, std::span<const std::string_view> known) {
    const Value* found = find(key);
    if (found == nullptr || found->text.empty()) return {};
    if (std::find(known.begin(), known.end(), found->text) == known.end()) {
      std::string list;
      for (const std::string_view each : known) list += (list.empty() ? "" : ", ") + std::string{each};
      fail(key, "must be one of " + list + ", not \"" + found->text + "\"" + suggestion(found->text, known));
    }
    return found->text;
  }

  // -- the scheduler's own keys --------------------------------------------------
  void read_scheduler() {
    const auto key = [](std::string_view name) { return std::string{prefix} + std::string{name}; };
    constexpr double most = 2147483647.0;
    file_.applications_max = number<std::int32_t>(key("maximum-applications"), 10000, 1, most);
    master_share_max_ = number<float>(key("maximum-am-resource-percent"), 0.1F, 0, 1);
    file_.node_locality_delay = number<std::int32_t>(key("node-locality-delay"), 40, -1, most);
    file_.rack_locality_additional_delay = number<std::int32_t>(key("rack-locality-additional-delay"), -1, -1, most);
    file_.rack_locality_full_reset = truth(key("rack-locality-full-reset"), true);
    file_.assigns_multiple = truth(key("per-node-heartbeat.multiple-assignments-enabled"), true);
    file_.assignments_max = number<std::int32_t>(key("per-node-heartbeat.maximum-container-assignments"), 100, -1, most);
    file_.off_switch_assignments_max = number<std::int32_t>(key("per-node-heartbeat.maximum-offswitch-assignments"), 1, 1, most);
    file_.looks_beyond_reservations = truth(key("reservations-continue-look-all-nodes"), true);
    parallel_applications_max_ = number<std::int32_t>(key("max-parallel-apps"), 2147483647, 0, most);
    read_parallel_applications_of_users();
    read_mappings(key("queue-mappings"));
    file_.mappings_override = truth(key("queue-mappings-override.enable"), false);
    constexpr std::array<std::string_view, 2> calculators{"org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
                                                          "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"};
    file_.is_dominant = word(key("resource-calculator"), calculators) == calculators[1];
  }

  void read_parallel_applications_of_users() {
    constexpr std::string_view word = "max-parallel-apps";
    const std::string start = std::string{prefix} + "user.";
    constexpr double most = 2147483647.0;
    file_.parallel_applications_max_of_users = number<std::int32_t>(start + std::string{word}, 2147483647, 0, most);
    for (auto at = values_.lower_bound(start); at != values_.end() && at->first.starts_with(start); ++at) {
      if (!at->first.ends_with("." + std::string{word}) || at->first.size() <= start.size() + word.size() + 1) continue;
      const std::string user = at->first.substr(start.size(), at->first.size() - start.size() - word.size() - 1);
      file_.parallel_applications_max_of_user[user] = number<std::int32_t>(at->first, file_.parallel_applications_max_of_users, 0, most);
    }
  }

  /// A queue that no parent names any more may still be told to stop, so that it can leave.
  void read_stopped_elsewhere() {
    constexpr std::string_view word = ".state";
    for (auto& [key, value] : values_) {
      if (!key.starts_with(std::string{prefix} + "root.") || !key.ends_with(word) || value.text != "STOPPED") continue;
      const std::string name = key.substr(prefix.size(), key.size() - prefix.size() - word.size());
      if (std::any_of(file_.queues.begin(), file_.queues.end(), [&](const auto& queue) { return queue.name == name; })) continue;
      file_.stopped_elsewhere.insert(name);
      value.is_read = true;
    }
  }

  void read_mappings(const std::string& key) {
    const Value* found = find(key);
    if (found == nullptr) return;
    for (const std::string& each : words_of(found->text)) {
      const std::size_t first = each.find(':');
      const std::size_t second = each.find(':', first == std::string::npos ? first : first + 1);
      const std::string kind = each.substr(0, first);
      if (second == std::string::npos || second + 1 == each.size() || (kind != "u" && kind != "g"))
        return fail(key, "must be a list of u:USER:QUEUE and g:GROUP:QUEUE, not \"" + each + "\"");
      file_.mappings.push_back({kind == "g", each.substr(first + 1, second - first - 1), each.substr(second + 1)});
    }
  }

  // -- queues --------------------------------------------------------------------
  static std::string key_of(const std::string& queue, std::string_view name) {
    return std::string{prefix} + queue + "." + std::string{name};
  }

  void read_queue(const std::string& name, std::int32_t parent, std::int64_t depth) {
    if (depth > 100) return fail(key_of(name, "queues"), "queues must not be nested deeper than 100 levels");
    const auto index = static_cast<std::int32_t>(file_.queues.size());
    CapacityQueueSettings& queue = file_.queues.emplace_back();
    queue.name = name;
    queue.parent = parent;
    const Value* list = find(key_of(name, "queues"));
    const std::vector<std::string> children = list == nullptr ? std::vector<std::string>{} : words_of(list->text);
    queue.is_parent = !children.empty();
    if (parent < 0 && children.empty()) return fail(key_of(name, "queues"), "must name at least one queue below root");
    read_capacities(queue, parent);
    read_limits(queue);
    for (std::size_t i = 0; i < children.size() && !error_; ++i) {
      if (children[i].find('.') != std::string::npos)
        return fail(key_of(name, "queues"), "a queue's name must have no dot: \"" + children[i] + "\"");
      if (std::find(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(i), children[i]) !=
          children.begin() + static_cast<std::ptrdiff_t>(i))
        return fail(key_of(name, "queues"), "names \"" + children[i] + "\" twice");
      read_queue(name + "." + children[i], index, depth + 1);
    }
  }

  void read_capacities(CapacityQueueSettings& queue, std::int32_t parent) {
    const std::string key = key_of(queue.name, "capacity");
    if (parent >= 0) {
      if (find(key) == nullptr)
        return fail(key_of(file_.queues[static_cast<std::size_t>(parent)].name, "queues"), "names " + queue.name + ", which has no " + key);
      queue.capacity = capacity(key);
    }
    const std::string maximum_key = key_of(queue.name, "maximum-capacity");
    if (parent >= 0 && find(maximum_key) != nullptr) {
      queue.maximum_capacity = capacity(maximum_key);
      if (queue.maximum_capacity.kind == ConfiguredCapacity::Kind::weight)
        return fail(maximum_key, "must be a percentage or an amount, not a weight");
      const bool are_percent =
          queue.capacity.kind == ConfiguredCapacity::Kind::percent && queue.maximum_capacity.kind == ConfiguredCapacity::Kind::percent;
      if (queue.maximum_capacity.number == -1.0F) queue.maximum_capacity.number = 100.0F;
      if (are_percent && queue.maximum_capacity.number < queue.capacity.number)
        return fail(maximum_key, "must not be below the capacity of the queue");
    }
    if (queue.capacity.kind == ConfiguredCapacity::Kind::absolute && queue.maximum_capacity.kind != ConfiguredCapacity::Kind::absolute)
      queue.maximum_capacity = ConfiguredCapacity{ConfiguredCapacity::Kind::absolute, 0, Resource{}};
  }

  ConfiguredCapacity capacity(const std::string& key) {
    const std::string text = find(key)->text;
    ConfiguredCapacity result;
    if (!text.empty() && text.front() == '[') return amount(key, text);
    std::string_view digits = text;
    if (!digits.empty() && digits.back() == 'w') {
      result.kind = ConfiguredCapacity::Kind::weight;
      digits.remove_suffix(1);
    } else if (!digits.empty() && digits.back() == '%') {
      digits.remove_suffix(1);
    }
    const std::optional<float> value = number_of<float>(trimmed(digits));
    const bool is_maximum = key.ends_with("maximum-capacity");
    const bool is_weight = result.kind == ConfiguredCapacity::Kind::weight;
    if (!value || !(*value >= 0 || (is_maximum && *value == -1.0F)) || (!is_weight && *value > 100.0F))
      fail(key,
           "must be a percentage from 0 to 100, a weight such as 2w, or an amount such as [memory=4096,vcores=4], not \"" + text + "\"");
    result.number = value.value_or(0.0F);
    return result;
  }

  ConfiguredCapacity amount(const std::string& key, const std::string& text) {
    ConfiguredCapacity result{ConfiguredCapacity::Kind::absolute, 0, Resource{}};
    if (text.back() != ']') fail(key, "must end with \"]\", not \"" + text + "\"");
    const std::string_view inside = std::string_view{text}.substr(1, text.size() - 2);
    constexpr std::array<std::string_view, 3> types{"memory", "memory-mb", "vcores"};
    for (const std::string& each : words_of(inside)) {
      const std::size_t equals = each.find('=');
      const std::string type{trimmed(std::string_view{each}.substr(0, equals))};
      if (equals == std::string::npos || std::find(types.begin(), types.end(), type) == types.end()) {
        fail(key, "must name memory and vcores, not \"" + each + "\"" + suggestion(type, types));
        return result;
      }
      const std::optional<std::int64_t> value = type == "vcores"
                                                    ? number_of<std::int64_t>(trimmed(std::string_view{each}.substr(equals + 1)))
                                                    : mebibytes(trimmed(std::string_view{each}.substr(equals + 1)));
      if (!value || *value < 0) fail(key, "must have a whole amount of " + type + ", not \"" + each + "\"");
      (type == "vcores" ? result.amount.cores : result.amount.memory_mib) = value.value_or(0);
    }
    return result;
  }

  /// "4096", "4096M", "4G", "1T" …, as Hadoop writes units of memory; no unit: MiB.
  static std::optional<std::int64_t> mebibytes(std::string_view text) {
    std::int64_t factor = 1;
    if (text.ends_with("i")) text.remove_suffix(1);
    if (!text.empty() && (text.back() < '0' || text.back() > '9')) {
      const char unit = text.back();
      factor = unit == 'M' || unit == 'm' ? 1 : unit == 'G' || unit == 'g' ? 1024 : unit == 'T' || unit == 't' ? 1024 * 1024 : 0;
      text.remove_suffix(1);
    }
    const std::optional<std::int64_t> value = number_of<std::int64_t>(trimmed(text));
    std::int64_t result = 0;
    if (!value || factor == 0 || __builtin_mul_overflow(*value, factor, &result)) return std::nullopt;
    return result;
  }

  /// Blanks count in it: what stands behind the first is groups.
  std::string access_list(const std::string& key) {
    const Value* found = find(key);
    if (found == nullptr) return {};
    return found->raw.empty() ? " " : found->raw;
  }

  void read_limits(CapacityQueueSettings& queue) {
    const auto key = [&](std::string_view name) { return key_of(queue.name, name); };
    constexpr double most = 2147483647.0;
    queue.user_limit_percent = number<float>(key("minimum-user-limit-percent"), 100.0F, 0, 100);
    queue.user_limit_factor = number<float>(key("user-limit-factor"), 1.0F, -1, most);
    queue.master_share_max = number<float>(key("maximum-am-resource-percent"), master_share_max_, 0, 1);
    if (find(key("maximum-applications")) != nullptr)
      queue.applications_max = number<std::int32_t>(key("maximum-applications"), 0, 0, most);
    queue.parallel_applications_max = number<std::int32_t>(key("max-parallel-apps"), parallel_applications_max_, 0, most);
    queue.priority = number<std::int32_t>(key("priority"), 0, -most, most);
    queue.submitters = access_list(key("acl_submit_applications"));
    queue.administrators = access_list(key("acl_administer_queue"));
    queue.is_stopped = word(key("state"), std::array<std::string_view, 2>{"RUNNING", "STOPPED"}) == "STOPPED";
    const bool is_parent_preemptable = queue.parent < 0 || file_.queues[static_cast<std::size_t>(queue.parent)].is_preemptable;
    queue.is_preemptable = !truth(key("disable_preemption"), !is_parent_preemptable);
    if (queue.parent >= 0 && file_.queues[static_cast<std::size_t>(queue.parent)].is_stopped) queue.is_stopped = true;
    if (queue.is_parent) {
      constexpr std::array<std::string_view, 2> policies{"utilization", "priority-utilization"};
      queue.respects_priority = word(key("ordering-policy"), policies) == policies[1];
    } else {
      queue.order = word(key("ordering-policy"), std::array<std::string_view, 2>{"fifo", "fair"}) == "fair" ? ApplicationOrder::fair
                                                                                                            : ApplicationOrder::fifo;
      queue.has_size_based_weight = truth(key("ordering-policy.fair.enable-size-based-weight"), false);
    }
    read_maximum_container(queue);
    read_user_weights(queue);
  }

  void read_maximum_container(CapacityQueueSettings& queue) {
    const auto key = [&](std::string_view name) { return key_of(queue.name, name); };
    Resource most{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int32_t>::max()};
    if (queue.parent >= 0) most = file_.queues[static_cast<std::size_t>(queue.parent)].maximum_container.value_or(most);
    const Resource inherited = most;
    most.memory_mib = number<std::int64_t>(key("maximum-allocation-mb"), most.memory_mib, 1, 9.3e18);
    most.cores = number<std::int64_t>(key("maximum-allocation-vcores"), most.cores, 1, 2147483647.0);
    if (most != inherited || (queue.parent >= 0 && file_.queues[static_cast<std::size_t>(queue.parent)].maximum_container))
      queue.maximum_container = most;
  }

  void read_user_weights(CapacityQueueSettings& queue) {
    if (queue.parent >= 0) queue.user_weights = file_.queues[static_cast<std::size_t>(queue.parent)].user_weights;
    const std::string start = key_of(queue.name, "user-settings.");
    for (auto at = values_.lower_bound(start); at != values_.end() && at->first.starts_with(start); ++at) {
      if (!at->first.ends_with(".weight")) continue;
      const std::string user = at->first.substr(start.size(), at->first.size() - start.size() - std::string_view{".weight"}.size());
      queue.user_weights[user] = number<float>(at->first, 1.0F, 0, 2147483647.0);
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
        return fail(key_of(child.name, "capacity"), "must be of the same kind (percentage, weight or amount) as those of its siblings");
      sum.kind = child.capacity.kind;
      sum.percent += child.capacity.number / 100.0F;
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i].kind == ConfiguredCapacity::Kind::percent && std::abs(sums[i].percent - 1.0F) > capacity_precision)
        return fail(key_of(file_.queues[i].name, "queues"), "the capacities of these queues must sum to 100, not to " +
                                                                std::to_string(static_cast<double>(sums[i].percent) * 100.0));
  }

  void list_unread() {
    std::vector<std::string_view> names;
    for (const CapacityQueueSettings& queue : file_.queues) names.push_back(queue.name);
    for (const auto& [key, value] : values_) {
      if (value.is_read || !key.starts_with(prefix)) continue;
      file_.unread_keys.push_back(where(value.line) + key + hint(key.substr(prefix.size()), names));
    }
  }

  /// What an unread key was probably meant to be.
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

  std::string_view file_name_;
  std::map<std::string, Value> values_;
  CapacitySchedulerFile file_;
  std::int32_t parallel_applications_max_ = 2147483647;
  float master_share_max_ = 0.1F;
  std::optional<Error> error_;
};

}  // namespace

std::string QueueMapping::queue_for(const std::string& user, const std::vector<std::string>& groups) const {
  const bool is_meant = is_group ? std::find(groups.begin(), groups.end(), source) != groups.end() : source == "%user" || source == user;
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

Result<CapacitySchedulerFile> read_capacity_properties(const std::vector<CapacityProperty>& properties, std::string_view file_name) {
  return Reader{properties, file_name}.read();
}

Result<CapacitySchedulerFile> read_capacity_scheduler_xml(std::string_view text, std::string_view file_name) {
  std::vector<std::size_t> ends;  // of lines
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) ends.push_back(at);
  const auto line_at = [&](std::ptrdiff_t offset) {
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
    return 1 + (std::lower_bound(ends.begin(), ends.end(), at) - ends.begin());
  };
  const auto where = [&](std::ptrdiff_t offset) { return std::string{file_name} + ":" + std::to_string(line_at(offset)) + ": "; };
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) return Error{Errc::usage, where(parsed.offset) + "not well-formed XML: " + parsed.description()};
  const pugi::xml_node top = document.child("configuration");
  if (!top) return Error{Errc::usage, where(0) + "the root element must be <configuration>"};
  std::vector<CapacityProperty> properties;
  std::vector<SettingEntry> entries;
  for (const pugi::xml_node& each : top.children("property")) {
    const std::string key{trimmed(each.child_value("name"))};
    if (key.empty()) return Error{Errc::usage, where(each.offset_debug()) + "a <property> has no <name>"};
    properties.push_back({key, "", line_at(each.offset_debug())});
    entries.push_back({key, each.child_value("value"), std::string{file_name} + ":" + std::to_string(properties.back().line)});
  }
  if (const auto done = expand_entries(entries); !done) return done.error();
  for (std::size_t i = 0; i < entries.size(); ++i) properties[i].value = std::move(entries[i].value);
  return read_capacity_properties(properties, file_name);
}

}  // namespace heddle::config
