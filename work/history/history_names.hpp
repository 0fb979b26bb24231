// Names in history files: ids, kinds of tasks and ends, as Hadoop prints them. read_name() returns false if the text is
// no such name.
#pragma once

#include <string>
#include <string_view>

#include "ports/job_history_events.hpp"

namespace heddle::work {

/// job_<start>_<number>.
[[nodiscard]] std::string name_of(const ApplicationId& job);
[[nodiscard]] bool read_name(std::string_view text, ApplicationId& job);
/// appattempt_<start>_<number>_<attempt>.
[[nodiscard]] std::string name_of(const AttemptId& attempt);
[[nodiscard]] bool read_name(std::string_view text, AttemptId& attempt);
[[nodiscard]] std::string name_of(const history::TaskName& task);
[[nodiscard]] bool read_name(std::string_view text, history::TaskName& task);
[[nodiscard]] std::string name_of(const history::AttemptName& attempt);
[[nodiscard]] bool read_name(std::string_view text, history::AttemptName& attempt);
[[nodiscard]] std::string name_of(const history::ContainerName& container);
[[nodiscard]] bool read_name(std::string_view text, history::ContainerName& container);
[[nodiscard]] std::string name_of(AttemptType type);
[[nodiscard]] bool read_name(std::string_view text, AttemptType& type);
[[nodiscard]] std::string name_of(history::BadEnd end);
[[nodiscard]] bool read_name(std::string_view text, history::BadEnd& end);

/// Appends the same as name_of(): a history has several names in each line.
void append_name(std::string& out, const ApplicationId& job);
void append_name(std::string& out, const history::TaskName& task);
void append_name(std::string& out, const history::AttemptName& attempt);

/// Reads a decimal number and nothing else.
[[nodiscard]] bool read_number(std::string_view text, std::int64_t& number);
[[nodiscard]] bool read_number(std::string_view text, std::int32_t& number);

}  // namespace heddle::work
