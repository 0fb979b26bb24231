#include "work/shuffle/record_arena.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "model/assert.hpp"
#include "work/shuffle/run_merge.hpp"

namespace heddle::work {

RecordArena::RecordArena(std::size_t bytes) { enlarge(bytes); }

RecordArena::~RecordArena() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

void RecordArena::enlarge(std::size_t bytes) {
  HEDDLE_ASSERT(used_ == 0, "records would move");
  if (base_ != nullptr) ::munmap(base_, size_);
  size_ = std::max<std::size_t>(bytes, 4096);
  void* address = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  HEDDLE_ASSERT(address != MAP_FAILED, "no address space for a sort buffer");
  ::madvise(address, size_, MADV_HUGEPAGE);
  base_ = static_cast<char*>(address);
}

void RecordArena::add(std::uint32_t partition, std::string_view key, std::string_view value) {
  entries_.push_back({key_prefix(key.data(), key.size()), std::uint64_t{partition} << 40 | used_});
  auto* to = put_length(base_ + used_, static_cast<std::uint32_t>(key.size()));
  to = put_length(to, static_cast<std::uint32_t>(value.size()));
  if (!key.empty()) std::memcpy(to, key.data(), key.size());
  if (!value.empty()) std::memcpy(to + key.size(), value.data(), value.size());
  used_ = static_cast<std::size_t>(to - base_) + key.size() + value.size();
}

void RecordArena::clear() {
  used_ = 0;
  entries_.clear();
}

}  // namespace heddle::work
