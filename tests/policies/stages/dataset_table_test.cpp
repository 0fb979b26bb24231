// Goal: datasets and shuffles count up from 0, flags pass on as far as tasks do, and a shuffle lives as long as its
// readers. Method: one small graph, then tables.
#include "policies/stages/dataset_table.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <utility>

namespace heddle::policies {
namespace dataset_table_test {
namespace {

using Kind = Dependency::Kind;
using Shuffles = std::vector<ShuffleId>;

constexpr ShuffleId none{};

DatasetDescription with(std::vector<Dependency> dependencies, std::int32_t partitions = 2) {
  DatasetDescription description;
  description.partitions = partitions;
  description.dependencies = std::move(dependencies);
  return description;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dataset_table)

BOOST_AUTO_TEST_CASE(datasets_and_shuffles_count_up_from_zero) {
  DatasetTable table;
  BOOST_TEST(!table.contains(DatasetId{0}));
  const DatasetId source = table.add(with({}, 5));
  const DatasetId sink = table.add(with({{Kind::shuffle, source}, {Kind::narrow, source}, {Kind::shuffle, source}}));
  BOOST_TEST((source == DatasetId{0}));
  BOOST_TEST((sink == DatasetId{1}));
  BOOST_TEST((table.contains(sink) && !table.contains(DatasetId{2})));
  BOOST_TEST((table.contains(ShuffleId{1}) && !table.contains(ShuffleId{2})));
  BOOST_TEST(table.at(source).description.partitions == 5);
  BOOST_TEST((table.at(sink).shuffles == Shuffles{ShuffleId{0}, none, ShuffleId{1}}));
  BOOST_TEST((table.at(ShuffleId{1}).parent == source));
  BOOST_TEST((table.at(ShuffleId{1}).child == sink));
}

BOOST_AUTO_TEST_CASE(direct_shuffles_are_those_behind_narrow_dependencies_ascending_and_each_once) {
  DatasetTable table;
  const DatasetId source = table.add(with({}));
  const DatasetId first = table.add(with({{Kind::shuffle, source}}));   // shuffle 0
  const DatasetId second = table.add(with({{Kind::shuffle, source}}));  // shuffle 1
  const DatasetId zipped = table.add(with({{Kind::narrow, second}, {Kind::narrow, first}, {Kind::narrow, second}}));
  BOOST_TEST((table.at(zipped).direct_shuffles == Shuffles{ShuffleId{0}, ShuffleId{1}}));
  BOOST_TEST((table.at(zipped).shuffles == Shuffles{none, none, none}));
  const DatasetId behind = table.add(with({{Kind::shuffle, zipped}}));  // shuffle 2 hides the others
  BOOST_TEST((table.at(behind).direct_shuffles == Shuffles{ShuffleId{2}}));
}

BOOST_AUTO_TEST_CASE(barriers_pass_narrow_dependencies_and_indeterminacy_passes_all) {
  for (const Kind kind : {Kind::narrow, Kind::shuffle}) {
    DatasetTable table;
    DatasetDescription marked = with({});
    marked.barrier = true;
    marked.indeterminate = true;
    const DatasetId plain = table.add(with({}));
    const DatasetId child = table.add(with({{kind, plain}, {kind, table.add(marked)}}));
    BOOST_TEST(table.at(child).barrier == (kind == Kind::narrow));
    BOOST_TEST(table.at(child).indeterminate);
    BOOST_TEST((!table.at(plain).barrier && !table.at(plain).indeterminate));
  }
}

BOOST_AUTO_TEST_CASE(a_shuffle_is_returned_when_its_last_reader_is_forgotten) {
  DatasetTable table;
  const DatasetId source = table.add(with({}));
  const DatasetId first = table.add(with({{Kind::shuffle, source}, {Kind::shuffle, source}}));
  const ShuffleId shared = table.at(first).shuffles[0];
  const DatasetId second = table.add(with({{Kind::shuffle, source, shared}}));
  BOOST_TEST((table.at(second).shuffles == Shuffles{shared}));
  BOOST_TEST((table.at(shared).child == first));
  BOOST_TEST(table.at(shared).children == 2);
  BOOST_TEST((table.forget(first) == Shuffles{ShuffleId{1}}));
  BOOST_TEST(table.forget(first).empty());  // it counts as a reader once
  BOOST_TEST((table.forget(second) == Shuffles{shared}));
  BOOST_TEST(table.forget(source).empty());
}

BOOST_AUTO_TEST_CASE(a_forgotten_dataset_drops_its_preferred_locations) {
  DatasetTable table;
  DatasetDescription description = with({});
  description.preferred = std::make_shared<PreferredLocationLists>();
  const DatasetId forgotten = table.add(description);
  const DatasetId kept = table.add(description);
  table.forget(forgotten);
  BOOST_TEST((table.at(forgotten).description.preferred == nullptr));
  BOOST_TEST((table.at(kept).description.preferred != nullptr));
}

BOOST_AUTO_TEST_CASE(a_dataset_covers_itself_and_what_it_reaches_without_a_shuffle) {
  DatasetTable table;
  const DatasetId source = table.add(with({}));
  const DatasetId shuffled = table.add(with({{Kind::shuffle, source}}));
  const DatasetId narrow = table.add(with({{Kind::narrow, shuffled}}));
  const DatasetId aside = table.add(with({}));
  const DatasetId top = table.add(with({{Kind::narrow, aside}, {Kind::narrow, narrow}}));
  struct Row {
    DatasetId top;
    DatasetId wanted;
    bool covers;
  };
  const Row rows[] = {{top, top, true},          {top, narrow, true},   {top, shuffled, true},
                      {top, aside, true},        {top, source, false},  {shuffled, narrow, false},
                      {shuffled, source, false}, {narrow, aside, false}};
  for (const Row& row : rows)
    BOOST_TEST(table.covers(row.top, row.wanted) == row.covers,
               "dataset " << row.top.value << " covers " << row.wanted.value);
}

BOOST_AUTO_TEST_CASE(thirty_nested_zips_are_searched_once) {
  DatasetTable table;
  const DatasetId unreached = table.add(with({}));
  DatasetId top = table.add(with({}));
  for (int level = 0; level < 30; ++level) top = table.add(with({{Kind::narrow, top}, {Kind::narrow, top}}));
  BOOST_TEST(table.covers(top, DatasetId{1}));
  BOOST_TEST(!table.covers(top, unreached));  // 2^30 paths, 31 datasets
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace dataset_table_test
}  // namespace heddle::policies
