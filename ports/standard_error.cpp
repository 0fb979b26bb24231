#include "ports/standard_error.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace heddle::ports {

// One call and no allocation: lines of several threads do not mix.
void write_error_line(std::string_view text) noexcept {
  const auto piece = [](std::string_view of) { return iovec{const_cast<char*>(of.data()), of.size()}; };
  const iovec line[] = {piece("heddle: "), piece(text), piece("\n")};
  ssize_t put = 0;
  do put = ::writev(STDERR_FILENO, line, 3);
  while (put < 0 && errno == EINTR);
}

}  // namespace heddle::ports
