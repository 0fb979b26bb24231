// One function per element; reading stops at the first error.
#include "config/hadoop/fair_scheduler_xml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <pugixml.hpp>
#include <set>

#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

/// An empty list allows nobody. Hadoop documents a single blank for it, which the XML parser drops.
std::string access_list(const pugi::xml_node& node) {
  const std::string text = node.child_value();
  return text.empty() ? " " : text;
}

constexpr int levels_max = 100;

/// Default of types that a maximum does not name, as recorded from Hadoop: unlimited memory, but no cores.
constexpr Resource without_cores{unlimited.memory_mib, 0};

bool is_queue_element(const pugi::xml_node& node) {
  return !std::strcmp(node.name(), "queue") || !std::strcmp(node.name(), "pool");
}

bool is_space_like(std::string_view name) {
  std::string rest{name};
  for (std::size_t at = rest.find("\xc2\xa0"); at != std::string::npos; at = rest.find("\xc2\xa0")) rest.erase(at, 2);
  return trimmed(rest).empty();
}

class AllocationFileReader {
public:
  AllocationFileReader(std::string_view text, std::string_view file_name) : text_{text}, file_name_{file_name} {}

  Result<FairSchedulerFile> read() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(text_.data(), text_.size());
    if (!parsed) return Error{Errc::usage, where(parsed.offset) + "not well-formed XML: " + parsed.description()};
    const pugi::xml_node top = document.child("allocations");
    if (!top) return Error{Errc::usage, where(0) + "the root element must be <allocations>"};
    for (const pugi::xml_node& each : top.children()) {
      if (each.type() != pugi::node_element) continue;
      if (is_queue_element(each)) read_queue(each, "", 1);
      else read_top(each);
      if (error_) return *error_;
    }
    check_root_stands_alone(top);
    if (error_) return *error_;
    return std::move(file_);
  }

private:
  [[nodiscard]] std::string where(std::ptrdiff_t offset) const {
    const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return std::string{file_name_} + ":" + std::to_string(1 + std::count(text_.begin(), end, '\n')) + ": ";
  }
  void fail(const pugi::xml_node& node, const std::string& why) {
    if (!error_) error_ = Error{Errc::usage, where(node.offset_debug()) + why};
  }

  template <class Number>
  Number number(const pugi::xml_node& node) {
    const std::string text{trimmed(node.child_value())};
    const char* begin = text.c_str() + (!text.empty() && text.front() == '+' ? 1 : 0);
    Number value{};
    const auto [end, problem] = std::from_chars(begin, text.c_str() + text.size(), value);
    const bool is_whole = problem == std::errc{} && end == text.c_str() + text.size();
    if (!is_whole || !std::isfinite(static_cast<double>(value)))  // NaN and infinity have no order
      fail(node, "<" + std::string{node.name()} + "> must be a number, not \"" + text + "\"");
    return value;
  }
  std::int64_t milliseconds(const pugi::xml_node& node) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(number<std::int64_t>(node), 1000, &result)) fail(node, "the time-out is too long");
    return result;
  }
  float fraction(const pugi::xml_node& node) { return std::max(std::min(number<float>(node), 1.0F), 0.0F); }
  float master_share(const pugi::xml_node& node) {
    const auto share = number<float>(node);
    if (share > 1.0F) fail(node, "<" + std::string{node.name()} + "> must not exceed 1; -1: no limit");
    return share;
  }
  ConfiguredResource resource(const pugi::xml_node& node, const Resource& missing) {
    Result<ConfiguredResource> read = read_configured_resource(node.child_value(), missing);
    if (read) return *read;
    fail(node, read.error().text);
    return {};
  }
  SharePolicy policy(const pugi::xml_node& node) {
    const std::string word = lower_case(trimmed(node.child_value()));
    const auto names = [&](std::string_view short_name, std::string_view class_name) {
      return word == short_name || (word.size() >= class_name.size() && word.ends_with(class_name));
    };
    if (names("drf", "dominantresourcefairnesspolicy")) return SharePolicy::dominant_resource;
    if (names("fair", "fairsharepolicy")) return SharePolicy::fair;
    if (names("fifo", "fifopolicy")) return SharePolicy::fifo;
    fail(node, "unknown scheduling policy \"" + word + "\": expected fair, fifo or drf");
    return SharePolicy::fair;
  }
  bool truth(const pugi::xml_node& node) { return trimmed(node.child_value()) == "true"; }

  void read_top(const pugi::xml_node& node) {
    const std::string_view tag = node.name();
    if (tag == "user") {
      for (const pugi::xml_node& each : node.children("maxRunningApps"))
        file_.running_applications_max_of_user[std::string{trimmed(node.attribute("name").value())}] =
            number<std::int32_t>(each);
    } else if (tag == "queueMaxResourcesDefault") {
      file_.maximum_of_queues = resource(node, without_cores);
    } else if (tag == "userMaxAppsDefault") {
      file_.running_applications_max_of_users = number<std::int32_t>(node);
    } else if (tag == "queueMaxAppsDefault") {
      file_.running_applications_max_of_queues = number<std::int32_t>(node);
    } else if (tag == "queueMaxAMShareDefault") {
      file_.master_share_max = std::min(number<float>(node), 1.0F);
    } else if (tag == "defaultMinSharePreemptionTimeout") {
      file_.minimum_share_timeout_ms = milliseconds(node);
    } else if (tag == "defaultFairSharePreemptionTimeout" || tag == "fairSharePreemptionTimeout") {
      file_.fair_share_timeout_ms = milliseconds(node);
    } else if (tag == "defaultFairSharePreemptionThreshold") {
      file_.fair_share_threshold = fraction(node);
    } else if (tag == "defaultQueueSchedulingPolicy" || tag == "defaultQueueSchedulingMode") {
      file_.policy = policy(node);
      if (file_.policy == SharePolicy::fifo) fail(node, "the default policy must not be fifo");
    } else if (tag == "queuePlacementPolicy") {
      read_placement(node);
    }
  }

  void read_queue(const pugi::xml_node& node, const std::string& parent, int level) {
    if (level > levels_max)
      return fail(node, "queues must not be nested deeper than " + std::to_string(levels_max) + " levels");
    const std::string own{trimmed(node.attribute("name").value())};
    if (is_space_like(own)) return fail(node, "a queue needs a name");
    if (own.find('.') != std::string::npos) return fail(node, "queue name \"" + own + "\" must not contain a dot");
    const bool is_root = parent.empty() && own == "root";
    FairQueueSettings queue;
    queue.name = is_root ? "root" : (parent.empty() ? "root" : parent) + "." + own;
    queue.is_parent = is_root || trimmed(node.attribute("type").value()) == "parent";
    bool has_master_share = false;
    for (const pugi::xml_node& each : node.children()) {
      if (each.type() != pugi::node_element) continue;
      queue.is_parent = queue.is_parent || is_queue_element(each);
      has_master_share = has_master_share || !std::strcmp(each.name(), "maxAMShare");
      if (!is_queue_element(each)) read_queue_value(each, queue);
    }
    if (error_) return;
    if (queue.is_parent && queue.is_reservable)
      return fail(node, "queue " + queue.name + " has children and cannot be a reservation queue");
    if (queue.is_parent && has_master_share)
      return fail(node, "queue " + queue.name + " has children and cannot have a maxAMShare");
    if (queue.is_parent && queue.policy == SharePolicy::fifo)
      return fail(node, "queue " + queue.name + " has children and cannot be fifo");
    if (!names_.insert(queue.name).second) return fail(node, "queue " + queue.name + " is declared twice");
    file_.queues.push_back(queue);
    for (const pugi::xml_node& each : node.children())
      if (!error_ && is_queue_element(each)) read_queue(each, queue.name, level + 1);
  }

  void read_queue_value(const pugi::xml_node& node, FairQueueSettings& queue) {
    const std::string_view tag = node.name();
    if (tag == "minResources") {
      queue.minimum = resource(node, Resource{});
    } else if (tag == "maxResources") {
      queue.maximum = resource(node, without_cores);
    } else if (tag == "maxChildResources") {
      queue.maximum_of_children = resource(node, without_cores);
    } else if (tag == "maxContainerAllocation") {
      queue.maximum_container = resource(node, unlimited);
    } else if (tag == "maxRunningApps") {
      queue.running_applications_max = number<std::int32_t>(node);
    } else if (tag == "maxAMShare") {
      queue.master_share_max = master_share(node);
    } else if (tag == "weight") {
      queue.weight = static_cast<float>(number<double>(node));
    } else if (tag == "minSharePreemptionTimeout") {
      queue.minimum_share_timeout_ms = milliseconds(node);
    } else if (tag == "fairSharePreemptionTimeout") {
      queue.fair_share_timeout_ms = milliseconds(node);
    } else if (tag == "fairSharePreemptionThreshold") {
      queue.fair_share_threshold = fraction(node);
    } else if (tag == "schedulingPolicy" || tag == "schedulingMode") {
      queue.policy = policy(node);
    } else if (tag == "aclSubmitApps") {
      queue.submitters = access_list(node);
    } else if (tag == "aclAdministerApps") {
      queue.administrators = access_list(node);
    } else if (tag == "allowPreemptionFrom") {
      queue.is_preemptable = truth(node);
    } else if (tag == "reservation") {
      queue.is_reservable = true;
    }
  }

  std::optional<PlacementRule> read_rule(const pugi::xml_node& node, int level) {
    if (level > levels_max) return fail(node, "rules are nested too deeply"), std::nullopt;
    using Kind = PlacementRule::Kind;
    static constexpr std::pair<std::string_view, Kind> words[] = {
        {"specified", Kind::specified},
        {"user", Kind::user},
        {"primaryGroup", Kind::primary_group},
        {"secondaryGroupExistingQueue", Kind::secondary_group},
        {"nestedUserQueue", Kind::nested_user_queue},
        {"default", Kind::fallback},
        {"reject", Kind::reject}};
    const std::string word{trimmed(node.attribute("name").value())};
    const auto* found =
        std::find_if(std::begin(words), std::end(words), [&](const auto& pair) { return pair.first == word; });
    if (found == std::end(words)) return fail(node, "unknown placement rule \"" + word + "\""), std::nullopt;
    PlacementRule rule{found->second,
                       std::strcmp(node.attribute("create").value(), "false") != 0,
                       std::string{trimmed(node.attribute("queue").value())},
                       {}};
    for (const pugi::xml_node& each : node.children("rule"))
      if (const std::optional<PlacementRule> parent = read_rule(each, level + 1)) rule.parent.assign(1, *parent);
    const bool may_have_parent =
        rule.kind != Kind::specified && rule.kind != Kind::fallback && rule.kind != Kind::reject;
    if (!rule.parent.empty() && !may_have_parent) fail(node, "rule " + word + " cannot have a parent rule");
    if (!rule.parent.empty() && (rule.parent[0].kind == Kind::reject || rule.parent[0].kind == Kind::nested_user_queue))
      fail(node, "this rule cannot be a parent rule");
    if (rule.kind == Kind::nested_user_queue && rule.parent.empty())
      fail(node, "rule nestedUserQueue needs a parent rule");
    return rule;
  }

  void read_placement(const pugi::xml_node& node) {
    std::vector<PlacementRule> rules;
    bool is_closed = false;
    for (const pugi::xml_node& each : node.children("rule")) {
      const std::optional<PlacementRule> rule = read_rule(each, 1);
      if (!rule || error_) return;
      if (is_closed) return fail(each, "this rule is never reached: the rule before it always matches");
      using Kind = PlacementRule::Kind;
      is_closed = rule->kind == Kind::reject ||
                  (rule->create && rule->kind != Kind::specified && rule->kind != Kind::secondary_group);
      rules.push_back(*rule);
    }
    if (!rules.empty() && !is_closed)
      return fail(node, "the last placement rule must always match, such as default or reject");
    file_.placement = std::move(rules);
  }

  void check_root_stands_alone(const pugi::xml_node& top) {
    if (names_.count("root") == 0) return;
    std::size_t count = 0;
    for (const pugi::xml_node& each : top.children()) count += is_queue_element(each) ? 1 : 0;
    if (count > 1) fail(top, "a queue is declared beside root; declare it inside root");
  }

  std::string_view text_;
  std::string_view file_name_;
  FairSchedulerFile file_;
  std::set<std::string> names_;
  std::optional<Error> error_;
};

}  // namespace

Result<FairSchedulerFile> read_fair_scheduler_xml(std::string_view text, std::string_view file_name) {
  return AllocationFileReader{text, file_name}.read();
}

}  // namespace heddle::config
