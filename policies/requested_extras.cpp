#include "policies/requested_extras.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace heddle::policies {

Result<std::int64_t> read_amount(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 11> units{{{"", 1},
                                                                                    {"k", 1'000},
                                                                                    {"M", 1'000'000},
                                                                                    {"G", 1'000'000'000},
                                                                                    {"T", 1'000'000'000'000},
                                                                                    {"P", 1'000'000'000'000'000},
                                                                                    {"Ki", std::int64_t{1} << 10},
                                                                                    {"Mi", std::int64_t{1} << 20},
                                                                                    {"Gi", std::int64_t{1} << 30},
                                                                                    {"Ti", std::int64_t{1} << 40},
                                                                                    {"Pi", std::int64_t{1} << 50}}};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error == std::errc{} && number >= 0)
    for (const auto& [name, factor] : units)
      if (name == unit && number <= std::numeric_limits<std::int64_t>::max() / factor) return number * factor;
  return Error{Errc::usage, "\"" + std::string{text} + "\" is no amount: a whole number, with k, M, G, T, P, Ki, Mi, Gi, Ti or Pi"};
}

Result<ExtraResources> requested_extras(const std::map<std::string, std::string>& for_yarn,
                                        const std::map<std::string, std::int64_t>& of_executor, const ExtraNames& names) {
  std::map<std::string, std::int64_t> amounts;
  for (const auto& [name, text] : for_yarn) {
    const auto amount = read_amount(text);
    if (!amount) return Error{Errc::usage, name + ": " + amount.error().text};
    if (*amount > 0) amounts[name] = *amount;
  }
  const std::array<std::pair<std::string, std::string>, 2> mapped{{{"gpu", names.gpu}, {"fpga", names.fpga}}};
  for (const auto& [kind, name] : mapped)
    if (const auto row = of_executor.find(kind); row != of_executor.end() && row->second > 0) amounts[name] = row->second;
  ExtraResources wanted;
  for (const auto& [name, amount] : amounts) wanted.push_back({name, amount});
  return wanted;
}

}  // namespace heddle::policies
