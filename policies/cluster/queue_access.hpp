// Who may submit to a queue: the access lists of a queue file, off unless yarn.acl.enable.
// Order: a queue's own list, then its parents' up to root; the first that names the user decides, and what none names
// is refused. A list is "users groups", each separated by commas; `*` is everybody, a blank nobody. Without one root
// lets everybody in, any other queue nobody by itself. Who may administer a queue may submit to it. Cost: one look-up
// per level of the queue. Source: Hadoop 3.4 AccessControlList, FairScheduler, CapacityScheduler (Q-15, FS-19).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/hadoop/capacity_scheduler_xml.hpp"
#include "config/hadoop/fair_scheduler_xml.hpp"

namespace heddle::policies {

/// One list, as written.
class AccessList {
public:
  AccessList() = default;
  explicit AccessList(std::string_view text);
  [[nodiscard]] bool allows(const std::string& user, const std::vector<std::string>& groups) const;

private:
  bool is_everybody_ = false;
  std::set<std::string> users_;
  std::set<std::string> groups_;
};

class QueueAccess {
public:
  /// Without a file: everybody may submit everywhere.
  QueueAccess() = default;
  explicit QueueAccess(const config::FairSchedulerFile& file);
  explicit QueueAccess(const config::CapacitySchedulerFile& file);

  /// `queue` by its full name ("root.a.b"), or without "root.", or, where only one queue ends so, by its last word.
  [[nodiscard]] bool may_submit(const std::string& queue, const std::string& user,
                                const std::vector<std::string>& groups) const;

private:
  void add(const std::string& queue, std::string_view submitters, std::string_view administrators);
  [[nodiscard]] std::string full_name(const std::string& queue) const;

  std::map<std::string, std::vector<AccessList>> lists_;  // of queues that the file names
};

}  // namespace heddle::policies
