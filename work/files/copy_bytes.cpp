#include "work/files/copy_bytes.hpp"

#include <cstddef>
#include <string>

namespace heddle::work {

Result<std::int64_t> append_bytes(ports::ByteSource& from, ports::ByteSink& to) {
  constexpr std::size_t step = 1 << 20;
  std::string buffer(step, '\0');
  std::int64_t bytes = 0;
  while (true) {
    const auto count = from.read(buffer.data(), buffer.size());
    if (!count) return count.error();
    if (*count == 0) return bytes;
    if (auto written = to.write({buffer.data(), *count}); !written) return written.error();
    bytes += static_cast<std::int64_t>(*count);
  }
}

Result<Done> copy_bytes(ports::ByteSource& from, ports::ByteSink& to) {
  if (const auto bytes = append_bytes(from, to); !bytes) return bytes.error();
  return to.close();
}

}  // namespace heddle::work
