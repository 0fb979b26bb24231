// Unpacks bzip2: blocks of Huffman-coded, move-to-front, run-length coded output of a Burrows-Wheeler transform, one at a time.
// Memory: one block, 5 bytes for each of at most 900000. Checksums of blocks are checked.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "work/byte_source.hpp"
#include "work/file_handle.hpp"

namespace heddle::work {
namespace {

constexpr int code_bits_max = 20;
constexpr std::size_t group_symbols = 50;
constexpr std::uint64_t block_magic = 0x314159265359;
constexpr std::uint64_t end_magic = 0x177245385090;

/// Where the file is wrong; caught where a block is read, and never leaves this file.
struct Broken {
  const char* why;
};

/// Bits of the file, highest first.
class BitReader {
public:
  explicit BitReader(FileHandle file) : file_{std::move(file)}, buffer_(64 << 10) {}

  std::uint64_t bits(int count) {
    std::uint64_t value = 0;
    for (; count > 0; --count) value = value << 1U | bit();
    return value;
  }
  std::uint32_t bit() {
    if (left_ == 0) {
      if (!fill()) throw Broken{"ends in the middle"};
      byte_ = static_cast<unsigned char>(buffer_[at_++]);
      left_ = 8;
    }
    --left_;
    return static_cast<std::uint32_t>(byte_ >> static_cast<unsigned>(left_)) & 1U;
  }
  /// Moves to the next whole byte; true at the end of the file.
  bool is_at_end() {
    left_ = 0;
    return !fill();
  }
  [[nodiscard]] std::int64_t taken() const { return taken_; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

private:
  bool fill() {
    if (at_ < size_) return true;
    auto count = file_.read_at(buffer_.data(), buffer_.size(), taken_);
    if (!count) {
      fault_ = count.error();
      throw Broken{"cannot be read"};
    }
    at_ = 0;
    size_ = *count;
    taken_ += static_cast<std::int64_t>(size_);
    return size_ != 0;
  }

  FileHandle file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::int64_t taken_ = 0;
  std::uint32_t byte_ = 0;
  int left_ = 0;
  std::optional<Error> fault_;
};

/// A canonical Huffman code.
class Code {
public:
  explicit Code(const std::vector<int>& lengths) {
    for (const int length : lengths) ++count_[static_cast<std::size_t>(length)];
    for (int length = 1; length <= code_bits_max; ++length)
      for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
        if (lengths[symbol] == length) symbols_.push_back(static_cast<std::uint16_t>(symbol));
  }
  std::uint16_t next(BitReader& from) const {
    std::int32_t code = 0;
    std::int32_t first = 0;
    std::int32_t index = 0;
    for (std::size_t length = 1; length <= code_bits_max; ++length) {
      code = code << 1 | static_cast<std::int32_t>(from.bit());
      if (code - first < count_[length]) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count_[length];
      first = (first + count_[length]) << 1;
    }
    throw Broken{"has a code that stands for nothing"};
  }

private:
  std::array<std::int32_t, code_bits_max + 1> count_{};
  std::vector<std::uint16_t> symbols_;
};

std::uint32_t checksum_of(const std::vector<char>& bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      made[i] = i << 24U;
      for (int step = 0; step < 8; ++step) made[i] = made[i] << 1U ^ ((made[i] >> 31U) != 0 ? 0x04c11db7U : 0U);
    }
    return made;
  }();
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : bytes) sum = sum << 8U ^ table[(sum >> 24U ^ static_cast<unsigned char>(byte)) & 0xffU];
  return ~sum;
}

class Bzip2Source final : public ByteSource {
public:
  explicit Bzip2Source(FileHandle file) : bits_{std::move(file)} {}

  Result<std::size_t> read(char* to, std::size_t size) override {
    try {
      while (at_ == block_.size())
        if (!next_block()) return std::size_t{0};
    } catch (const Broken& broken) {
      if (bits_.fault()) return *bits_.fault();
      return Error{Errc::corrupt,
                   "'" + bits_.path() + "' cannot be unpacked: " + broken.why + ", near byte " + std::to_string(bits_.taken())};
    }
    const auto count = std::min(size, block_.size() - at_);
    std::copy_n(block_.data() + at_, count, to);
    at_ += count;
    return count;
  }
  [[nodiscard]] std::int64_t bytes_taken() const override { return bits_.taken(); }

private:
  /// False at the end of the file, which has to be the end of a stream.
  bool next_block() {
    if (!in_stream_) {
      if (bits_.is_at_end()) return false;
      const auto head = bits_.bits(32);
      if (head < 0x425a6831 || head > 0x425a6839) throw Broken{"is no bzip2"};
      block_bytes_max_ = (head - 0x425a6830) * 100'000;
      in_stream_ = true;
    }
    const auto magic = bits_.bits(48);
    if (magic == end_magic) {
      bits_.bits(32);
      in_stream_ = false;
      return true;
    }
    if (magic != block_magic) throw Broken{"has no block where one must be"};
    const auto sum = bits_.bits(32);
    if (bits_.bit() != 0) throw Broken{"is of an old kind (randomised)"};
    const auto origin = bits_.bits(24);
    read_symbols();
    undo_transform(origin);
    if (checksum_of(block_) != sum) throw Broken{"has a wrong checksum"};
    return true;
  }

  std::vector<unsigned char> read_alphabet() {
    const auto groups = bits_.bits(16);
    std::vector<unsigned char> alphabet;
    for (unsigned group = 0; group < 16; ++group) {
      if ((groups >> (15U - group) & 1U) == 0) continue;
      const auto used = bits_.bits(16);
      for (unsigned i = 0; i < 16; ++i)
        if ((used >> (15U - i) & 1U) != 0) alphabet.push_back(static_cast<unsigned char>(group * 16 + i));
    }
    if (alphabet.empty()) throw Broken{"has a block of no letters"};
    return alphabet;
  }

  std::vector<std::size_t> read_selectors(std::size_t codes) {
    std::vector<std::size_t> order(codes);
    for (std::size_t i = 0; i < codes; ++i) order[i] = i;
    std::vector<std::size_t> selectors(bits_.bits(15));
    for (auto& selector : selectors) {
      std::size_t place = 0;
      while (bits_.bit() != 0)
        if (++place >= codes) throw Broken{"chooses a code that is not there"};
      const auto from = order.begin() + static_cast<std::ptrdiff_t>(place);
      std::rotate(order.begin(), from, from + 1);
      selector = order.front();
    }
    return selectors;
  }

  Code read_code(std::size_t symbols) {
    std::vector<int> lengths(symbols);
    auto length = static_cast<int>(bits_.bits(5));
    for (auto& one : lengths) {
      while (true) {
        if (length < 1 || length > code_bits_max) throw Broken{"has a code of a wrong length"};
        if (bits_.bit() == 0) break;
        length += bits_.bit() == 0 ? 1 : -1;
      }
      one = length;
    }
    return Code{lengths};
  }

  /// The last column of the transform, into `links_`.
  void read_symbols() {
    auto alphabet = read_alphabet();
    const auto codes = static_cast<std::size_t>(bits_.bits(3));
    if (codes < 2 || codes > 6) throw Broken{"has a wrong number of codes"};
    const auto selectors = read_selectors(codes);
    const std::size_t end = alphabet.size() + 1;
    std::vector<Code> tables;
    for (std::size_t i = 0; i < codes; ++i) tables.push_back(read_code(end + 1));
    links_.clear();
    std::size_t run = 0;
    std::size_t weight = 1;
    const auto append = [&](std::size_t count) {
      if (count > block_bytes_max_ - links_.size()) throw Broken{"has a block that is too long"};
      links_.insert(links_.end(), count, alphabet.front());
    };
    for (std::size_t i = 0;; ++i) {
      if (i / group_symbols >= selectors.size()) throw Broken{"has a block without end"};
      const std::size_t symbol = tables[selectors[i / group_symbols]].next(bits_);
      if (symbol <= 1) {
        if (weight > block_bytes_max_) throw Broken{"has a run that is too long"};
        run += weight << symbol;
        weight <<= 1U;
        continue;
      }
      append(run);
      run = 0;
      weight = 1;
      if (symbol == end) return;
      const auto from = alphabet.begin() + static_cast<std::ptrdiff_t>(symbol - 1);
      std::rotate(alphabet.begin(), from, from + 1);
      append(1);
    }
  }

  /// Follows the columns from `origin` and undoes the first run-length code: four equal bytes are followed by a count of more.
  void undo_transform(std::uint64_t origin) {
    at_ = 0;
    block_.clear();
    if (origin >= links_.size()) throw Broken{"has a block that begins outside itself"};
    std::array<std::uint32_t, 257> start{};
    for (const auto letter : links_) ++start[(letter & 0xffU) + 1];
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    for (std::uint32_t i = 0; i < links_.size(); ++i) links_[start[links_[i] & 0xffU]++] |= i << 8U;
    std::uint32_t link = links_[origin];
    int equal = 0;
    unsigned char before = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      link = links_[link >> 8U];
      const auto letter = static_cast<unsigned char>(link & 0xffU);
      if (equal == 4) {
        block_.insert(block_.end(), letter, static_cast<char>(before));
        equal = 0;
        continue;
      }
      equal = equal > 0 && letter == before ? equal + 1 : 1;
      before = letter;
      block_.push_back(static_cast<char>(letter));
    }
  }

  BitReader bits_;
  bool in_stream_ = false;
  std::size_t block_bytes_max_ = 0;
  std::vector<std::uint32_t> links_;
  std::vector<char> block_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bzip2(const std::string& path) {
  auto file = FileHandle::open_to_read(path);
  if (!file) return file.error();
  return std::unique_ptr<ByteSource>{std::make_unique<Bzip2Source>(std::move(file).value())};
}

}  // namespace heddle::work
