#include "apps/cli/exit_code.hpp"

namespace heddle::apps {

int exit_code_of(Errc code) {
  switch (code) {
    case Errc::usage: return 2;
    case Errc::not_found: return 3;
    case Errc::refused:
    case Errc::exists: return 4;
    case Errc::unreachable: return 5;
    case Errc::timed_out: return 6;
    case Errc::cancelled: return 7;
    case Errc::failed:
    case Errc::io:
    case Errc::no_space:
    case Errc::interrupted:
    case Errc::corrupt: return 1;
    case Errc::internal: return 70;
  }
  return 70;
}

int streaming_exit_code_of(Errc code) {
  switch (code) {
    case Errc::not_found:
    case Errc::refused:
    case Errc::exists:
    case Errc::unreachable:
    case Errc::timed_out: return 5;
    case Errc::cancelled: return 7;
    case Errc::internal: return 70;
    default: return 1;
  }
}

}  // namespace heddle::apps
