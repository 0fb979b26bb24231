#include "apps/bench/text_digest.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

namespace heddle::apps {
namespace {

constexpr std::size_t piece_bytes = 4 << 20;

class Digester {
public:
  void add_line(std::string_view line) {
    while (!line.empty() && line.back() == '\t') line.remove_suffix(1);
    digest_.lines += 1;
    digest_.sum += std::hash<std::string_view>{}(line);
    if (digest_.is_sorted) digest_.is_sorted = std::string_view{last_} <= line;
    last_.assign(line);
  }
  [[nodiscard]] const TextDigest& digest() const { return digest_; }

private:
  TextDigest digest_;
  std::string last_;
};

}  // namespace

Result<TextDigest> digest_files(const std::vector<std::string>& paths) {
  Digester digester;
  std::string piece(piece_bytes, '\0');
  for (const auto& path : paths) {
    std::ifstream file{path, std::ios::binary};
    if (!file) return Error{Errc::io, "cannot read " + path};
    std::string rest;
    while (file) {
      file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      std::string_view text{piece.data(), static_cast<std::size_t>(file.gcount())};
      for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        if (rest.empty()) digester.add_line(text.substr(0, end));
        else digester.add_line(rest.append(text.substr(0, end)));
        rest.clear();
        text.remove_prefix(end + 1);
      }
      rest.append(text);
    }
    if (!rest.empty()) digester.add_line(rest);
  }
  return digester.digest();
}

Result<TextDigest> digest_output(const std::string& folder) {
  std::vector<std::string> parts;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator{folder, failed})
    if (entry.path().filename().string().starts_with("part-")) parts.push_back(entry.path().string());
  if (failed) return Error{Errc::io, "cannot list " + folder + ": " + failed.message()};
  std::sort(parts.begin(), parts.end());
  return digest_files(parts);
}

}  // namespace heddle::apps
