#include "work/output/commit_journal.hpp"

#include <algorithm>

#include "work/files/process_owner.hpp"
#include "work/output/output_folder.hpp"

namespace heddle::work {
namespace {

/// Equal paths have equal numbers, in every process.
std::string journal_path(const std::string& journal, const std::string& first_output) {
  std::uint64_t sum = 0xCBF2'9CE4'8422'2325U;
  for (const char c : first_output) sum = (sum ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3U;
  return journal + '/' + std::string{journal_entry_prefix} + std::to_string(sum);
}

std::string journal_text(const std::vector<std::string>& outputs) {
  std::string text;
  for (const auto& output : outputs) text += "output " + escaped_line(output) + '\n';
  return text;
}

}  // namespace

void record_in_journal(ports::FileSystem& files, const OutputCommitSettings& settings,
                       const std::vector<std::string>& outputs) {
  // A failed write does harm only if this process crashes before the commit ends: the next attempt refuses its output.
  if (!settings.journal.empty())
    static_cast<void>(files.write_atomically(journal_path(settings.journal, outputs.front()), journal_text(outputs),
                                             settings.journal));
}

Result<Done> remove_from_journal(ports::FileSystem& files, const OutputCommitSettings& settings,
                                 const std::string& first_output) {
  if (settings.journal.empty()) return Done{};
  return files.remove_all(journal_path(settings.journal, first_output), settings.journal);
}

bool is_in_journal(const ports::FileSystem& files, const OutputCommitSettings& settings,
                   const std::vector<std::string>& outputs) {
  if (settings.journal.empty()) return false;
  const auto text = files.read_all(journal_path(settings.journal, outputs.front()));
  if (!text || *text != journal_text(outputs)) return false;
  return std::all_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
    // The entry outlives an output that was removed since; a later job may write to the same path.
    if (const auto is_there = files.is_present(output); !is_there || !*is_there) return false;
    const auto found = files.open_own_file(owner_path(output), output, ports::Locking::none);
    const auto owner = found ? read_owner(found->content) : std::nullopt;
    return found ? owner && is_same_application(*owner, settings.owner) : found.error().code == Errc::not_found;
  });
}

}  // namespace heddle::work
