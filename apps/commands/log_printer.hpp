// Prints log files on stdout, or lists them for a document.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/options.hpp"
#include "apps/output/application_text.hpp"
#include "interop/logs/log_visitor.hpp"

namespace heddle::apps {

class LogPrinter final : public interop::LogVisitor {
public:
  /// Precondition: `options` outlive the printer.
  explicit LogPrinter(const ApplicationOptions& options) : options_{options} {}

  [[nodiscard]] bool begin(const interop::LogFile& file) override;
  [[nodiscard]] Result<Done> take(std::string_view bytes) override;
  /// Ends the last line.
  [[nodiscard]] Result<Done> finish();
  /// Files that were wanted and have content.
  [[nodiscard]] const std::vector<ShownLog>& logs() const { return logs_; }

private:
  [[nodiscard]] bool is_wanted(const interop::LogFile& file) const;

  const ApplicationOptions& options_;
  std::vector<ShownLog> logs_;
  std::string header_;  // not printed yet
  bool is_inside_line_ = false;
};

}  // namespace heddle::apps
