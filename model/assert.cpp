#include "model/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace heddle {

void assertion_failed(const char* file, int line, const char* condition, std::string_view text) {
  std::fprintf(stderr, "heddle: assertion failed at %s:%d: %s: %.*s\n", file, line, condition,
               static_cast<int>(text.size()), text.data());
  std::abort();
}

}  // namespace heddle
