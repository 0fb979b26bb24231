// Goal: checksums are those of Hadoop. Method: published check values, and damaged chunks.
#include "interop/hdfs/checksum.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::interop::hdfs {
namespace {

constexpr std::string_view digits = "123456789";

}  // namespace

BOOST_AUTO_TEST_CASE(checksums_have_their_published_check_values) {
  BOOST_TEST(checksum_of(ChecksumType::crc32, digits) == 0xcbf43926U);
  BOOST_TEST(checksum_of(ChecksumType::crc32c, digits) == 0xe3069283U);
  // RFC 3720, B.4: 32 bytes of zeros, and of ones.
  BOOST_TEST(checksum_of(ChecksumType::crc32c, std::string(32, '\0')) == 0x8a9136aaU);
  BOOST_TEST(checksum_of(ChecksumType::crc32c, std::string(32, '\xff')) == 0x62a8ab43U);
}

BOOST_AUTO_TEST_CASE(checksums_are_big_endian_and_one_per_chunk) {
  const ChecksumKind kind{ChecksumType::crc32c, 9};
  const std::string data = std::string{digits} + std::string{digits} + "1";
  BOOST_TEST(kind.bytes_for(data.size()) == 12U);
  BOOST_TEST(kind.bytes_for(0) == 0U);
  std::string checksums(12, '\0');
  write_checksums(kind, data, checksums.data());
  BOOST_TEST(checksums.substr(0, 8) == "\xe3\x06\x92\x83\xe3\x06\x92\x83");
  BOOST_TEST(!find_wrong_chunk(kind, data, checksums));
}

BOOST_AUTO_TEST_CASE(a_changed_byte_is_found_in_its_chunk) {
  for (const auto type : {ChecksumType::crc32, ChecksumType::crc32c}) {
    const ChecksumKind kind{type, 512};
    std::string data(5000, 'x');
    std::string checksums(kind.bytes_for(data.size()), '\0');
    write_checksums(kind, data, checksums.data());
    for (const std::size_t at : {0U, 511U, 512U, 4999U}) {
      data[at] = 'y';
      BOOST_TEST(find_wrong_chunk(kind, data, checksums).value_or(99) == at / 512);
      data[at] = 'x';
    }
    checksums[7] = static_cast<char>(checksums[7] ^ 1);
    BOOST_TEST(find_wrong_chunk(kind, data, checksums).value_or(99) == 1U);
  }
  BOOST_TEST(!find_wrong_chunk({ChecksumType::none, 512}, "data", ""));
}

}  // namespace heddle::interop::hdfs
