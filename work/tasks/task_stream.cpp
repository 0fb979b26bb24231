#include "work/tasks/task_stream.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace heddle::work {
namespace {

class SplitInput final : public TaskInput {
public:
  SplitInput(RecordReader& reader, const TextInput& input)
      : reader_{reader},
        has_offsets_{!input.ignore_key && (input.format == InputFormat::text || input.format == InputFormat::n_line)},
        separator_{input.format == InputFormat::key_value ? input.key_value_separator
                   : has_offsets_                         ? input.map_input_separator
                                                          : ""} {}
  Result<bool> next(RecordBatch& batch) override {
    auto more = reader_.next(batch);
    if (!more || !*more || !has_offsets_) return more;
    offsets_.resize(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      offsets_[i] = std::to_string(reader_.offset_of(i));
      batch[i].key = offsets_[i];
    }
    return true;
  }
  Result<bool> next_text(std::string_view& text) override { return reader_.next_text(text); }
  [[nodiscard]] std::string_view line_separator() const override { return separator_; }

private:
  RecordReader& reader_;
  bool has_offsets_;
  std::string separator_;
  std::vector<std::string> offsets_;
};

class ShuffledInput final : public TaskInput {
public:
  ShuffledInput(RecordStream& records, const ShuffleDescription& description)
      : records_{records}, description_{description} {}
  Result<bool> next(RecordBatch& batch) override { return records_.next(batch); }
  Result<bool> next_text(std::string_view& text) override {
    auto more = records_.next(batch_);
    if (!more || !*more) return more;
    text_.clear();
    for (const auto& record : batch_) append_line(text_, record, line_separator());
    text = text_;
    return true;
  }
  [[nodiscard]] std::string_view line_separator() const override {
    return description_.streaming ? std::string_view{description_.read_separator} : std::string_view{};
  }
  [[nodiscard]] std::string_view kept_separator() const override {
    return description_.streaming ? std::string_view{} : std::string_view{description_.key.separator};
  }

private:
  RecordStream& records_;
  const ShuffleDescription& description_;
  RecordBatch batch_;
  std::string text_;
};

/// Splits a stream of chunks into lines; completes a line that crosses chunks in a buffer.
class LineInput final : public TaskInput {
public:
  LineInput(ByteStream& bytes, std::int64_t line_bytes_max)
      : bytes_{bytes}, line_bytes_max_{static_cast<std::size_t>(line_bytes_max)} {}

  Result<bool> next(RecordBatch& batch) override {
    std::string_view text;
    auto more = next_text(text);
    if (!more || !*more) return more;
    batch.clear();
    while (!text.empty()) {
      const auto end = text.find('\n');
      batch.push_back({{}, text.substr(0, end)});
      text.remove_prefix(end + 1);  // next_text ends with LF
    }
    return true;
  }

  Result<bool> next_text(std::string_view& text) override {
    text_.assign(rest_);
    rest_.clear();
    while (!is_at_end_) {
      auto piece = bytes_.next_bytes();
      if (!piece) return piece.error();
      if (piece->empty()) {
        is_at_end_ = true;
        break;
      }
      const auto last = piece->rfind('\n');
      if (last != std::string_view::npos) {
        text_.append(piece->substr(0, last + 1));
        rest_.assign(piece->substr(last + 1));
        text = text_;
        return true;
      }
      text_.append(*piece);
      if (text_.size() > line_bytes_max_)
        return Error{
            Errc::usage,
            "a line between two bodies is longer than heddle.input.line_bytes_max; raise it, or print shorter lines"};
    }
    if (text_.empty()) return false;
    text_.push_back('\n');
    text = text_;
    return true;
  }
  [[nodiscard]] int ready_descriptor() const override { return bytes_.ready_descriptor(); }

private:
  ByteStream& bytes_;
  std::size_t line_bytes_max_;
  std::string text_;
  std::string rest_;
  bool is_at_end_ = false;
};

/// Splits chunks of text into lines; keeps a line that crosses chunks, up to a limit, until its end arrives.
class LineCutter {
public:
  explicit LineCutter(std::int64_t line_bytes_max) : line_bytes_max_{static_cast<std::size_t>(line_bytes_max)} {}

  template <class AddLine>
  Result<Done> add(std::string_view text, AddLine add_line) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      if (end == std::string_view::npos) {
        rest_.append(text);
        if (rest_.size() > line_bytes_max_)
          return Error{Errc::usage,
                       "a line of output is longer than heddle.input.line_bytes_max; raise it, or print shorter lines"};
        return Done{};
      }
      Result<Done> added = Done{};
      if (rest_.empty()) {
        added = add_line(text.substr(0, end));
      } else {
        rest_.append(text.substr(0, end));
        added = add_line(std::string_view{rest_});
        rest_.clear();
      }
      if (!added) return added;
      text.remove_prefix(end + 1);
    }
    return Done{};
  }

  /// Passes on a last line without line end.
  template <class AddLine>
  Result<Done> finish(AddLine add_line) {
    if (rest_.empty()) return Done{};
    const std::string line = std::exchange(rest_, {});
    return add_line(std::string_view{line});
  }

private:
  std::size_t line_bytes_max_;
  std::string rest_;
};

class TextTaskOutput final : public TaskOutput {
public:
  TextTaskOutput(OutputWriter& writer, const TextOutput& output, std::int64_t line_bytes_max)
      : writer_{writer}, output_{output}, cutter_{line_bytes_max} {}

  Result<Done> add_text(std::string_view text) override {
    if (text.empty()) return Done{};
    if (output_.streaming) return cutter_.add(text, [this](std::string_view line) { return add_line(line); });
    is_mid_line_ = text.back() != '\n';
    return writer_.add_text(text);
  }
  Result<Done> add_line(std::string_view line) override {
    if (output_.streaming) return writer_.add(split_record(line, output_.key, true), output_.separator);
    return writer_.add({line, {}}, {});
  }
  Result<Done> add_pair(std::string_view key, std::string_view value) override {
    return writer_.add({key, value}, output_.separator);
  }
  Result<Done> add_record(const Record& record, const TaskInput& from) override {
    if (record.key.empty() && from.kept_separator().empty() && !output_.streaming)
      return writer_.add({record.value, {}}, {});
    return writer_.add(record, output_.streaming ? std::string_view{output_.separator} : from.line_separator());
  }
  Result<Done> finish() override {
    if (output_.streaming) return cutter_.finish([this](std::string_view line) { return add_line(line); });
    if (!is_mid_line_) return Done{};
    is_mid_line_ = false;
    return writer_.add_text("\n");
  }

private:
  OutputWriter& writer_;
  const TextOutput& output_;
  LineCutter cutter_;
  bool is_mid_line_ = false;
};

class ShuffleTaskOutput final : public TaskOutput {
public:
  ShuffleTaskOutput(RecordSink sink, const ShuffleDescription& description, std::int64_t line_bytes_max)
      : sink_{std::move(sink)}, description_{description}, cutter_{line_bytes_max} {}

  Result<Done> add_text(std::string_view text) override {
    return cutter_.add(text, [this](std::string_view line) { return add_line(line); });
  }
  Result<Done> add_line(std::string_view line) override {
    const Record record = split_record(line, description_.key, description_.streaming);
    return sink_(record.key, record.value);
  }
  Result<Done> add_pair(std::string_view key, std::string_view value) override {
    if (description_.streaming) return sink_(key, value);
    joined_.assign(description_.key.separator).append(value);
    return sink_(key, joined_);
  }
  Result<Done> add_record(const Record& record, const TaskInput& from) override {
    if (record.key.empty() && from.kept_separator().empty()) return add_line(record.value);
    joined_.assign(record.key).append(from.line_separator()).append(record.value);
    const Record cut = split_record(joined_, description_.key, description_.streaming);
    return sink_(cut.key, cut.value);
  }
  Result<Done> finish() override {
    return cutter_.finish([this](std::string_view line) { return add_line(line); });
  }

private:
  RecordSink sink_;
  const ShuffleDescription& description_;
  LineCutter cutter_;
  std::string joined_;
};

}  // namespace

std::unique_ptr<TaskInput> make_split_input(RecordReader& reader, const TextInput& input) {
  return std::make_unique<SplitInput>(reader, input);
}

std::unique_ptr<TaskInput> make_shuffle_input(RecordStream& records, const ShuffleDescription& description) {
  return std::make_unique<ShuffledInput>(records, description);
}

std::unique_ptr<TaskInput> make_line_input(ByteStream& bytes, std::int64_t line_bytes_max) {
  return std::make_unique<LineInput>(bytes, line_bytes_max);
}

std::unique_ptr<TaskOutput> make_text_output(OutputWriter& writer, const TextOutput& output,
                                             std::int64_t line_bytes_max) {
  return std::make_unique<TextTaskOutput>(writer, output, line_bytes_max);
}

std::unique_ptr<TaskOutput> make_shuffle_output(RecordSink sink, const ShuffleDescription& description,
                                                std::int64_t line_bytes_max) {
  return std::make_unique<ShuffleTaskOutput>(std::move(sink), description, line_bytes_max);
}

}  // namespace heddle::work
