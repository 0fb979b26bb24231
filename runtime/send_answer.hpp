// Sends the result of background work to the role that asked for it.
#pragma once

#include <fmt/format.h>

#include <caf/send.hpp>
#include <exception>
#include <string_view>
#include <utility>

namespace heddle::runtime {

/// Sends what `work` returns. An exception of it, such as bad_alloc, becomes the text of `failed`: "DOING failed: …".
template <class Role, class Answer, class Work>
void send_answer(const Role& role, std::string_view doing, Answer failed, Work work) {
  try {
    caf::anon_send(role, work());
  } catch (const std::exception& why) {
    failed.text = fmt::format("{} failed: {}", doing, why.what());
    caf::anon_send(role, std::move(failed));
  }
}

}  // namespace heddle::runtime
