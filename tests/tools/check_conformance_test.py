"""tools/check_conformance: what counts as a test of a numbered case."""
import unittest

from source_tree import CheckTest

ASKED = "C" + "-XX-1"  # ids are put together, since the checks read this file too
UNKNOWN = "C" + "-XX-2"
GROUPS = [("C" + "-AA-", 347), ("C" + "-Y-", 151), ("C" + "-E1-", 90)]  # as many as the check requires
OTHERS = [f"{prefix}{number}" for prefix, count in GROUPS for number in range(1, count + 1)]
PAGE = "# Page\n<!-- generated: tools/check_conformance --write -->\n<!-- end of the generated part -->\n"
HEADER = "// Orders of jobs.\n#include <boost/test/unit_test.hpp>\n\n"
CASE = "BOOST_AUTO_TEST_CASE(jobs_are_in_order) {\n  check(1);\n}\n"
UNIT = "tests/jobs_test.cpp"
UNTESTED = "tests/conformance/untested_cases.txt"


class ConformanceTest(CheckTest):
    check = "check_conformance"
    files = {"docs/conformance.md": PAGE, "docs/decisions/0012-fixes-of-the-originals.md": "", UNTESTED: "",
             "tests/conformance/spec_ids.txt": "# ids\n" + "\n".join([ASKED, *OTHERS]) + "\n",
             "tests/others_test.cpp": "".join(f"// {one}\n" for one in OTHERS) + CASE, UNIT: HEADER + CASE}

    def cell_of_asked(self):
        """The cell of the page for the id."""
        code, output = self.run_check("--write")
        self.assertEqual(code, 0, output)
        self.assert_passes()
        [row] = [line for line in (self.root / "docs/conformance.md").read_text().splitlines() if line.startswith(f"| {ASKED} |")]
        return row.split(" | ")[1].removesuffix(" |")


class Tests(ConformanceTest):
    def test_an_id_directly_above_or_inside_a_test_is_tested(self):
        for text in (f"// {ASKED}: the first case.\n" + CASE, f"// The case\n// {ASKED}\n" + CASE, CASE.replace("check(1);", f'check(1, "{ASKED}");'),
                     CASE.replace("check(1);", f"check(1);  // {ASKED}"), CASE.replace(" {\n", f" {{  // {ASKED}\n", 1)):
            with self.subTest(text):
                self.write(UNIT, HEADER + text)
                self.assertEqual(self.cell_of_asked(), "jobs_test.cpp: jobs_are_in_order")

    def test_an_id_of_a_table_row_is_tested_by_the_next_test(self):
        self.write(UNIT, HEADER + f'const Row rows[] = {{{{"{ASKED}", 1}}}};\n\n' + CASE)
        self.assertEqual(self.cell_of_asked(), "jobs_test.cpp: jobs_are_in_order")

    def test_an_id_in_the_comment_of_a_file_is_not_tested(self):
        for text in (f"// {ASKED}: all tests below.\n" + HEADER + CASE, HEADER + f"// {ASKED}\n\n" + CASE, HEADER + f"// {ASKED}\nint helper();\n" + CASE,
                     HEADER + CASE + f"// {ASKED}\n"):
            with self.subTest(text):
                self.write(UNIT, text)
                self.assertEqual(self.cell_of_asked(), "no test yet")

    def test_an_id_in_a_file_without_tests_is_not_tested(self):
        self.write("tests/support/world.hpp", f"// {ASKED}\n" + CASE)
        self.assertEqual(self.cell_of_asked(), "no test yet")

    def test_python_tests_count_alike(self):
        head, test = '"""Jobs."""\nimport unittest\n\n\nclass Jobs(unittest.TestCase):\n', "    def test_order(self):\n        check(1)\n"
        for text in (head + f"    # {ASKED}\n" + test, head + test.replace("check(1)", f"check(1)  # {ASKED}"),
                     head + test.replace("check(1)", f'"""{ASKED}"""')):
            with self.subTest(text):
                self.write("tests/jobs_test.py", text)
                self.assertEqual(self.cell_of_asked(), "jobs_test.py: test_order")
        for text in (head.replace("Jobs.", ASKED) + test, head.replace('"""Jobs."""', f'"""Jobs.\n\n{ASKED}: order.\n"""') + test, f"# {ASKED}\n" + head + test,
                     head + f'    """{ASKED}"""\n\n' + test):
            with self.subTest(text):
                self.write("tests/jobs_test.py", text)
                self.assertEqual(self.cell_of_asked(), "no test yet")


class Ids(ConformanceTest):
    def test_an_unknown_id_fails(self):
        self.write(UNIT, HEADER + f"// {UNKNOWN}\n" + CASE)
        self.assert_fails(f"{UNIT}: {UNKNOWN} is not a case of tests/conformance/spec_ids.txt")
        self.write(UNIT, HEADER + CASE)
        self.write(UNTESTED, f"## state machine of a role that is not built yet\n{UNKNOWN}: later\n")
        self.assert_fails(f"{UNTESTED}: {UNKNOWN} is not a case of tests/conformance/spec_ids.txt")

    def test_a_reason_of_a_tested_id_fails(self):
        self.write(UNTESTED, f"## state machine of a role that is not built yet\n{ASKED}: later\n")
        self.assertEqual(self.cell_of_asked(), "state machine of a role that is not built yet: later")
        self.write(UNIT, HEADER + f"// {ASKED}\n" + CASE)
        self.assert_fails(f"{ASKED}: has a test; remove it from {UNTESTED}")

    def test_fewer_tested_cases_than_required_fail(self):
        self.write("tests/others_test.cpp", "".join(f"// {one}\n" for one in OTHERS[1:]) + CASE)
        self.assert_fails("Spark: 346 of 348 cases have a test; expected: at least 347")

    def test_an_old_page_fails(self):
        self.cell_of_asked()
        self.write(UNIT, HEADER + f"// {ASKED}\n" + CASE)
        self.assert_fails("docs/conformance.md is out of date; run tools/check_conformance --write")


if __name__ == "__main__":
    unittest.main()
