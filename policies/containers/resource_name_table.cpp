#include "policies/containers/resource_name_table.hpp"

#include <utility>

namespace heddle::policies {

ResourceNameTable::ResourceNameTable(RackTable racks) : rack_table_{std::move(racks)} { add(anywhere_name); }

ResourceNameId ResourceNameTable::add(std::string_view name) {
  const auto number = static_cast<ResourceNameId>(names_.size());
  const auto [row, is_new] = numbers_.try_emplace(std::string{name}, number);
  if (!is_new) return row->second;
  names_.emplace_back(name);
  racks_.push_back(-1);
  return number;
}

ResourceNameId ResourceNameTable::host(std::string_view name) {
  const auto row = numbers_.find(name);
  if (row != numbers_.end() && rack_of(row->second) >= 0) return row->second;
  const ResourceNameId number = add(name);
  const ResourceNameId rack = add(rack_table_.rack_of(name));
  racks_[static_cast<std::size_t>(number)] = rack;
  return number;
}

ResourceNameId ResourceNameTable::find(std::string_view name) const {
  const auto row = numbers_.find(name);
  return row == numbers_.end() ? -1 : row->second;
}

}  // namespace heddle::policies
