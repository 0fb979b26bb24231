// Memory for tables larger than the caches of the processor. Allocations of 512 KiB or more use huge pages if the
// system has them: a random access then costs one cache miss without a page table walk. Smaller ones are plain memory.
// `LargeTable<T>` is a std::vector. `fetch_ahead` prefetches a record that is read soon.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace heddle {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;
/// Smallest allocation on huge pages: a table of this size is read in random order too, and rounding it up costs 1.5
/// MiB at most.
inline constexpr std::size_t huge_pages_from = huge_page / 4;

/// Memory for `bytes` bytes, rounded up to whole huge pages (2 MiB). Plain memory on systems other than Linux.
[[nodiscard]] void* allocate_on_huge_pages(std::size_t bytes);
void free_huge_pages(void* memory) noexcept;

template <class T>
struct LargeTableAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{alignof(T) > 64 ? alignof(T) : 64};

  LargeTableAllocator() = default;
  template <class Other>
  LargeTableAllocator(const LargeTableAllocator<Other>&) {}  // NOLINT: containers convert it

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes >= huge_pages_from ? allocate_on_huge_pages(bytes) : ::operator new(bytes, alignment));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) >= huge_pages_from) free_huge_pages(memory);
    else ::operator delete(memory, alignment);
  }
  bool operator==(const LargeTableAllocator&) const = default;
};

template <class T>
using LargeTable = std::vector<T, LargeTableAllocator<T>>;

/// Prefetches `count` records. Only a hint: any address is allowed.
template <class T>
void fetch_ahead(const T* record, std::size_t count = 1) {
  const auto* first = reinterpret_cast<const char*>(record);
  for (std::size_t at = 0; at < sizeof(T) * count; at += 64) __builtin_prefetch(first + at);
}

}  // namespace heddle
