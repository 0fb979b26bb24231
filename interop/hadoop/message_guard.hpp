// Parses messages of peers and bounds their memory. An empty repeated message takes 2 bytes and becomes an object of 50
// to 250 bytes, so a hostile response could need hundreds of times its size.
#pragma once

#include <string_view>

namespace heddle::interop {

/// False if so many fields have less than 4 bytes that the parsed message could exceed 64 times its size. No response
/// of Hadoop comes near. Nested messages count too.
[[nodiscard]] bool is_worth_parsing(std::string_view message);

/// Parses bytes of a peer. Unlike ParseFromArray it writes nothing to standard error if a required field is missing.
template <class Message>
[[nodiscard]] bool parse_message(std::string_view bytes, Message& message) {
  return is_worth_parsing(bytes) && message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
         message.IsInitialized();
}

}  // namespace heddle::interop
