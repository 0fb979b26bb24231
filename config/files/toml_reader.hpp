// Reads one TOML file into typed values and keeps its first error, with line and column. Only readers of heddle's own
// files include this header.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "config/text/value_text.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// After an error each getter returns its default, so a reader checks `error()` once, at its end.
class TomlReader {
public:
  /// Parses `content`; each error text starts with `name`.
  TomlReader(std::string name, std::string_view content);

  [[nodiscard]] const toml::table& root() const { return root_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  void fail(const toml::node& where, std::string_view sentence);
  /// "job.toml:3:1"
  [[nodiscard]] std::string place(const toml::node& where) const;

  /// Fails at the first key that is not in `known`; the error suggests the closest known key.
  void check_keys(const toml::table& table, std::span<const std::string_view> known);

  [[nodiscard]] std::string text(const toml::table& table, std::string_view key, std::string_view standard = {});
  [[nodiscard]] std::int64_t integer(const toml::table& table, std::string_view key, std::int64_t standard,
                                     std::int64_t lower, std::int64_t upper);
  [[nodiscard]] double real(const toml::table& table, std::string_view key, double standard, double lower,
                            double upper);
  [[nodiscard]] bool flag(const toml::table& table, std::string_view key, bool standard);
  /// A number in the unit `bare`, or a text with a suffix.
  [[nodiscard]] std::int64_t size(const toml::table& table, std::string_view key, std::int64_t standard,
                                  SettingUnit bare);
  [[nodiscard]] Duration duration(const toml::table& table, std::string_view key, Duration standard);
  /// Index of the text in `words`.
  [[nodiscard]] std::size_t choice(const toml::table& table, std::string_view key, std::size_t standard,
                                   std::span<const std::string_view> words);
  /// One text or an array of texts.
  [[nodiscard]] std::vector<std::string> texts(const toml::table& table, std::string_view key);
  [[nodiscard]] std::vector<std::string> texts_of(const toml::node& node, std::string_view what);
  /// The table under a key; null if the key is missing or, with an error, if it holds another type.
  [[nodiscard]] const toml::table* table(const toml::table& table, std::string_view key);
  /// The tables under a key: one table or an array of them.
  [[nodiscard]] std::vector<const toml::table*> tables(const toml::table& table, std::string_view key);

private:
  std::string name_;
  toml::table root_;
  std::optional<Error> error_;
};

/// Settings in a table; keys of nested tables are joined by dots. Numbers and flags become text.
[[nodiscard]] std::vector<SettingEntry> read_setting_entries(TomlReader& reader, const toml::table& table);

}  // namespace heddle::config
