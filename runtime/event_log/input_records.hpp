// Writes the inputs of one decider into the event log, in order, so that a replay can apply them to a fresh decider. A
// run of similar inputs (equal keys, consecutive numbers, and the same instant if it matters) is one line, with the
// instant of the first. Each line has a digest of the effects, by which a replay finds the first difference. Records
// and keys: docs/event-log.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/time.hpp"
#include "ports/event_sink.hpp"
#include "runtime/event_log/effect_digest.hpp"

namespace heddle::runtime {

/// Name of a run record and of its keys. `is_timeless`: inputs of different instants can be one run.
struct RunKind {
  static constexpr std::size_t keys_max = 6;
  std::string_view name;
  std::array<std::string_view, keys_max> keys = {};
  bool is_timeless = false;
};

class InputRecords {
public:
  /// The sink must outlive this object. Without a sink nothing is recorded.
  explicit InputRecords(ports::EventSink* sink) : sink_{sink} {}
  InputRecords(const InputRecords&) = delete;
  InputRecords& operator=(const InputRecords&) = delete;
  ~InputRecords() { flush(); }

  [[nodiscard]] bool is_kept() const { return sink_ != nullptr; }
  /// Writes one record with the digest of its effects.
  void write(Instant when, std::string_view name, ports::EventFields fields, const EffectDigest& effects = {});
  /// Adds one input to the open run if kind and keys are equal, `number` is the next one and the instant is equal or
  /// the kind is timeless; otherwise starts a new run. Returns the digest to which the caller adds the effects.
  [[nodiscard]] EffectDigest& add_to_run(Instant when, const RunKind& kind,
                                         const std::array<std::int64_t, RunKind::keys_max>& keys, std::int64_t number);
  /// Writes the open run, if there is one.
  void flush();

private:
  ports::EventSink* sink_;
  const RunKind* kind_ = nullptr;  // null: no run is open
  Instant when_{};
  std::array<std::int64_t, RunKind::keys_max> keys_{};
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  EffectDigest effects_;
};

}  // namespace heddle::runtime
