// Goal: ids read back from the names that Hadoop prints, and nothing else is an id.
// Method: a table of names; damaged names.
#include "work/history/history_names.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/history_events.hpp"

namespace heddle::work {
namespace history_names_test {
namespace {

template <class Id>
void check_name(const Id& id, const std::string& name) {
  BOOST_TEST(name_of(id) == name);
  Id again{};
  BOOST_TEST(read_name(name, again), name);
  BOOST_TEST((again == id), name);
  for (const auto& damaged : {name + "_1", name + "x", name + " ", "x" + name, name.substr(0, name.rfind('_')),
                              name.substr(0, name.rfind('_') + 1)})
    BOOST_TEST(!read_name(damaged, again), damaged);
}

BOOST_AUTO_TEST_CASE(ids_have_the_names_of_hadoop) {
  check_name(ApplicationId{1'700'000'000'123, 7}, "job_1700000000123_0007");
  check_name(ApplicationId{5, 123'456}, "job_5_123456");
  check_name(AttemptId{{5, 1}, 2}, "appattempt_5_0001_000002");
  check_name(history::sample_map, "task_1700000000123_0007_m_000003");
  check_name(history::sample_reduce_attempt, "attempt_1700000000123_0007_r_000000_1000");
  check_name(history::ContainerName{{{5, 1}, 2}, ContainerId{3}}, "container_5_0001_02_000003");
  check_name(history::ContainerName{{{5, 1}, 2}, ContainerId{(std::int64_t{17} << 40) | 3}},
             "container_e17_5_0001_02_000003");
}

BOOST_AUTO_TEST_CASE(other_texts_are_no_names) {
  history::TaskName task;
  history::ContainerName container;
  AttemptType type{};
  for (const auto* text : {"", "task", "task_", "task_5_0001_x_000001", "task_5_0001_m_99999999999", "task_5__m_1"})
    BOOST_TEST(!read_name(text, task), text);
  for (const auto* text : {"container", "container_ex_5_0001_02_000003", "container_e_5_0001_02_3",
                           "container_5_0001_02_2000000000000", "container_e9000000_5_0001_02_3"})
    BOOST_TEST(!read_name(text, container), text);
  BOOST_TEST(!read_name("map", type));
}

}  // namespace
}  // namespace history_names_test
}  // namespace heddle::work
