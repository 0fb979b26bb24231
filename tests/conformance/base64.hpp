// Bytes in recorded cases.
#pragma once

#include <boost/beast/core/detail/base64.hpp>
#include <string>
#include <string_view>

namespace heddle::conformance {

inline std::string from_base64(std::string_view text) {
  namespace base64 = boost::beast::detail::base64;
  std::string bytes(base64::decoded_size(text.size()), '\0');
  bytes.resize(base64::decode(bytes.data(), text.data(), text.size()).first);
  return bytes;
}

inline std::string to_base64(std::string_view bytes) {
  namespace base64 = boost::beast::detail::base64;
  std::string text(base64::encoded_size(bytes.size()), '\0');
  text.resize(base64::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

}  // namespace heddle::conformance
