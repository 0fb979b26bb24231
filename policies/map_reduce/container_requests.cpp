#include "policies/map_reduce/container_requests.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {

Result<Done> check_node_label(const std::string& label) {
  if (label.find("&&") == std::string::npos && label.find("||") == std::string::npos) return Done{};
  return Error{Errc::usage, "Cannot specify more than one node label in a single node label expression: " + label};
}

void ContainerRequests::mark_changed(const Place& place, const Resource& capability, const Line& line) {
  changed_[place].insert_or_assign(
      capability, RequestAsk{place.first, place.second, capability, line.count, line.relax_locality, line.node_label});
}

/// Hosts and named racks always match; racks of hosts and "*" only with relaxed locality.
std::vector<ContainerRequests::Name> ContainerRequests::names_of(const ContainerRequest& request) const {
  const std::set<std::string> hosts(request.hosts.begin(), request.hosts.end());
  const std::set<std::string> racks(request.racks.begin(), request.racks.end());
  std::vector<Name> names;
  for (const std::string& host : hosts) names.push_back(Name{host, true});
  for (const std::string& rack : racks) names.push_back(Name{rack, true});
  std::set<std::string> inferred;
  for (const std::string& host : hosts) inferred.insert(std::string{racks_.rack_of(host)});
  for (const std::string& rack : inferred)
    if (!racks.contains(rack)) names.push_back(Name{rack, request.relax_locality});
  names.push_back(Name{"*", request.relax_locality});
  return names;
}

Result<ContainerRequests::Number> ContainerRequests::add(const ContainerRequest& request) {
  if (const auto label = check_node_label(request.node_label); !label) return label.error();
  const std::vector<Name> names = names_of(request);
  const std::set<std::string> hosts(request.hosts.begin(), request.hosts.end());
  for (const Name& name : names) {
    const Lines* lines = hosts.contains(name.name) ? nullptr : lines_at(request.priority, name.name);
    if (lines != nullptr && lines->begin()->second.relax_locality != name.relax_locality)
      return Error{Errc::usage, name.name + " has requests of priority " + std::to_string(request.priority) + " with" +
                                    (name.relax_locality ? "out" : "") +
                                    " relaxed locality; use another priority for requests that differ"};
  }
  const Number number = next_++;
  for (const Name& name : names) {
    Line& line = lines_[{request.priority, name.name}][request.capability];
    ++line.count;
    line.relax_locality = name.relax_locality;
    if (name.relax_locality) line.answered_here.push_back(number);
    if (name.name == "*") line.node_label = request.node_label;
    mark_changed({request.priority, name.name}, request.capability, line);
  }
  requests_.emplace(number, request);
  return number;
}

void ContainerRequests::remove(Number number) {
  const auto row = requests_.find(number);
  if (row == requests_.end()) return;
  const ContainerRequest& request = row->second;
  for (const Name& name : names_of(request)) {
    const auto place = lines_.find({request.priority, name.name});
    const auto at = place->second.find(request.capability);
    Line& line = at->second;
    --line.count;
    std::erase(line.answered_here, number);
    mark_changed(place->first, request.capability, line);
    if (line.count == 0) place->second.erase(at);
    if (place->second.empty()) lines_.erase(place);
  }
  requests_.erase(row);
}

std::vector<RequestAsk> ContainerRequests::pop_asks() {
  std::vector<RequestAsk> asks;
  for (const auto& [place, sizes] : std::exchange(changed_, {}))
    for (const auto& [size, ask] : sizes) asks.push_back(ask);
  return asks;
}

std::vector<ContainerRequests::Group> ContainerRequests::matching(std::int32_t priority, const std::string& name,
                                                                  const Resource& capability) const {
  std::vector<Group> groups;
  const Lines* lines = lines_at(priority, name);
  if (lines == nullptr) return groups;
  const auto add = [&](const Line& line) {
    if (!line.answered_here.empty()) groups.push_back(line.answered_here);
  };
  if (const auto exact = lines->find(capability); exact != lines->end()) {
    add(exact->second);
    return groups;
  }
  for (auto line = lines->upper_bound(capability); line != lines->end(); ++line)
    if (fits_in(line->first, capability)) add(line->second);
  return groups;
}

std::int32_t ContainerRequests::count_at(std::int32_t priority, const std::string& name,
                                         const Resource& capability) const {
  const Lines* lines = lines_at(priority, name);
  if (lines == nullptr) return 0;
  const auto line = lines->find(capability);
  return line == lines->end() ? 0 : line->second.count;
}

const ContainerRequests::Lines* ContainerRequests::lines_at(std::int32_t priority, const std::string& name) const {
  const auto place = lines_.find({priority, name});
  return place == lines_.end() ? nullptr : &place->second;
}

void ContainerRequests::check_invariants() const {
  std::map<std::tuple<std::int32_t, std::string, std::int64_t, std::int64_t>, std::int32_t> counts;
  for (const auto& [number, request] : requests_)
    for (const Name& name : names_of(request))
      ++counts[{request.priority, name.name, request.capability.memory_mib, request.capability.cores}];
  std::size_t lines = 0;
  for (const auto& [place, sizes] : lines_)
    for (const auto& [size, line] : sizes) {
      ++lines;
      const auto expected = counts.find({place.first, place.second, size.memory_mib, size.cores});
      HEDDLE_ASSERT(expected != counts.end() && expected->second == line.count, "requests at " + place.second);
      HEDDLE_ASSERT(line.answered_here.size() == (line.relax_locality ? static_cast<std::size_t>(line.count) : 0U),
                    "matching requests at " + place.second);
    }
  HEDDLE_ASSERT(lines == counts.size(), "rows without a request");
}

}  // namespace heddle::policies
