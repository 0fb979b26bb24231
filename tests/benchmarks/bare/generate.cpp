// generate words BYTES FILE: lines of about 60 characters, with words of a Zipf distribution (s = 1) over a million
// different ones; frequent words are short.
// generate records BYTES FILE: records of 100 bytes: a key of 10 printable characters, payload, LF.
// The output is the same on every machine.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "model/random_stream.hpp"
#include "tests/benchmarks/bare/bare.hpp"

namespace heddle::bare {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr int different_words = 1'000'000;

std::vector<std::string> make_words(RandomStream& random) {
  std::vector<std::string> words(different_words);
  for (int rank = 0; rank < different_words; ++rank) {
    const auto length = 2 + static_cast<std::uint64_t>(std::log2(rank + 2.0) / 2.2) + random.below(3);
    for (std::uint64_t i = 0; i < length; ++i)
      words[static_cast<std::size_t>(rank)] += static_cast<char>('a' + random.below(26));
  }
  return words;
}

void write_words(std::ofstream& file, std::int64_t bytes) {
  RandomStream random{20'11};
  const auto words = make_words(random);
  const double scale = std::log(static_cast<double>(different_words));
  std::string text;
  for (std::int64_t written = 0; written < bytes;) {
    text.clear();
    while (text.size() < piece_bytes) {
      const auto line = text.size();
      while (text.size() < line + 55) {
        const double draw = static_cast<double>(random.next() >> 11) * 0x1p-53;
        const auto rank = static_cast<std::size_t>(std::exp(draw * scale)) - 1;  // density 1 / rank
        if (text.size() > line) text += ' ';
        text += words[std::min(rank, words.size() - 1)];
      }
      text += '\n';
    }
    file << text;
    written += static_cast<std::int64_t>(text.size());
  }
}

void write_records(std::ofstream& file, std::int64_t bytes) {
  RandomStream random{20'12};
  std::string record(100, 'A');
  record.back() = '\n';
  std::string text;
  for (std::int64_t number = 0; number < bytes / 100; ++number) {
    for (std::size_t i = 0; i < 10; ++i) record[i] = static_cast<char>('!' + random.below(94));
    record[10] = ' ';
    auto rest = static_cast<std::uint64_t>(number);
    for (std::size_t i = 0; i < 16; ++i, rest >>= 4) record[26 - i] = "0123456789ABCDEF"[rest & 15];
    for (std::size_t i = 27; i < 99; ++i)
      record[i] = static_cast<char>('A' + (static_cast<std::size_t>(number) + i / 4) % 26);
    text += record;
    if (text.size() < piece_bytes) continue;
    file << text;
    text.clear();
  }
  file << text;
}

}  // namespace

int generate(const Words& words) {
  std::ofstream file{words[2], std::ios::binary};
  if (words[0] == "words") write_words(file, std::stoll(words[1]));
  else if (words[0] == "records") write_records(file, std::stoll(words[1]));
  else return 2;
  if (!file.flush()) throw std::runtime_error{"cannot write " + words[2]};
  return 0;
}

}  // namespace heddle::bare
