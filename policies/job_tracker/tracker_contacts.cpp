#include "policies/job_tracker/tracker_contacts.hpp"

namespace heddle::policies {

TrackerContact TrackerContacts::on_heartbeat(Instant now, const std::string& tracker, std::int64_t incarnation,
                                             bool is_initial_contact, std::int64_t response_id) {
  const auto row = rows_.find(tracker);
  if (row != rows_.end() && incarnation < row->second.incarnation) return TrackerContact::stale;
  const bool is_known = row != rows_.end() && incarnation == row->second.incarnation;
  if (!is_initial_contact && !is_known) return TrackerContact::unknown;
  // Silent for longer than the expiry, in Hadoop's words: the deadline itself is not late.
  dues_.set(tracker, now + expiry_ + Duration{1});
  if (is_initial_contact) {
    if (is_known && row->second.response_id == 1) return TrackerContact::repeated;
    rows_[tracker] = {incarnation, 1};
    return TrackerContact::first;
  }
  if (row->second.response_id != response_id) return TrackerContact::repeated;
  ++row->second.response_id;
  return TrackerContact::next;
}

void TrackerContacts::on_lost(const std::string& tracker) {
  rows_.erase(tracker);
  dues_.remove(tracker);
}

std::optional<std::string> TrackerContacts::take_silent(Instant now) {
  auto tracker = dues_.take_due(now);
  if (tracker) rows_.erase(*tracker);
  return tracker;
}

}  // namespace heddle::policies
