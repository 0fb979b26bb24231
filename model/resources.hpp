// Resources of a container, an ask or a node: memory, cores and any other resource types, in whole numbers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

/// Amount of one resource type, by its YARN name: {"yarn.io/gpu", 2}.
struct ResourceAmount {
  std::string name;
  std::int64_t amount = 0;
  bool operator==(const ResourceAmount&) const = default;
};

/// Amounts of resource types besides memory and cores, sorted by name. A missing type has the amount 0, and an amount
/// of 0 is not kept. A difference may have negative amounts.
/// Most containers have none: then this is a null pointer, and copies and comparisons cost one comparison.
class ResourceAmounts {
public:
  using Rows = std::vector<ResourceAmount>;

  constexpr ResourceAmounts() = default;
  ResourceAmounts(std::initializer_list<ResourceAmount> amounts);
  /// In any order; the last amount of a type counts.
  explicit ResourceAmounts(const Rows& amounts);
  constexpr ResourceAmounts(const ResourceAmounts& other)
      : rows_{other.rows_ == nullptr ? nullptr : new_copy(*other.rows_)} {}
  constexpr ResourceAmounts(ResourceAmounts&& other) noexcept : rows_{std::exchange(other.rows_, nullptr)} {}
  constexpr ResourceAmounts& operator=(const ResourceAmounts& other) {
    if (rows_ != other.rows_) assign(other);
    return *this;
  }
  constexpr ResourceAmounts& operator=(ResourceAmounts&& other) noexcept {
    std::swap(rows_, other.rows_);
    return *this;
  }
  constexpr ~ResourceAmounts() {
    if (rows_ != nullptr) remove(rows_);
  }

  [[nodiscard]] constexpr bool empty() const { return rows_ == nullptr; }
  [[nodiscard]] const Rows& rows() const { return rows_ == nullptr ? no_rows() : *rows_; }
  [[nodiscard]] auto begin() const { return rows().begin(); }
  [[nodiscard]] auto end() const { return rows().end(); }
  [[nodiscard]] std::int64_t of(std::string_view name) const;
  void set(std::string_view name, std::int64_t amount);
  constexpr ResourceAmounts& operator+=(const ResourceAmounts& other) {
    if (other.rows_ != nullptr) add_rows(other, 1);
    return *this;
  }
  constexpr ResourceAmounts& operator-=(const ResourceAmounts& other) {
    if (other.rows_ != nullptr) add_rows(other, -1);
    return *this;
  }
  /// The first type whose amount exceeds that of `most`; null if none does.
  [[nodiscard]] const ResourceAmount* first_beyond(const ResourceAmounts& most) const;

  constexpr bool operator==(const ResourceAmounts& other) const {
    return rows_ == other.rows_ || (rows_ != nullptr && other.rows_ != nullptr && has_equal_rows(other));
  }

private:
  static const Rows& no_rows();
  static Rows* new_copy(const Rows& rows);
  static void remove(Rows* rows);
  void assign(const ResourceAmounts& other);
  void add_rows(const ResourceAmounts& other, std::int64_t times);
  [[nodiscard]] bool has_equal_rows(const ResourceAmounts& other) const;

  Rows* rows_ = nullptr;  // owned; null if there are none
};

/// Memory in MiB, virtual cores and other resource types, as YARN counts them.
struct Resource {
  std::int64_t memory_mib = 0;
  std::int64_t cores = 0;
  ResourceAmounts others = {};

  bool operator==(const Resource&) const = default;
  constexpr Resource& operator+=(const Resource& other) {
    memory_mib += other.memory_mib;
    cores += other.cores;
    others += other.others;
    return *this;
  }
  constexpr Resource& operator-=(const Resource& other) {
    memory_mib -= other.memory_mib;
    cores -= other.cores;
    others -= other.others;
    return *this;
  }
};

/// The larger amount of each resource type.
[[nodiscard]] Resource larger_of_each_type(const Resource& a, const Resource& b);

[[nodiscard]] constexpr Resource operator+(Resource a, const Resource& b) { return a += b; }
[[nodiscard]] constexpr Resource operator-(Resource a, const Resource& b) { return a -= b; }
/// True if every resource type of `what` is at most that of `room`.
[[nodiscard]] constexpr bool fits_in(const Resource& what, const Resource& room) {
  return what.memory_mib <= room.memory_mib && what.cores <= room.cores &&
         (what.others.empty() || what.others.first_beyond(room.others) == nullptr);
}

}  // namespace heddle
