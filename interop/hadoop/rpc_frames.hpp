// Frames of Hadoop RPC: a length in 4 bytes, then delimited messages (length as a varint, then the message).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::interop {

/// Limit of both directions: ipc.maximum.data.length and ipc.maximum.response.length.
inline constexpr std::size_t frame_length_max = 128u << 20;
/// Before the end of the authentication; Hadoop's frames of this phase have some hundred bytes.
inline constexpr std::size_t first_frame_length_max = 64u << 10;

void append_delimited(std::string& to, std::string_view message);
/// Appends a frame with these messages.
void append_frame(std::string& to, std::initializer_list<std::string_view> messages);
/// Removes the first message from `bytes`. Empty: no complete message; `bytes` is unchanged.
[[nodiscard]] std::optional<std::string_view> take_delimited(std::string_view& bytes);

/// Cuts received bytes into frames. Its memory follows the received bytes, not the announced length.
class FrameReader {
public:
  explicit FrameReader(std::size_t length_max) : length_max_{length_max} {}

  void add(std::string_view bytes);
  void set_length_max(std::size_t length_max) { length_max_ = length_max; }
  /// The next frame, valid until add(). Empty: incomplete, or see wrong_length().
  [[nodiscard]] std::optional<std::string_view> next();
  /// Length of the present frame if it is negative or above the limit.
  [[nodiscard]] std::optional<std::int32_t> wrong_length() const;
  /// Bytes that are not part of a returned frame.
  [[nodiscard]] std::string_view rest() const { return std::string_view{buffer_}.substr(begin_); }

private:
  [[nodiscard]] std::optional<std::int32_t> length() const;

  std::size_t length_max_;
  std::string buffer_;
  std::size_t begin_ = 0;
};

}  // namespace heddle::interop
