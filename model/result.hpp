// What an operation that can be refused returns: a value, or an error with a sentence for a person.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "model/assert.hpp"

namespace heddle {

/// Why an expected failure happened. The number is stable; the process exit code follows from it (product page 3).
enum class Errc : std::uint8_t {
  usage = 1,        // words of the command line, or the content of a file that a user wrote
  not_found = 2,    // a file, a command or an id that does not exist
  refused = 3,      // quota, rights, output exists, impossible resources
  unreachable = 4,  // nobody answers at an address
  timed_out = 5,    // somebody answered too late
  cancelled = 6,    // the user ended it
  failed = 7,       // the job ended with failures
  io = 8,           // read or write failed: full disk, no descriptors, broken file
  corrupt = 9,      // a checksum or a format is wrong
  internal = 10,    // a promise of heddle's own is broken
};

[[nodiscard]] const char* to_string(Errc code);

/// An expected failure: its kind, and one sentence that says what was wrong and what was expected.
struct Error {
  Errc code = Errc::internal;
  std::string text;
  bool operator==(const Error&) const = default;
};

/// A value or an Error. Asking for the wrong one is a defect of the caller and asserts.
template <class T>
class [[nodiscard]] Result {
public:
  Result(T content) : state_{std::in_place_index<0>, std::move(content)} {}  // NOLINT: implicit on purpose
  Result(Error error) : state_{std::in_place_index<1>, std::move(error)} {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] T& value() & {
    HEDDLE_ASSERT(has_value(), error_text());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    HEDDLE_ASSERT(has_value(), error_text());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    HEDDLE_ASSERT(has_value(), error_text());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] const Error& error() const {
    HEDDLE_ASSERT(!has_value(), "error() of a value");
    return *std::get_if<1>(&state_);
  }

private:
  [[nodiscard]] std::string error_text() const { return has_value() ? std::string{} : std::get_if<1>(&state_)->text; }
  std::variant<T, Error> state_;
};

/// Result<Done> is success or an Error.
struct Done {
  bool operator==(const Done&) const = default;
};

}  // namespace heddle
