#include "actors/driver/place_records.hpp"

#include <algorithm>

namespace heddle::actors {

std::int64_t PlaceRecords::number_of(Instant when, const std::shared_ptr<const PreferredLocationLists>& lists) {
  if (!lists || sink_ == nullptr) return -1;
  std::erase_if(known_, [](const auto& row) { return row.second.lists.expired(); });
  auto& known = known_[lists.get()];
  if (!known.lists.expired()) return known.number;
  known = {lists, next_++};
  std::vector<std::size_t> lengths;
  std::vector<std::int32_t> hosts;
  std::vector<int> kinds;
  std::vector<std::int64_t> executors;
  for (std::size_t index = 0; index < lists->size(); ++index) {
    const auto places = lists->of(index);
    lengths.push_back(places.size());
    for (const auto& place : places) {
      hosts.push_back(place.host.value);
      kinds.push_back(static_cast<int>(place.kind));
      executors.push_back(place.executor.value);
    }
  }
  auto fields =
      ports::EventFields{}.add("places", known.number).add_column("lengths", lengths).add_column("hosts", hosts);
  // Only cached data has preferred locations other than hosts, so these columns are usually left out.
  if (std::any_of(kinds.begin(), kinds.end(), [](int kind) { return kind != 0; }))
    fields.add_column("kinds", kinds).add_column("executors", executors);
  sink_->write(when, "place_lists", fields);
  return known.number;
}

}  // namespace heddle::actors
