#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "interop/hdfs/hdfs_file_system.hpp"

namespace heddle::interop::hdfs {
namespace {

Error wrong(const char* key, const std::string& value, const char* expected) {
  return {Errc::usage, std::string{key} + " is '" + value + "'; expected: " + expected};
}

/// "134217728", "128m", "1g".
std::optional<std::uint64_t> read_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  if (failed != std::errc{} || unit.size() > 1) return std::nullopt;
  constexpr std::string_view units = "kmgt";
  if (unit.empty()) return number;
  const auto at = units.find(static_cast<char>(unit.front() | 0x20));
  const unsigned shift = 10U * static_cast<unsigned>(at + 1);
  if (at == std::string_view::npos || number > (std::uint64_t{1} << 62U) >> shift) return std::nullopt;
  return number << shift;
}

/// Permissions that one clause of a symbolic mask allows: "g=rx".
bool apply_clause(std::string_view clause, std::uint32_t& allowed) {
  const auto at = clause.find('=');
  if (at == std::string_view::npos) return false;
  std::uint32_t bits = 0;
  for (const char letter : clause.substr(at + 1)) {
    if (letter != 'r' && letter != 'w' && letter != 'x') return false;
    bits |= letter == 'r' ? 4U : letter == 'w' ? 2U : 1U;
  }
  for (const char who : at == 0 ? std::string_view{"a"} : clause.substr(0, at)) {
    const std::string_view classes = "ogu";
    if (who != 'a' && classes.find(who) == std::string_view::npos) return false;
    for (std::uint32_t index = 0; index < 3; ++index)
      if (who == 'a' || classes[index] == who) allowed = (allowed & ~(7U << (3 * index))) | bits << (3 * index);
  }
  return true;
}

/// fs.permissions.umask-mode: "022", or what it leaves: "u=rwx,g=rx,o=rx".
std::optional<std::uint32_t> read_umask(std::string_view text) {
  std::uint32_t mask = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), mask, 8);
  if (failed == std::errc{} && end == text.data() + text.size())
    return mask <= 07777 ? std::optional{mask} : std::nullopt;
  std::uint32_t allowed = 0777;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (!apply_clause(text.substr(0, comma), allowed)) return std::nullopt;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return 0777U & ~allowed;
}

Result<Done> check_protection(const HadoopSite& site, const std::string& name) {
  const auto protection = site.text("dfs.data.transfer.protection", "");
  const bool is_encrypted = site.truth("dfs.encrypt.data.transfer", false);
  if (protection.empty() && !is_encrypted) return Done{};
  return Error{Errc::refused,
               name + " protects its block transfer (" +
                   (is_encrypted ? "dfs.encrypt.data.transfer" : "dfs.data.transfer.protection=" + protection) +
                   " in " + site.folder() + "), which heddle does not support"};
}

Result<ChecksumKind> read_checksum(const HadoopSite& site) {
  const auto type = site.text("dfs.checksum.type", "CRC32C");
  const auto bytes = site.number("dfs.bytes-per-checksum", 512);
  if (!bytes) return bytes.error();
  if (*bytes < 1 || *bytes > chunk_bytes_max)
    return wrong("dfs.bytes-per-checksum", std::to_string(*bytes), "1 to 1048576");
  if (type != "CRC32C" && type != "CRC32") return wrong("dfs.checksum.type", type, "CRC32C or CRC32");
  return ChecksumKind{type == "CRC32" ? ChecksumType::crc32 : ChecksumType::crc32c, static_cast<std::uint32_t>(*bytes)};
}

Result<Done> read_new_files(const HadoopSite& site, HdfsSettings& settings) {
  if (site.find("dfs.replication")) {
    const auto replication = site.number("dfs.replication", 3);
    if (!replication) return replication.error();
    if (*replication < 1 || *replication > 512)
      return wrong("dfs.replication", std::to_string(*replication), "1 to 512");
    settings.replication = static_cast<std::uint32_t>(*replication);
  }
  if (const auto text = site.find("dfs.blocksize")) {
    settings.block_bytes = read_bytes(*text);
    if (!settings.block_bytes || *settings.block_bytes == 0)
      return wrong("dfs.blocksize", *text, "a number of bytes, such as 134217728 or 128m");
  }
  if (site.find("dfs.checksum.type") || site.find("dfs.bytes-per-checksum")) {
    const auto checksum = read_checksum(site);
    if (!checksum) return checksum.error();
    settings.checksum = *checksum;
  }
  const auto mask = site.text("fs.permissions.umask-mode", "022");
  const auto umask = read_umask(mask);
  if (!umask)
    return wrong("fs.permissions.umask-mode", mask, "an octal number such as 022, or text such as u=rwx,g=rx,o=");
  settings.umask = *umask;
  return Done{};
}

}  // namespace

Result<HdfsSettings> read_hdfs_settings(const HadoopSite& site, const std::string& authority) {
  HdfsSettings settings;
  settings.name = "hdfs://" + authority;
  if (auto safe = check_security(site); !safe) return safe.error();
  if (auto open = check_protection(site, settings.name); !open) return open.error();
  auto addresses = name_node_addresses(site, authority);
  if (!addresses) return addresses.error();
  settings.addresses = std::move(addresses).value();
  settings.user = hadoop_user();
  if (auto read = read_new_files(site, settings); !read) return read.error();
  settings.uses_host_names = site.truth("dfs.client.use.datanode.hostname", false);
  const auto silence = site.number("dfs.client.socket-timeout", settings.transfer.silence_ms);
  if (!silence) return silence.error();
  if (*silence > 0) settings.transfer.silence_ms = *silence;
  return settings;
}

}  // namespace heddle::interop::hdfs
