// A list of slots that stores the first twelve inline: finding the containers of a node costs no further cache miss.
// Fills one cache line. Order: as in a vector.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace heddle::policies {

class SlotList {
public:
  SlotList() = default;
  SlotList(const SlotList& other) { *this = other; }
  SlotList(SlotList&& other) noexcept { *this = std::move(other); }
  ~SlotList() = default;
  SlotList& operator=(const SlotList& other) {
    if (this == &other) return *this;
    size_ = 0;
    if (other.size_ > capacity_) grow(other.size_);
    std::copy(other.begin(), other.end(), data());
    size_ = other.size_;
    return *this;
  }
  SlotList& operator=(SlotList&& other) noexcept {
    if (this == &other) return *this;
    near_ = other.near_;
    far_ = std::move(other.far_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, near_max);
    return *this;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(size_); }
  [[nodiscard]] std::int32_t* begin() { return data(); }
  [[nodiscard]] std::int32_t* end() { return data() + size_; }
  [[nodiscard]] const std::int32_t* begin() const { return data(); }
  [[nodiscard]] const std::int32_t* end() const { return data() + size_; }
  [[nodiscard]] std::int32_t back() const { return data()[size_ - 1]; }
  void push_back(std::int32_t slot) {
    if (size_ == capacity_) grow(2 * capacity_);
    data()[size_++] = slot;
  }
  void pop_back() { --size_; }

private:
  static constexpr std::int32_t near_max = 12;

  [[nodiscard]] std::int32_t* data() { return far_ ? far_.get() : near_.data(); }
  [[nodiscard]] const std::int32_t* data() const { return far_ ? far_.get() : near_.data(); }
  void grow(std::int32_t capacity) {
    auto larger = std::make_unique<std::int32_t[]>(static_cast<std::size_t>(capacity));
    std::copy(begin(), end(), larger.get());
    far_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<std::int32_t[]> far_;  // all slots, if there were ever more than twelve
  std::int32_t size_ = 0;
  std::int32_t capacity_ = near_max;
  std::array<std::int32_t, near_max> near_{};
};

}  // namespace heddle::policies
