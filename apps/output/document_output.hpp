// Prints the result documents on stdout exactly once: at the end of a verb, or at a sudden end, which prints a document
// that was built in advance.
#pragma once

#include <cstdint>
#include <string_view>

#include "apps/cli/options.hpp"

namespace heddle::apps {

/// Why this process ends before its verb has printed documents.
enum class SuddenEnd : std::uint8_t { no_resources, interrupted };

/// Builds the documents for sudden ends in advance, while there is memory. No effect for Format::table.
void prepare_sudden_documents(Format format);

/// Prints the documents of a verb; no effect after a sudden end, which has printed its own.
void print_documents(std::string_view text);

/// Prints the document of a sudden end, unless others were printed. Waits at most 200 ms for a thread that is printing.
/// Does not allocate.
void print_sudden_document(SuddenEnd end);

}  // namespace heddle::apps
