// Access lists of a queue file: users who may submit to a queue. Active only with yarn.acl.enable. Order: the queue's
// own list, then its parents' up to root; the first list with the user grants access, otherwise it is refused. A list
// is "users groups", each separated by commas; `*` is everybody, a blank nobody. Without a list, root grants access to
// everybody and other queues to nobody. Users who may administer a queue may submit to it. Cost: one look-up per level
// of the queue. Source: Hadoop 3.4 AccessControlList, FairScheduler, CapacityScheduler (Q-15, FS-19).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/hadoop/capacity_scheduler_xml.hpp"
#include "config/hadoop/fair_scheduler_xml.hpp"

namespace heddle::policies {

/// One access list, as written in the file.
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
  /// Without a file: everybody may submit to every queue.
  QueueAccess() = default;
  explicit QueueAccess(const config::FairSchedulerFile& file);
  explicit QueueAccess(const config::CapacitySchedulerFile& file);

  /// `queue`: full name ("root.a.b"), name without "root.", or last part if only one queue ends with it.
  [[nodiscard]] bool may_submit(const std::string& queue, const std::string& user,
                                const std::vector<std::string>& groups) const;

private:
  void add(const std::string& queue, std::string_view submitters, std::string_view administrators);
  [[nodiscard]] std::string full_name(const std::string& queue) const;

  std::map<std::string, std::vector<AccessList>> lists_;  // of queues in the file
};

}  // namespace heddle::policies
