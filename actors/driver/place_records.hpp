// Writes lists of preferred locations into the event log. Stages share lists, so each list is written once and later
// records refer to its number.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/preferred_location.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::actors {

class PlaceRecords {
public:
  explicit PlaceRecords(ports::EventSink* sink) : sink_{sink} {}
  PlaceRecords(const PlaceRecords&) = delete;
  PlaceRecords& operator=(const PlaceRecords&) = delete;
  /// The number of these lists; new lists are written first. -1 if `lists` is null or there is no log.
  [[nodiscard]] std::int64_t number_of(Instant when, const std::shared_ptr<const PreferredLocationLists>& lists);

private:
  struct Known {
    std::weak_ptr<const PreferredLocationLists> lists;
    std::int64_t number = 0;
  };
  ports::EventSink* sink_;
  std::map<const PreferredLocationLists*, Known> known_;
  std::int64_t next_ = 0;
};

}  // namespace heddle::actors
