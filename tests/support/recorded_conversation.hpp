// Conversations that tests/real/relay recorded.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tests {

/// What one side sent until the other one sent something.
struct Piece {
  bool is_client = false;
  std::string bytes;
};

inline std::string from_hexadecimal(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string{text.substr(i, 2)}, nullptr, 16));
  return bytes;
}

inline std::vector<Piece> read_conversation(const std::filesystem::path& folder, const std::string& name) {
  std::ifstream file{folder / (name + ".conversation")};
  std::vector<Piece> pieces;
  std::string side;
  std::string hex;
  while (file >> side >> hex) pieces.push_back({side == "C", from_hexadecimal(hex)});
  BOOST_REQUIRE_MESSAGE(!pieces.empty(), name + " is missing");
  return pieces;
}

/// All bytes of the client.
inline std::string client_bytes(const std::vector<Piece>& pieces) {
  std::string bytes;
  for (const auto& piece : pieces)
    if (piece.is_client) bytes += piece.bytes;
  return bytes;
}

}  // namespace heddle::tests
