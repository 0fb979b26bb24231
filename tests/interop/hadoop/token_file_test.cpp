#include "interop/hadoop/token_file.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::interop {
namespace {

CredentialFile sample() {
  CredentialFile file;
  file.tokens.emplace_back("", CredentialToken{"id\x01", "password", "YARN_AM_RM_TOKEN", ""});
  file.tokens.emplace_back("hdfs",
                           CredentialToken{std::string(300, 'i'), "", "HDFS_DELEGATION_TOKEN", "10.0.0.1:8020"});
  file.secrets.emplace_back("heddle.launch", std::string(70'000, 's'));
  return file;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(token_file)

BOOST_AUTO_TEST_CASE(both_formats_are_read_as_written) {
  for (const auto& file : {sample(), CredentialFile{}}) {
    const auto writable = parse_token_file("tokens", write_token_file(file));
    BOOST_REQUIRE(writable.has_value());
    BOOST_TEST((*writable == file));
    const auto protobuf = parse_token_file("tokens", write_token_file_protobuf(file));
    BOOST_REQUIRE(protobuf.has_value());
    BOOST_TEST((*protobuf == file));
  }
}

BOOST_AUTO_TEST_CASE(format_0_has_the_bytes_of_the_specification) {
  CredentialFile file;
  file.tokens.emplace_back("a", CredentialToken{std::string(128, 'i'), "p", "k", "s"});
  file.secrets.emplace_back("n", std::string(256, 'x'));
  BOOST_TEST((write_token_file(file) == std::string{"HDTS\x00\x01\x01"
                                                    "a\x8f\x80",
                                                    10} +
                                            std::string(128, 'i') + "\x01p\x01k\x01s\x01\x01n" +
                                            std::string{"\x8e\x01\x00", 3} + std::string(256, 'x')));
}

BOOST_AUTO_TEST_CASE(tokens_are_found_by_kind_and_secrets_by_alias) {
  const auto file = sample();
  BOOST_TEST(file.token_of_kind("YARN_AM_RM_TOKEN")->password == "password");
  BOOST_TEST(file.token_of_kind("NMToken") == nullptr);
  BOOST_TEST(file.secret("heddle.launch")->size() == 70'000u);
  BOOST_TEST(file.secret("") == nullptr);
}

BOOST_AUTO_TEST_CASE(damaged_files_are_refused_by_name) {
  auto small = sample();
  small.secrets.front().second = "s";
  for (const auto& bytes : {write_token_file(small), write_token_file_protobuf(small)}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto parsed = parse_token_file("the file", std::string_view{bytes}.substr(0, size));
      BOOST_TEST(!parsed.has_value(), size);
      BOOST_TEST(parsed.error().text.find("the file") != std::string::npos);
      BOOST_TEST((parsed.error().code == Errc::corrupt));
    }
    BOOST_TEST(!parse_token_file("f", bytes + "x").has_value());
  }
  BOOST_TEST(!parse_token_file("f", std::string{"HDTS\x02", 5}).has_value());
  BOOST_TEST(!parse_token_file("f", std::string{"HDTS\x00\x88\xff\xff\xff\xff\xff\xff\xff\xff", 14}).has_value());
  // A negative number of tokens.
  BOOST_TEST(!parse_token_file("f", std::string{"HDTS\x00\xff\x00", 7}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
