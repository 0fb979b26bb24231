// The order of keys in a shuffle: bytes as unsigned numbers, or Hadoop's KeyFieldBasedComparator on Text keys.
#pragma once

#include <string_view>

#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "work/records/key_field.hpp"

namespace heddle::work {

class KeyComparator {
public:
  /// Orders by bytes.
  KeyComparator() = default;
  /// Refuses options that are not of the form [-n] [-r] -kF[.C][,F[.C]][nr].
  [[nodiscard]] static Result<KeyComparator> make(const ShuffleDescription& description);

  /// Below 0, 0 or above 0. By key fields this may be no total order, as in the original.
  [[nodiscard]] int compare(std::string_view left, std::string_view right) const {
    return is_bytes_ ? compare_bytes(left, right) : compare_fields(left, right);
  }
  /// True: keys are ordered by their bytes, so that prefixes of keys can be compared instead.
  [[nodiscard]] bool is_bytes() const { return is_bytes_; }

  [[nodiscard]] static int compare_bytes(std::string_view left, std::string_view right) { return left.compare(right); }

private:
  [[nodiscard]] int compare_fields(std::string_view left, std::string_view right) const;

  bool is_bytes_ = true;
  KeyCutter cutter_;
};

}  // namespace heddle::work
