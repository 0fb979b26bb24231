#include "policies/cluster/queue_access.hpp"

#include <algorithm>
#include <cctype>

namespace heddle::policies {
namespace {

constexpr std::string_view root = "root";

bool is_blank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::set<std::string> names(std::string_view text) {
  std::set<std::string> found;
  while (!text.empty()) {
    const auto comma = text.find(',');
    if (const auto name = without_blanks(text.substr(0, comma)); !name.empty()) found.emplace(name);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return found;
}

}  // namespace

AccessList::AccessList(std::string_view text) {
  // Hadoop accepts a star inside a short list as everybody. Here it must be the whole list, as Hadoop's documentation
  // says.
  if (without_blanks(text) == "*") {
    is_everybody_ = true;
    return;
  }
  // Users end at the first blank: a list that starts with a blank has only groups.
  const auto blank = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_blank) - text.begin());
  users_ = names(text.substr(0, blank));
  if (blank < text.size()) groups_ = names(text.substr(blank));
}

bool AccessList::allows(const std::string& user, const std::vector<std::string>& groups) const {
  return is_everybody_ || users_.contains(user) ||
         std::any_of(groups.begin(), groups.end(),
                     [this](const std::string& group) { return groups_.contains(group); });
}

QueueAccess::QueueAccess(const config::FairSchedulerFile& file) {
  add(std::string{root}, "", "");
  for (const auto& queue : file.queues) add(queue.name, queue.submitters, queue.administrators);
}

QueueAccess::QueueAccess(const config::CapacitySchedulerFile& file) {
  add(std::string{root}, "", "");
  for (const auto& queue : file.queues) add(queue.name, queue.submitters, queue.administrators);
}

void QueueAccess::add(const std::string& queue, std::string_view submitters, std::string_view administrators) {
  const auto list = [&queue](std::string_view text) { return AccessList{text.empty() && queue == root ? "*" : text}; };
  lists_[queue] = {list(submitters), list(administrators)};
}

std::string QueueAccess::full_name(const std::string& queue) const {
  if (queue == root || queue.starts_with("root.")) return queue;
  if (const auto below_root = "root." + queue; lists_.contains(below_root)) return below_root;
  for (const auto& [name, lists] : lists_)
    if (name.size() > queue.size() && name.ends_with(queue) && name[name.size() - queue.size() - 1] == '.') return name;
  return "root." + queue;
}

bool QueueAccess::may_submit(const std::string& queue, const std::string& user,
                             const std::vector<std::string>& groups) const {
  if (lists_.empty()) return true;
  for (auto name = full_name(queue); true; name.resize(name.rfind('.'))) {
    if (const auto found = lists_.find(name); found != lists_.end())
      for (const auto& list : found->second)
        if (list.allows(user, groups)) return true;
    if (name.rfind('.') == std::string::npos) return false;
  }
}

}  // namespace heddle::policies
