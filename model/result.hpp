// Result of an operation that can fail: a value, or an error with a sentence for the user.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "model/assert.hpp"

namespace heddle {

/// Kind of an expected failure. Numbers are stable. apps/cli/exit_code.hpp maps them to exit codes.
enum class Errc : std::uint8_t {
  usage = 1,         // wrong command line, or wrong content of a file that the user wrote
  not_found = 2,     // a file, a command or an id does not exist
  refused = 3,       // quota, permission, output exists, impossible resources
  unreachable = 4,   // no process answers at the address, or it refuses all work for now; a later try may succeed
  timed_out = 5,     // the answer did not arrive in time
  cancelled = 6,     // the user cancelled it
  failed = 7,        // the job failed
  io = 8,            // read or write failed: full disk, no descriptors, broken file
  corrupt = 9,       // a checksum or a format is wrong
  internal = 10,     // a defect of heddle
  exists = 11,       // a file to create exists
  no_space = 12,     // full disk, or a quota of bytes is used up
  interrupted = 13,  // the servers of a half-written file are gone; the task attempt ends and does not count as failed
};

[[nodiscard]] const char* to_string(Errc code);

/// An expected failure: its kind, and one sentence with the cause and what was expected.
struct Error {
  Errc code = Errc::internal;
  std::string text;
  bool operator==(const Error&) const = default;
};

/// A value or an Error. value() of an error and error() of a value assert.
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

/// Value of Result<Done>, which is success or an Error.
struct Done {
  bool operator==(const Done&) const = default;
};

}  // namespace heddle
