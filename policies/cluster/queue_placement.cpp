#include "policies/cluster/queue_placement.hpp"

#include <optional>

namespace heddle::policies {
namespace {

using Rule = config::PlacementRule;
using KindOf = std::function<QueueKind(std::string_view)>;

constexpr std::string_view blanks = " \t\r\n\f\v";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The name of a user or group, escaped as part of a queue name (QP-1).
std::string as_part(std::string_view name) {
  std::string part;
  for (const char letter : trimmed(name)) {
    if (letter == '.') part += "_dot_";
    else part += letter;
  }
  return part;
}

std::string under_root(std::string_view name) {
  if (name == "root" || name.starts_with("root.")) return std::string{name};
  return "root." + std::string{name};
}

bool is_well_formed(std::string_view name) {
  return !name.empty() && trimmed(name) == name && name.front() != '.' && name.back() != '.';
}

std::vector<Rule> rules_without_policy(const PlacementDefaults& defaults) {
  std::vector<Rule> rules{{Rule::Kind::specified, defaults.may_create_queues, {}, {}}};
  if (defaults.is_user_default_queue) rules.push_back({Rule::Kind::user, defaults.may_create_queues, {}, {}});
  if (!defaults.is_user_default_queue || !defaults.may_create_queues)
    rules.push_back({Rule::Kind::fallback, true, {}, {}});
  return rules;
}

class RuleWalk {
public:
  RuleWalk(const PlacementRequest& request, const KindOf& kind_of) : request_{request}, kind_of_{kind_of} {}

  /// The queue on which the rule decides; none if it does not decide.
  [[nodiscard]] std::optional<std::string> decide(const Rule& rule) const {
    if (rule.kind == Rule::Kind::specified) {
      if (request_.queue.empty() || request_.queue == "default") return std::nullopt;
      return existing(rule, under_root(request_.queue));
    }
    if (rule.kind == Rule::Kind::fallback)
      return existing(rule, under_root(rule.queue.empty() ? "default" : rule.queue));
    std::string parent = "root";
    if (!rule.parent.empty()) {
      const auto above = decide(rule.parent.front());
      if (!above || kind_of_(*above) == QueueKind::leaf) return std::nullopt;
      parent = *above;
    }
    return below(rule, parent);
  }

private:
  [[nodiscard]] std::optional<std::string> below(const Rule& rule, const std::string& parent) const {
    const auto child = [&parent](std::string_view name) { return parent + "." + as_part(name); };
    switch (rule.kind) {
      case Rule::Kind::user:
      case Rule::Kind::nested_user_queue: return existing(rule, child(request_.user));
      case Rule::Kind::primary_group:
        if (request_.groups.empty()) return std::nullopt;
        return existing(rule, child(request_.groups.front()));
      case Rule::Kind::secondary_group:
        for (std::size_t i = 1; i < request_.groups.size(); ++i)
          if (auto name = child(request_.groups[i]); kind_of_(name) != QueueKind::absent) return name;
        return std::nullopt;
      default: return std::nullopt;
    }
  }
  [[nodiscard]] std::optional<std::string> existing(const Rule& rule, std::string name) const {
    if (!rule.create && kind_of_(name) == QueueKind::absent) return std::nullopt;
    return name;
  }

  const PlacementRequest& request_;
  const KindOf& kind_of_;
};

}  // namespace

PlacementAnswer place_application(const config::FairSchedulerFile& file, const PlacementDefaults& defaults,
                                  const PlacementRequest& request, const KindOf& kind_of) {
  if (!request.queue.empty() && !is_well_formed(request.queue))
    return {"", "queue name \"" + request.queue + "\" must not begin or end with a dot or a blank"};
  const auto rules = file.placement ? *file.placement : rules_without_policy(defaults);
  const RuleWalk placement{request, kind_of};
  for (const auto& rule : rules) {
    if (rule.kind == Rule::Kind::reject)
      return {"", "the placement rules reject an application of " + request.user + " here"};
    if (auto queue = placement.decide(rule)) return {*queue, ""};
  }
  return {"", "no placement rule decided on a queue for queue \"" + request.queue + "\" and user " + request.user};
}

}  // namespace heddle::policies
