// The guard of CAF's frames: every stream is decided, nothing that was not given is passed, and a decision does not
// depend on how the stream is cut.
#include <algorithm>

#include "runtime/net/frame_guard.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using heddle::runtime::FrameGuard;

struct Outcome {
  std::string passed;
  bool is_refused = false;
  bool operator==(const Outcome&) const = default;
};

Outcome read(std::string_view stream, bool is_server, std::size_t piece) {
  heddle::runtime::ActorNumbers published;
  heddle::runtime::ActorNumbers shown;
  published.insert(7);
  FrameGuard guard{
      {is_server, heddle::runtime::node_bytes(1, 2), heddle::runtime::node_bytes(3, 4), 4096}, published, shown};
  guard.follow_outgoing(stream);
  Outcome outcome;
  std::string undecided;
  while (!stream.empty()) {
    undecided += stream.substr(0, piece);
    stream.remove_prefix(std::min(piece, stream.size()));
    while (!undecided.empty()) {
      const auto decision = guard.decide(undecided);
      if (decision.action == FrameGuard::Action::wait) {
        HEDDLE_ASSERT(decision.bytes > undecided.size() && decision.bytes <= (128U << 10), "waits for what is here");
        break;
      }
      if (decision.action == FrameGuard::Action::refuse) {
        outcome.is_refused = true;
        return outcome;
      }
      HEDDLE_ASSERT(decision.bytes > 0 && decision.bytes <= undecided.size(), "decides about bytes that are not here");
      if (decision.action == FrameGuard::Action::pass) outcome.passed += undecided.substr(0, decision.bytes);
      undecided.erase(0, decision.bytes);
    }
  }
  return outcome;
}

}  // namespace

HEDDLE_FUZZ_TARGET(frame_guard) {
  if (input.empty()) return;
  const bool is_server = (input.front() & 1) != 0;
  const std::size_t piece = 1 + static_cast<unsigned char>(input.front()) / 2U;
  input.remove_prefix(1);
  HEDDLE_ASSERT(read(input, is_server, piece) == read(input, is_server, input.size() + 1), "the pieces matter");
}
