// Deciders of the Driver for benchmarks: with and without the recording of their inputs.
#pragma once

#include <utility>

#include "actors/driver/deciders.hpp"
#include "tests/benchmarks/recording.hpp"

namespace heddle::benchmarks {

/// The decider with an event log, as the Driver has it.
template <class Decider>
struct RecordedDecider {
  template <class Settings>
  explicit RecordedDecider(const Settings& settings)
      : places{log.sink()}, decider{settings, log.sink(), Instant{}, &places} {}
  template <class... Inputs>
  auto apply(Inputs&&... inputs) {
    return decider.apply(std::forward<Inputs>(inputs)...);
  }
  template <class Question>
  [[nodiscard]] auto progress(const Question& asked) const {
    return decider->progress(asked);
  }
  void wait_for_room() const { log.wait_for_room(); }
  [[nodiscard]] double bytes() {
    decider.flush_records();
    return log.bytes();
  }
  Recording log;
  actors::PlaceRecords places;
  runtime::Recorded<Decider, actors::PlaceRecords> decider;
};

/// The decider alone, with the same interface.
template <class Decider>
struct PlainDecider : Decider {
  template <class Settings>
  explicit PlainDecider(const Settings& settings) : Decider{settings} {}
  void wait_for_room() const {}
  [[nodiscard]] double bytes() const { return 0; }
};

}  // namespace heddle::benchmarks
