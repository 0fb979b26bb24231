#include "actors/driver/told_outputs.hpp"

#include <algorithm>

namespace heddle::actors {

void ToldOutputs::compare(const policies::MapOutputTable& outputs, ShuffleId shuffle, std::int32_t maps) {
  is_touched_ = false;
  const bool is_first = places_.empty();
  places_.resize(static_cast<std::size_t>(maps));
  for (std::int32_t map = 0; map < maps; ++map) {
    auto& known = places_[static_cast<std::size_t>(map)];
    const auto place = outputs.place(shuffle, map);
    if (known == place) continue;
    known = place;
    if (!is_first) changes_.push_back(map);
  }
  if (changes_.size() <= places_.size()) return;
  changes_.clear();
  ++table_;
}

ToldOutputs::News ToldOutputs::take_news(Mark& mark, const policies::MapOutputTable& outputs, ShuffleId shuffle,
                                         std::int32_t maps) {
  if (is_touched_) compare(outputs, shuffle, maps);
  News news;
  if (mark.table != table_) {
    news.is_whole = true;
  } else {
    news.maps.assign(changes_.begin() + static_cast<std::ptrdiff_t>(mark.changes), changes_.end());
    std::sort(news.maps.begin(), news.maps.end());
    news.maps.erase(std::unique(news.maps.begin(), news.maps.end()), news.maps.end());
  }
  mark = {table_, changes_.size()};
  return news;
}

}  // namespace heddle::actors
