// Order of the checks: running limits, master limit, queues, locality.
#include "policies/cluster/fair/fair_explain.hpp"

#include <algorithm>
#include <cmath>

#include "policies/cluster/fair/fair_limits.hpp"
#include "policies/cluster/ledger_questions.hpp"

namespace heddle::policies {
namespace {

/// Offers until the next locality level is allowed.
std::int64_t offers_to_wait(const FairBooks& books, const PriorityAsks& asks) {
  const float threshold = asks.allowed_level == AskLocality::node_local ? books.settings.locality.node_threshold
                                                                        : books.settings.locality.rack_threshold;
  const double most = books.ledger.nodes().count() * std::min(static_cast<double>(threshold), 1.0);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(most)) + 1 - asks.opportunities);
}

}  // namespace

ResourceExplanation explain(const FairBooks& books, ApplicationId id, std::optional<Instant> next_update) {
  const RowIndex row = books.ledger.find_application(id);
  if (row == no_row) return {"unknown_application", "The application is unknown.", "", std::nullopt, 0};
  const FairApplication& application = books.queues.application(row);
  const FairQueue& queue = books.queues.at(application.queue);
  if (!application.is_runnable)
    return {"running_applications_limit", "The user or a queue has reached its limit of running applications.",
            books.queues.running_limit_of(application.queue, books.ledger.application(row).user, books.ledger),
            std::nullopt, 0};
  if (!may_master_start(books, row))
    return {"master_share_limit", "The application masters of the queue have reached their resource limit.", queue.name,
            std::nullopt, 0};
  const LedgerApplication& asking = books.ledger.application(row);
  if (asking.asks.pending_priorities() == 0)
    return {"nothing_asked", "The application has no pending requests.", "", std::nullopt, 0};
  if (application.demand == asking.usage)
    return {"demand_not_seen", "The last update of demands does not include the requests.", "", next_update, 0};
  for (const PriorityAsks& asks : asking.asks.priorities()) {
    if (!asks.is_pending) continue;
    const AskEntry& any = *asks.find(any_place);
    if (const RowIndex full = full_queue(books.queues.tree(), application.queue, any.capability); full != no_row)
      return {"queue_at_maximum", "The next container would exceed the maximum of this queue.",
              books.queues.at(full).name, std::nullopt, 0};
    if (const RowIndex full = full_of_others(books.queues.tree(), application.queue, books.ledger.others(), any.others);
        full != no_row)
      return {"queue_at_maximum",
              "The next container needs " + books.ledger.others().in_words(any.others) +
                  ", which would exceed the maximum of " + books.queues.at(full).name + ".",
              books.queues.at(full).name, std::nullopt, 0};
    if (auto missing = missing_others(books.ledger, any.others)) return *missing;
    if (!any.relax_locality)
      return {"only_named_places",
              "The request allows only named hosts and racks, and none of them has enough free resources.", "",
              std::nullopt, 1};
    const bool waits =
        books.settings.locality.has_delay() && asks.entries.size() > 1 && asks.allowed_level != AskLocality::off_switch;
    if (waits && books.settings.locality.continuous_sleep && asks.has_allowed_level) {
      const bool is_at_node = asks.allowed_level == AskLocality::node_local;
      const std::int64_t wait =
          is_at_node ? books.settings.locality.node_delay_ms : books.settings.locality.rack_delay_ms;
      return {"locality_delay", "The application waits for a node nearer to its data.", "",
              Instant{std::chrono::milliseconds{asks.level_since_ms + wait + 1}}, 0};
    }
    if (waits)
      return {"locality_delay", "The application waits for a node nearer to its data.", "", std::nullopt,
              offers_to_wait(books, asks)};
  }
  return {"no_room",
          "No node with a heartbeat had enough free resources, or other applications are further below their share.",
          "", std::nullopt, 1};
}

}  // namespace heddle::policies
