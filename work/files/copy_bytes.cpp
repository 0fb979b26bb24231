#include "work/files/copy_bytes.hpp"

#include <cstddef>
#include <string>

namespace heddle::work {

Result<Done> copy_bytes(ports::ByteSource& from, ports::ByteSink& to) {
  constexpr std::size_t step = 1 << 20;
  std::string buffer(step, '\0');
  while (true) {
    const auto count = from.read(buffer.data(), buffer.size());
    if (!count) return count.error();
    if (*count == 0) return to.close();
    if (auto written = to.write({buffer.data(), *count}); !written) return written;
  }
}

}  // namespace heddle::work
