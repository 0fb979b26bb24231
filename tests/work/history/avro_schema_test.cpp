// Goal: schemas that could take unbounded time or memory are refused, and damaged values are.
// Method: the schema of our own files, and small schemas with a few bytes each.
#include "work/history/avro_schema.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
#include <set>

#include "work/history/jhist_schema.hpp"

namespace heddle::work {
namespace avro_test {
namespace {

using Outcome = AvroDecoder::Outcome;

/// A type in full: a record has its fields where it is used first. Without defaults, which do not change the encoding.
std::string described(const AvroSchema& schema, std::size_t index, std::set<std::size_t>& seen) {
  const auto& type = schema.types[index];
  std::string text;
  const auto add = [&](std::size_t part) { text += (text.empty() ? "" : ",") + described(schema, part, seen); };
  std::for_each(type.parts.begin(), type.parts.end(), add);
  switch (type.kind) {
    case AvroKind::array: return "array<" + text + ">";
    case AvroKind::map: return "map<" + text + ">";
    case AvroKind::union_of: return "[" + text + "]";
    case AvroKind::enumeration:
      for (const auto& symbol : type.symbols) text += (text.empty() ? "" : ",") + symbol;
      return type.name + "(" + text + ")";
    case AvroKind::record:
      if (!seen.insert(index).second) return type.name;
      for (const auto& [name, of_field] : type.fields)
        text += (text.empty() ? "" : ",") + name + ":" + described(schema, of_field, seen);
      return type.name + "{" + text + "}";
    default: return type.name;
  }
}

/// The value as JSON, or the outcome.
std::string decoded(std::string_view schema, std::string_view bytes) {
  const auto parsed = parse_avro_schema(schema);
  BOOST_REQUIRE(parsed.has_value());
  AvroDecoder decoder{*parsed, bytes};
  boost::json::value value;
  switch (decoder.next(value)) {
    case Outcome::value: return boost::json::serialize(value);
    case Outcome::end: return "end";
    case Outcome::torn: return "torn";
    case Outcome::fault: return decoder.fault();
  }
  return {};
}

BOOST_AUTO_TEST_CASE(the_schema_of_our_files_is_the_one_of_hadoop_3_4) {
  const auto schema = parse_avro_schema(jhist_schema());
  BOOST_REQUIRE(schema.has_value());
  std::set<std::size_t> seen;
  const auto text = described(*schema, schema->types.size() - 1, seen);
  std::uint64_t sum = 0xCBF2'9CE4'8422'2325U;
  for (const char symbol : text) sum = (sum ^ static_cast<unsigned char>(symbol)) * 0x0000'0100'0000'01B3U;
  // The sum of the same text of Event.SCHEMA$ in hadoop-mapreduce-client-core 3.4.2.
  BOOST_TEST(sum == 0x1D95'2D12'DC90'BB70U, text);
}

BOOST_AUTO_TEST_CASE(schemas_without_a_bound_are_refused) {
  const std::pair<const char*, const char*> refused[] = {
      {R"({"type":"record","name":"A","fields":[{"name":"a","type":"A"}]})", "the type 'A' is not known"},
      {R"({"type":"record","name":"A","fields":[]})", "the record 'A' has no fields"},
      {R"({"type":"array","items":"null"})", "null is allowed in a union only"},
      {R"(["int",["null"]])", "a union is in a union"},
      {R"({"type":"map"})", "an array or a map has no type of values"},
      {R"("bytes")", "the type 'bytes' is not known"},
      {R"(7)", "a type is no text, array or object"}};
  for (const auto& [text, why] : refused) {
    const auto schema = parse_avro_schema(text);
    BOOST_REQUIRE(!schema);
    BOOST_TEST(schema.error().text == std::string{"the schema cannot be used: "} + why);
  }
  BOOST_TEST(!parse_avro_schema("{").has_value());
}

BOOST_AUTO_TEST_CASE(values_have_the_form_of_avro_json) {
  BOOST_TEST(decoded(R"("long")", "\x81\x01") == "-65");
  BOOST_TEST(decoded(R"(["null","string"])", std::string_view{"\x02\x04hi", 4}) == R"({"string":"hi"})");
  BOOST_TEST(decoded(R"(["null","string"])", std::string_view{"\0", 1}) == "null");
  BOOST_TEST(decoded(R"({"type":"array","items":"int"})", std::string_view{"\x04\x02\x04\x02\x06\0", 6}) == "[1,2,3]");
  // A block with its size in bytes.
  BOOST_TEST(decoded(R"({"type":"map","values":"boolean"})", std::string_view{"\x01\x06\x02k\x01\0", 6}) ==
             R"({"k":true})");
  BOOST_TEST(decoded(R"({"type":"enum","name":"E","symbols":["A","B"]})", "\x02") == R"("B")");
}

BOOST_AUTO_TEST_CASE(damaged_values_are_torn_or_a_fault) {
  BOOST_TEST(decoded(R"("string")", "") == "end");
  BOOST_TEST(decoded(R"("string")",
                     "\x06"
                     "ab") == "torn");
  BOOST_TEST(decoded(R"("string")", "\x01") == "a text has a negative length");
  BOOST_TEST(decoded(R"("long")", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") == "a number is too long");
  BOOST_TEST(decoded(R"("boolean")", "\x02") == "a boolean is neither 0 nor 1");
  BOOST_TEST(decoded(R"(["null"])", "\x02") == "a union has no branch 1");
  BOOST_TEST(decoded(R"({"type":"array","items":"int"})", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") ==
             "a block has too many items");
  BOOST_TEST(decoded(R"({"type":"array","items":"int"})", "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02") == "torn");
}

}  // namespace
}  // namespace avro_test
}  // namespace heddle::work
