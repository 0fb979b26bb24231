#include "interop/hadoop/digest_md5.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::interop {
namespace {

const CredentialToken vector_token{std::string{"\x08\x01\x12\x06\x08\xfb\xbf\xa0\xea\x2c", 10}, "secret-password",
                                   "kind", ""};

DigestExchange vector_exchange(std::string protection, std::string nonce, std::string client_nonce) {
  return {"CAESBgj7v6DqLA==", "c2VjcmV0LXBhc3N3b3Jk", "default", std::move(nonce), std::move(client_nonce),
          "/default",         std::move(protection)};
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string{hex.substr(i, 2)}, nullptr, 16));
  return bytes;
}

const DigestExchange integrity =
    vector_exchange("auth-int", "uHJUpJhVKiOucyLGB6F72xDr8kffFtEsCvutXX9c", "Aufh3BWJW7LpvxtNnJYpaGEUtod1+1fZua8ABH27");

}  // namespace

BOOST_AUTO_TEST_SUITE(digest_md5)

BOOST_AUTO_TEST_CASE(responses_equal_those_of_a_jdk) {
  const struct {
    DigestExchange exchange;
    std::string response, proof;
  } rows[] = {
      {vector_exchange("auth", "E8y4wkXqrr4rom00yPe4nuGZ86zLlODfvlPGbw1P", "voSZ2IrK9CC3VdnYIdOhOd7MneZwcvMB7yicl7v8"),
       "b77d6e768abbe3c8a0f6295a5c19dcea", "70f2a5bea157c7a7c1cfdc88dc521234"},
      {integrity, "ce6b84ed3132674b25ee06b98295c384", "e89556b645f42fa4e3f749ea94f58fec"},
      {vector_exchange("auth-conf", "+sDq57Aet/gPTofitxyTX+OdC7wntMBqzmHdJlN/",
                       "w4DBk/VOgRB3JitxdyCZjUkj/qNC+VqWbeB8SHlW"),
       "07236533650c43cfcca6805fa3c46489", "f47a9891f028d56917520a845e760ffa"},
  };
  for (const auto& row : rows) {
    BOOST_TEST(*digest_response(row.exchange, DigestSide::client) == row.response);
    BOOST_TEST(*digest_response(row.exchange, DigestSide::server) == row.proof);
  }
}

BOOST_AUTO_TEST_CASE(a_protected_message_equals_that_of_a_jdk) {
  auto client = *IntegrityLayer::of(integrity, DigestSide::client);
  BOOST_TEST((client.wrap("hello") == from_hex("68656c6c6f5f989eb1ec3217dbfcb3000100000000")));
}

BOOST_AUTO_TEST_CASE(protected_messages_are_checked_for_content_and_order) {
  auto client = *IntegrityLayer::of(integrity, DigestSide::client);
  auto server = *IntegrityLayer::of(integrity, DigestSide::server);
  const auto first = client.wrap("first");
  const auto second = client.wrap("");
  BOOST_TEST(*server.unwrap(first) == "first");
  BOOST_TEST(!server.unwrap(first).has_value());  // again
  for (std::size_t i = 0; i < second.size(); ++i) {
    auto changed = second;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    BOOST_TEST(!server.unwrap(changed).has_value(), "byte " << i);
  }
  BOOST_TEST(*server.unwrap(second) == "");
  BOOST_TEST(!server.unwrap("short").has_value());
  BOOST_TEST(*client.unwrap(server.wrap("answer")) == "answer");
}

BOOST_AUTO_TEST_CASE(a_client_responds_to_a_challenge_and_checks_the_proof) {
  DigestClient client{vector_token, "", "default"};
  const auto response = client.respond(
      R"(realm="default",nonce="E8y4wkXqrr4rom00yPe4nuGZ86zLlODfvlPGbw1P",qop="auth",charset=utf-8,algorithm=md5-sess)",
      "voSZ2IrK9CC3VdnYIdOhOd7MneZwcvMB7yicl7v8");
  BOOST_REQUIRE(response.has_value());
  BOOST_TEST(*response == R"(charset=utf-8,username="CAESBgj7v6DqLA==",realm="default",)"
                          R"(nonce="E8y4wkXqrr4rom00yPe4nuGZ86zLlODfvlPGbw1P",nc=00000001,)"
                          R"(cnonce="voSZ2IrK9CC3VdnYIdOhOd7MneZwcvMB7yicl7v8",digest-uri="/default",maxbuf=65536,)"
                          R"(response=b77d6e768abbe3c8a0f6295a5c19dcea,qop=auth)");
  BOOST_TEST(client.verify("rspauth=70f2a5bea157c7a7c1cfdc88dc521234").has_value());
  BOOST_TEST(!client.verify("rspauth=70f2a5bea157c7a7c1cfdc88dc521235").has_value());
  BOOST_TEST(!client.verify("").has_value());
  BOOST_TEST(!client.layer()->has_value());
}

BOOST_AUTO_TEST_CASE(integrity_is_chosen_if_the_server_offers_both) {
  DigestClient client{vector_token, "", "default"};
  const auto response = client.respond(R"(nonce="n",qop="auth,auth-int",realm="default")", "c");
  BOOST_REQUIRE(response.has_value());
  BOOST_TEST(response->ends_with("qop=auth-int"));
  BOOST_TEST(client.layer()->has_value());
}

BOOST_AUTO_TEST_CASE(encryption_is_refused_with_the_name_of_its_setting) {
  DigestClient client{vector_token, "", "default"};
  const auto response = client.respond(R"(realm="default",nonce="n",qop="auth-conf",cipher="3des,rc4")", "c");
  BOOST_REQUIRE(!response.has_value());
  BOOST_TEST((response.error().code == Errc::refused));
  BOOST_TEST(response.error().text.find("hadoop.rpc.protection") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(challenges_are_parsed_as_the_rfc_allows) {
  const auto parsed =
      parse_digest_challenge(" realm = \"a\\\"b\\\\c\" , ,nonce=\"x,y=z\",\r\n qop=auth , charset=utf-8");
  BOOST_REQUIRE(parsed.has_value());
  BOOST_TEST(parsed->realms.front() == "a\"b\\c");
  BOOST_TEST(parsed->nonce == "x,y=z");
  BOOST_TEST(parsed->protections.size() == 1u);
  BOOST_TEST(parse_digest_challenge("nonce=\"n\"")->protections.front() == "auth");
}

BOOST_AUTO_TEST_CASE(malformed_challenges_are_refused) {
  for (const std::string text : {"", "nonce", "=x", "nonce=\"n", "nonce=\"n\\", "nonce=\"n\"realm=\"d\"",
                                 "nonce=\"a\",nonce=\"b\"", "nonce=\"n\",algorithm=md5", "realm=\"d\""})
    BOOST_TEST(!parse_digest_challenge(text).has_value(), text);
  BOOST_TEST(!parse_digest_challenge("nonce=\"" + std::string(3000, 'n') + "\"").has_value());
}

BOOST_AUTO_TEST_CASE(base64_has_the_padding_of_the_standard) {
  BOOST_TEST(base64_of("") == "");
  BOOST_TEST(base64_of("a") == "YQ==");
  BOOST_TEST(base64_of("ab") == "YWI=");
  BOOST_TEST(base64_of("\xff\xfe\xfd") == "//79");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
