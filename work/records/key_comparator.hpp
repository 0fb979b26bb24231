// Order of keys in a shuffle: by unsigned bytes, or as Hadoop's KeyFieldBasedComparator for Text keys.
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
  /// Errc::usage if an option is not of the form [-n] [-r] -kF[.C][,F[.C]][nr].
  [[nodiscard]] static Result<KeyComparator> make(const ShuffleDescription& description);

  /// Returns a number below 0, 0, or above 0. As in Hadoop, the order by key fields may not be total.
  [[nodiscard]] int compare(std::string_view left, std::string_view right) const {
    return is_bytes_ ? compare_bytes(left, right) : compare_fields(left, right);
  }
  /// Returns true if keys are ordered by bytes, so that a merge can compare prefixes.
  [[nodiscard]] bool is_bytes() const { return is_bytes_; }

  [[nodiscard]] static int compare_bytes(std::string_view left, std::string_view right) { return left.compare(right); }

private:
  [[nodiscard]] int compare_fields(std::string_view left, std::string_view right) const;

  bool is_bytes_ = true;
  KeyCutter cutter_;
};

}  // namespace heddle::work
