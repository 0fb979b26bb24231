"""tools/check_policies: each policy has a test with random inputs that includes its header directly, or a line with a reason."""
import unittest

from source_tree import CheckTest

LIST = "tools/policies_exceptions.txt"
TEST = "tests/policies/jobs/job_order_test.cpp"
INCLUDE = '#include "policies/jobs/job_order.hpp"\n'
RANDOM = "void f() { RandomStream random{1}; }\n"
MISSING = f"policies/jobs/job_order.hpp: no file of tests/policies with random inputs includes it; expected: a property test, or a line in {LIST}"


class PoliciesTest(CheckTest):
    check = "check_policies"
    files = {"policies/jobs/job_order.hpp": "[[nodiscard]] int order_of(int job);\n", "policies/jobs/job_order.cpp": INCLUDE,
             "policies/jobs/job_names.hpp": "struct JobNames {};\n", "actors/driver/driver.cpp": INCLUDE}


class PropertyTests(PoliciesTest):
    def test_a_test_with_random_inputs_that_includes_the_header_passes(self):
        for random in (RANDOM, "std::mt19937 random{1};\n"):
            self.write(TEST, INCLUDE + random)
            self.assertIn("policies: 1, 1 with a property test, 0 exceptions", self.assert_passes())

    def test_a_policy_without_a_test_fails(self):
        self.assert_fails(MISSING)

    def test_a_test_without_random_inputs_does_not_count(self):
        for text in ("", "// a RandomStream\n", "int x;  // std::mt19937 and random inputs\n", "MyRandomStream random{1};\n", "int random = 3;\n"):
            with self.subTest(text):
                self.write(TEST, INCLUDE + text)
                self.assert_fails(MISSING)

    def test_an_include_in_a_comment_does_not_count(self):
        self.write(TEST, "// " + INCLUDE + RANDOM)
        self.assert_fails(MISSING)

    def test_an_indirect_include_does_not_count(self):
        self.write("policies/jobs/job_names.hpp", INCLUDE + "struct JobNames {};\n")
        self.write(TEST, '#include "policies/jobs/job_names.hpp"\n' + RANDOM)
        self.assert_fails(MISSING)

    def test_a_header_of_the_same_name_in_another_folder_does_not_count(self):
        self.write("policies/tasks/job_order.hpp", "struct Other {};\n")
        self.write(TEST, '#include "policies/tasks/job_order.hpp"\n' + RANDOM)
        self.assert_fails(MISSING)

    def test_a_test_of_another_room_does_not_count(self):
        self.write("tests/actors/driver/driver_test.cpp", INCLUDE + RANDOM)
        self.assert_fails(MISSING)

    def test_a_decider_is_a_policy_and_a_table_is_none(self):
        self.write("policies/jobs/job_order.hpp", "class JobOrder {\n  void on_job(int job);\n};\n")
        self.assert_fails(MISSING)
        self.write("policies/jobs/job_order.hpp", "class JobOrder {\n  void add(int job);\n};\n")
        self.assertIn("policies: 0", self.assert_passes())

    def test_a_policy_without_a_user_needs_no_test(self):
        self.write("actors/driver/driver.cpp", "")
        self.assert_passes()


class Fixtures(PoliciesTest):
    def include(self, fixture, text):
        self.write(fixture, text)
        self.write(TEST, f'#include "{fixture}"\n')

    def test_a_fixture_in_the_folder_of_the_policy_counts(self):
        self.include("tests/policies/jobs/job_world.hpp", INCLUDE + RANDOM)
        self.assert_passes()
        self.write("tests/policies/jobs/job_script.hpp", INCLUDE)
        self.include("tests/policies/jobs/job_world.hpp", '#include "tests/policies/jobs/job_script.hpp"\n' + RANDOM)
        self.assert_passes()

    def test_a_fixture_elsewhere_does_not_count(self):
        for folder in ("tests/support", "tests/policies/tasks"):
            with self.subTest(folder):
                self.include(f"{folder}/job_world.hpp", INCLUDE + RANDOM)
                self.assert_fails(MISSING)

    def test_a_fixture_for_another_folder_does_not_count(self):
        self.write("tests/policies/tasks/job_world.hpp", INCLUDE)
        self.write("tests/policies/tasks/task_order_test.cpp", '#include "tests/policies/tasks/job_world.hpp"\n' + RANDOM)
        self.assert_fails(MISSING)


class Exceptions(PoliciesTest):
    def list_rows(self, *rows):
        self.write(LIST, "# comment\n" + "".join(row + "\n" for row in rows))

    def test_a_line_with_a_test_and_a_reason_allows_a_policy(self):
        self.write(TEST, INCLUDE)
        self.list_rows(f"jobs/job_order.hpp {TEST}  # all inputs are in a table")
        self.assertIn("1 exceptions", self.assert_passes())

    def test_a_line_without_a_reason_or_without_a_test_fails(self):
        self.write(TEST, INCLUDE)
        for row in (f"jobs/job_order.hpp {TEST}", f"jobs/job_order.hpp {TEST}  # ", "jobs/job_order.hpp  # a table", "jobs/job_order.hpp"):
            with self.subTest(row):
                self.list_rows(row)
                self.assert_fails(f"{LIST}:2: expected: FOLDER/HEADER tests/FILE  # reason", MISSING)
        self.list_rows("jobs/job_order.hpp tests/policies/jobs/gone_test.cpp  # a table")
        self.assert_fails(f"{LIST}:2: tests/policies/jobs/gone_test.cpp does not exist")

    def test_a_line_that_is_no_longer_needed_fails(self):
        self.write(TEST, INCLUDE + RANDOM)
        self.list_rows(f"jobs/job_order.hpp {TEST}  # a table")
        self.assert_fails(f"{LIST}: remove jobs/job_order.hpp, it has a property test or is no policy")

    def test_lines_out_of_order_and_double_lines_fail(self):
        self.write(TEST, INCLUDE)
        row = f"jobs/job_order.hpp {TEST}  # a table"
        self.list_rows(row, row)
        self.assert_fails(f"{LIST}:3: jobs/job_order.hpp is not in order; expected: sorted lines, each header once")


if __name__ == "__main__":
    unittest.main()
