// How the thread of an RpcClient answers an actor.
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/send.hpp>
#include <functional>
#include <utility>

namespace heddle::interop {

/// To a link itself: runs as one of its handlers. It never leaves the process.
struct LinkWork {
  std::function<void()> run;
};

/// A callback for an RpcClient: runs handler(answer) as a handler of the link `self`, or not at all if that has ended.
template <class Answer, class Handle, class Handler>
[[nodiscard]] std::function<void(Answer)> answer_to(const Handle& self, Handler handler) {
  return [weak = caf::actor_cast<caf::weak_actor_ptr>(self), handler = std::move(handler)](Answer answer) {
    if (const auto alive = weak.lock())
      caf::anon_send(caf::actor_cast<Handle>(alive),
                     LinkWork{[handler, answer = std::move(answer)] { handler(answer); }});
  };
}

}  // namespace heddle::interop

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(heddle::interop::LinkWork)
