#include "model/large_table.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace heddle {

void* allocate_on_huge_pages(std::size_t bytes) {
  const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
  void* const memory = ::operator new (whole, std::align_val_t{huge_page});
#if defined(MADV_HUGEPAGE)
  static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));  // if refused, the pages stay small
#endif
  return memory;
}

void free_huge_pages(void* memory) noexcept { ::operator delete (memory, std::align_val_t{huge_page}); }

}  // namespace heddle
