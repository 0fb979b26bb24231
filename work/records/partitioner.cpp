#include "work/records/partitioner.hpp"

#include "model/java_text.hpp"

namespace heddle::work {
namespace {

std::uint32_t hash_onto(std::uint32_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = 31 * hash + static_cast<std::uint32_t>(static_cast<signed char>(c));
  return hash;
}

}  // namespace

std::int32_t text_hash(std::string_view bytes) { return static_cast<std::int32_t>(hash_onto(1, bytes)); }

Result<Partitioner> Partitioner::make(const ShuffleDescription& description, std::int32_t partitions) {
  if (partitions < 1) return Error{Errc::usage, "a shuffle needs at least one partition"};
  Partitioner made;
  made.partitions_ = partitions;
  made.kind_ = description.partitioner;
  if (made.kind_ == PartitionerKind::hash) return made;
  auto fields = parse_key_fields(description.partitioner_options);
  if (!fields) return fields.error();
  made.cutter_ = KeyCutter{std::move(fields).value(), description.partitioner_separator};
  return made;
}

std::int32_t Partitioner::partition_of(std::string_view key) const {
  if (partitions_ == 1) return 0;
  const auto hash = kind_ == PartitionerKind::hash ? text_hash(key) : field_hash(key);
  return (hash & 0x7fffffff) % partitions_;
}

std::int32_t Partitioner::field_hash(std::string_view key) const {
  if (cutter_.fields().empty()) return static_cast<std::int32_t>(java::string_hash(key));
  std::string room;
  key = java::string_bytes(key, room);
  if (key.empty()) return 0;
  thread_local std::vector<std::int32_t> lengths;
  cutter_.cut(key, lengths);
  std::uint32_t hash = 0;
  for (const auto& field : cutter_.fields()) {
    const auto range = cutter_.range(key, lengths, field);
    if (range.begin < 0 || range.end <= range.begin) continue;
    hash = hash_onto(
        hash, key.substr(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end - range.begin)));
  }
  return static_cast<std::int32_t>(hash);
}

}  // namespace heddle::work
