#include "work/records/key_comparator.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::work {
namespace {

bool is_digit(signed char c) { return c >= '0' && c <= '9'; }

// Field of a key for the comparison of numbers: signed bytes [at, end).
struct Digits {
  const signed char* at;
  const signed char* end;

  [[nodiscard]] bool is_empty() const { return at >= end; }
  void skip_zeros() {
    while (at < end && *at == '0') ++at;
  }
};

// Returns 1 if a digit other than 0 follows any number of zeros.
int sign_of_decimals(Digits rest) {
  rest.skip_zeros();
  return !rest.is_empty() && is_digit(*rest.at) ? 1 : 0;
}

int compare_both_decimals(Digits left, Digits right) {
  for (; !left.is_empty() && !right.is_empty(); ++left.at, ++right.at) {
    if (*left.at == *right.at) continue;
    if (is_digit(*left.at) && is_digit(*right.at)) return *left.at - *right.at;
    if (is_digit(*left.at)) return 1;
    return is_digit(*right.at) ? -1 : 0;
  }
  if (left.is_empty() && right.is_empty()) return 0;
  return left.is_empty() ? -sign_of_decimals(right) : sign_of_decimals(left);
}

int compare_decimals(Digits left, Digits right) {
  if (left.is_empty()) return -sign_of_decimals({right.at + 1, right.end});
  if (right.is_empty()) return sign_of_decimals({left.at + 1, left.end});
  if (*left.at == '.' && *right.at == '.') return compare_both_decimals(left, right);
  if (*left.at == '.') return sign_of_decimals({left.at + 1, left.end});
  if (*right.at == '.') return -sign_of_decimals({right.at + 1, right.end});
  return 0;
}

// Other characters count as zero.
bool is_zero(Digits number) {
  number.skip_zeros();
  if (number.is_empty()) return true;
  if (is_digit(*number.at)) return false;
  if (*number.at != '.') return true;
  ++number.at;
  number.skip_zeros();
  return number.is_empty() || !is_digit(*number.at);
}

int compare_negative_with_positive(Digits negative, Digits positive) {
  return is_zero(negative) && is_zero(positive) ? 0 : -1;
}

int count_digits(Digits number) {
  int count = 0;
  while (!number.is_empty() && is_digit(*number.at)) ++number.at, ++count;
  return count;
}

// Precondition: both begin inside their keys, so that the first byte can be read.
int compare_numbers(Digits left, Digits right) {
  auto first_left = *left.at;
  auto first_right = *right.at;
  const bool left_negative = first_left == '-';
  const bool right_negative = first_right == '-';
  if (left_negative && !right_negative) return compare_negative_with_positive({left.at + 1, left.end}, right);
  if (right_negative && !left_negative) return -compare_negative_with_positive({right.at + 1, right.end}, left);
  if (left_negative) ++left.at, ++right.at;
  const int sign = left_negative ? -1 : 1;
  left.skip_zeros();
  right.skip_zeros();
  while (!left.is_empty() && !right.is_empty() && is_digit(*left.at) && *left.at == *right.at) ++left.at, ++right.at;
  if (!left.is_empty()) first_left = *left.at;
  if (!right.is_empty()) first_right = *right.at;
  if ((first_left == '.' && (!is_digit(first_right) || right.is_empty())) ||
      (first_right == '.' && (!is_digit(first_left) || left.is_empty())))
    return sign * compare_decimals(left, right);
  const int more_digits = count_digits(left) - count_digits(right);
  return sign * (more_digits != 0 ? more_digits : first_left - first_right);
}

// Lengths are negative if a field ends before it begins.
int compare_ranges(std::string_view left, KeyRange left_range, std::string_view right, KeyRange right_range) {
  const auto left_length = left_range.end - left_range.begin;
  const auto right_length = right_range.end - right_range.begin;
  const auto common = std::min(left_length, right_length);
  if (common > 0) {
    const int order =
        std::memcmp(left.data() + left_range.begin, right.data() + right_range.begin, static_cast<std::size_t>(common));
    if (order != 0) return order;
  }
  return left_length - right_length;
}

Digits digits_of(std::string_view key, KeyRange range) {
  const auto* data = reinterpret_cast<const signed char*>(key.data());
  return {data + range.begin, data + range.end};
}

int compare_field(std::string_view left, KeyRange left_range, std::string_view right, KeyRange right_range,
                  const KeyField& field) {
  const int sign = field.reverse ? -1 : 1;
  if (left_range.begin < 0) return -sign;
  if (right_range.begin < 0) return sign;
  return sign * (field.numeric ? compare_numbers(digits_of(left, left_range), digits_of(right, right_range))
                               : compare_ranges(left, left_range, right, right_range));
}

}  // namespace

Result<KeyComparator> KeyComparator::make(const ShuffleDescription& description) {
  KeyComparator made;
  if (description.comparator == ComparatorKind::bytes) return made;
  auto fields = parse_key_fields(description.comparator_options);
  if (!fields) return fields.error();
  made.is_bytes_ = fields->fields.empty();
  made.cutter_ = KeyCutter{std::move(fields).value(), description.comparator_separator};
  return made;
}

int KeyComparator::compare_fields(std::string_view left, std::string_view right) const {
  thread_local std::vector<std::int32_t> left_lengths;
  thread_local std::vector<std::int32_t> right_lengths;
  cutter_.cut(left, left_lengths);
  cutter_.cut(right, right_lengths);
  for (const auto& field : cutter_.fields()) {
    const int order = compare_field(left, cutter_.range(left, left_lengths, field), right,
                                    cutter_.range(right, right_lengths, field), field);
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace heddle::work
