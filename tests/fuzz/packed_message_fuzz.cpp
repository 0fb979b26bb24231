// Packed messages from another process. The first byte chooses the type, the rest is its packed bytes. A message that
// can be read is written, and the written bytes are read as the same bytes again. A Resource is no message, but its
// other resource types are made by a load callback.
#include "caf_compat/packed.hpp"
#include "messages/driver.hpp"
#include "messages/executor.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

template <class Message>
bool read_packed(std::string_view bytes, Message& message) {
  heddle::caf_compat::PackReader reader{bytes};
  inspect(reader, message);
  return reader.is_whole();
}

template <class Message>
std::string write_packed(Message& message) {
  std::string bytes;
  heddle::caf_compat::PackWriter writer{bytes};
  inspect(writer, message);
  return bytes;
}

/// The bytes can differ from those written: a bool is any byte except 0.
template <class Message>
void check(std::string_view bytes) {
  Message message;
  if (!read_packed(bytes, message)) return;
  const std::string written = write_packed(message);
  Message again;
  HEDDLE_ASSERT(read_packed(written, again), "a packed message cannot be read back");
  HEDDLE_ASSERT(write_packed(again) == written, "a packed message reads differently");
}

}  // namespace

HEDDLE_FUZZ_TARGET(packed_message) {
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  switch (input.front()) {
    case 'L': return check<heddle::LoadStage>(bytes);
    case 'U': return check<heddle::UnloadStage>(bytes);
    case 'T': return check<heddle::LaunchTask>(bytes);
    case 'R': return check<heddle::Resource>(bytes);
    default: return check<heddle::StatusUpdate>(bytes);
  }
}
