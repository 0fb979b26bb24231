#include "interop/hadoop/digest_md5.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(digest_challenge) {
  using namespace heddle::interop;
  if (const auto challenge = parse_digest_challenge(input)) HEDDLE_ASSERT(!challenge->nonce.empty(), "no nonce");
  DigestClient client{{"identifier", "password", "kind", ""}, "", "default"};
  const auto response = client.respond(input, "nonce");
  if (response) {
    const auto sent = parse_digest_directives(*response);
    HEDDLE_ASSERT(sent.has_value(), *response);
    HEDDLE_ASSERT(client.layer().has_value(), "no layer");
  }
  HEDDLE_ASSERT(!client.verify(input).has_value(), "a proof without knowledge");
}
