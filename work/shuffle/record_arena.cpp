#include "work/shuffle/record_arena.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/assert.hpp"
#include "work/shuffle/run_merge.hpp"

namespace heddle::work {

RecordArena::~RecordArena() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

Result<Done> RecordArena::make_room(std::size_t cost) {
  HEDDLE_ASSERT(used_ == 0, "records would move");
  if (base_ != nullptr) ::munmap(base_, size_);
  base_ = nullptr;
  size_ = 0;
  const std::size_t wanted = std::max({bytes_, cost, std::size_t{4096}});
  void* address = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return Error{Errc::io,
                 fmt::format("cannot allocate a sort buffer of {} bytes: {}; lower heddle.shuffle.sort_memory, "
                             "use fewer task slots, or raise the memory limit (ulimit -v)",
                             wanted, std::strerror(errno))};
  ::madvise(address, wanted, MADV_HUGEPAGE);
  base_ = static_cast<char*>(address);
  size_ = wanted;
  return Done{};
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
