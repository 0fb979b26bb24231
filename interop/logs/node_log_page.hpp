// Answers of the web service of a NodeManager about logs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/logs/log_visitor.hpp"
#include "model/result.hpp"

namespace heddle::interop {

/// Reads the answer to /ws/v1/node/containers/CONTAINER/logs (JSON), ordered by name. Errc::corrupt for another text.
[[nodiscard]] Result<std::vector<LogFile>> parse_log_list(std::string_view text);

/// Takes the content of a log file out of the answer to /ws/v1/node/containerlogs/CONTAINER/FILE. Hadoop 3 writes some
/// lines in front of the content, the last of which is "LogContents:", and behind it; Hadoop 2 writes the content only.
class NodeLogPage {
public:
  using Sink = std::function<Result<Done>(std::string_view content)>;
  explicit NodeLogPage(Sink sink) : sink_{std::move(sink)} {}

  /// The next part of the answer.
  [[nodiscard]] Result<Done> take(std::string_view bytes);
  /// Call it at the end of the answer. Errc::corrupt if content is missing.
  [[nodiscard]] Result<Done> finish();

private:
  [[nodiscard]] Result<Done> take_content(std::string_view bytes);

  Sink sink_;
  std::string head_;  // lines in front of the content
  bool has_head_ = false;
  bool is_bare_ = false;   // the answer is the content
  std::int64_t left_ = 0;  // bytes of content
};

}  // namespace heddle::interop
