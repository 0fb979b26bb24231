#include "model/result.hpp"

namespace heddle {

const char* to_string(Errc code) {
  switch (code) {
    case Errc::usage: return "usage";
    case Errc::not_found: return "not_found";
    case Errc::refused: return "refused";
    case Errc::unreachable: return "unreachable";
    case Errc::timed_out: return "timed_out";
    case Errc::cancelled: return "cancelled";
    case Errc::failed: return "failed";
    case Errc::io: return "io";
    case Errc::corrupt: return "corrupt";
    case Errc::internal: return "internal";
    case Errc::exists: return "exists";
    case Errc::no_space: return "no_space";
    case Errc::interrupted: return "interrupted";
  }
  return "internal";
}

}  // namespace heddle
