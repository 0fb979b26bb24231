#include "work/records/record.hpp"

namespace heddle::work {

Record split_record(std::string_view line, const KeyFormat& format, bool streaming) {
  const auto whole = Record{line, line.substr(line.size())};
  if (format.fields <= 0 || format.separator.empty()) return whole;
  auto at = line.find(format.separator);
  for (std::int32_t field = 1; field < format.fields && at != line.npos; ++field)
    at = line.find(format.separator, at + format.separator.size());
  if (at == line.npos) return whole;
  return {line.substr(0, at), line.substr(streaming ? at + format.separator.size() : at)};
}

}  // namespace heddle::work
