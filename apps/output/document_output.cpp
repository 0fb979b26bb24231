#include "apps/output/document_output.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "apps/output/summary.hpp"
#include "model/result.hpp"

namespace heddle::apps {
namespace {

enum class Printed : std::uint8_t { nothing, some, all };
std::atomic<Printed> printed{Printed::nothing};

struct SuddenDocuments {
  std::string no_resources;
  std::string interrupted;
};

/// Never destroyed, because a thread can end this process during the destruction of static objects.
SuddenDocuments& sudden_documents() {
  static auto& documents = *new SuddenDocuments;
  return documents;
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const auto put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

/// Returns true for the first of several threads.
bool begin_printing() {
  auto expected = Printed::nothing;
  return printed.compare_exchange_strong(expected, Printed::some);
}

}  // namespace

void prepare_sudden_documents(Format format) {
  if (format == Format::table) return;
  sudden_documents().no_resources =
      print_error(format, to_string(Errc::internal),
                  "the system had no more threads, memory or files for heddle; see stderr for the reason");
  sudden_documents().interrupted =
      print_error(format, to_string(Errc::cancelled),
                  "a second interrupt killed heddle; an output that was being written may be incomplete");
}

void print_documents(std::string_view text) {
  if (!begin_printing()) return;
  write_all(text);
  printed = Printed::all;
}

void print_sudden_document(SuddenEnd end) {
  const auto& documents = sudden_documents();
  const auto& text = end == SuddenEnd::interrupted ? documents.interrupted : documents.no_resources;
  if (text.empty()) return;
  if (begin_printing()) {
    write_all(text);
    printed = Printed::all;
    return;
  }
  constexpr int looks = 20;
  for (int look = 0; look < looks && printed != Printed::all; ++look) ::poll(nullptr, 0, 10);
}

}  // namespace heddle::apps
