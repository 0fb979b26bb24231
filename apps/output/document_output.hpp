// The result documents on stdout: printed once, at the end of a verb, or by an end that can build nothing any more.
#pragma once

#include <cstdint>
#include <string_view>

#include "apps/cli/options.hpp"

namespace heddle::apps {

/// Why this process ends before its verb has printed anything.
enum class SuddenEnd : std::uint8_t { no_resources, interrupted };

/// Builds the documents of sudden ends while there is memory. Nothing for Format::table.
void prepare_sudden_documents(Format format);

/// Writes the documents of a verb. Nothing after a sudden end, which has printed its own.
void print_documents(std::string_view text);

/// Writes the document of a sudden end, unless others were printed. Waits at most 200 ms for a thread that is printing.
/// Allocates nothing.
void print_sudden_document(SuddenEnd end);

}  // namespace heddle::apps
