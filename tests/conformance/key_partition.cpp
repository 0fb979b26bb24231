// Recorded partitions and orders of Hadoop's HashPartitioner, KeyFieldBasedPartitioner and KeyFieldBasedComparator.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/conformance/base64.hpp"
#include "tests/conformance/kind.hpp"
#include "work/records/key_comparator.hpp"
#include "work/records/partitioner.hpp"

namespace heddle::conformance {
namespace key_partition_kind {
namespace {

namespace json = boost::json;

std::vector<std::string> keys_of(const json::object& input) {
  std::vector<std::string> keys;
  for (const auto& key : input.at("keys").as_array()) keys.push_back(from_base64(key.as_string()));
  return keys;
}

std::string text_of(const json::object& input, const char* key) {
  const auto* value = input.if_contains(key);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

template <class T>
T unwrap(Result<T> result) {
  if (!result) throw std::runtime_error{result.error().text};
  return std::move(result).value();
}

void check_partitions(const json::object& input, const json::object& expected, const ShuffleDescription& description,
                      Report& report) {
  const auto partitions = input.at("partitions").to_number<std::int32_t>();
  const auto partitioner = unwrap(work::Partitioner::make(description, partitions));
  json::array got;
  for (const auto& key : keys_of(input)) got.emplace_back(partitioner.partition_of(key));
  report.check(-1, "partition", expected.at("partition"), got);
}

void run_hash(const json::object& input, const json::object& expected, Report& report) {
  json::array hashes;
  for (const auto& key : keys_of(input)) hashes.emplace_back(work::text_hash(key));
  report.check(-1, "hashes", expected.at("hashes"), hashes);
  check_partitions(input, expected, {}, report);
}

void run_field_partition(const json::object& input, const json::object& expected, Report& report) {
  ShuffleDescription description;
  description.partitioner = PartitionerKind::key_field;
  description.partitioner_separator = text_of(input, "separator");
  description.partitioner_options = text_of(input, "options");
  if (const auto& fields = input.at("num_key_fields"); !fields.is_null())
    description.partitioner_options = work::options_of_first_fields(fields.to_number<std::int32_t>());
  check_partitions(input, expected, description, report);
}

void run_field_sort(const json::object& input, const json::object& expected, Report& report) {
  ShuffleDescription description;
  description.comparator = ComparatorKind::key_field;
  description.comparator_separator = text_of(input, "separator");
  description.comparator_options = text_of(input, "options");
  const auto comparator = unwrap(work::KeyComparator::make(description));
  const auto keys = keys_of(input);
  json::array neighbours;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    const int order = comparator.compare(keys[i], keys[i + 1]);
    neighbours.emplace_back(order < 0 ? -1 : order > 0 ? 1 : 0);
  }
  report.check(-1, "neighbours", expected.at("neighbours"), neighbours);
  if (expected.at("order").is_null()) return;
  // Equal keys may have any order: checks that the recorded order is ascending for heddle too.
  const auto order = json::value_to<std::vector<std::size_t>>(expected.at("order"));
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    report.check(static_cast<int>(i), "order", true, comparator.compare(keys.at(order[i]), keys.at(order[i + 1])) <= 0);
}

void run(const json::object& test_case, Report& report) {
  const auto& input = test_case.at("input").as_object();
  const auto& expected = test_case.at("expected").as_object();
  const std::string function{input.at("function").as_string()};
  if (function == "hash") return run_hash(input, expected, report);
  if (function == "field_partition") return run_field_partition(input, expected, report);
  if (function == "field_sort") return run_field_sort(input, expected, report);
  throw std::runtime_error{"unknown function '" + function + "'"};
}

const Kind kind{"key_partition", run};

}  // namespace
}  // namespace key_partition_kind
}  // namespace heddle::conformance
