"""tools/check_docs: length of docs/ARCHITECTURE.md, and the files named there and in README.md of rooms."""
import unittest

from source_tree import CheckTest

PAGE = """# Architecture

## Rooms

| `docs/` | pages |
| `model/` | values |
| `tools/` | checks |

## Next
"""


class Docs(CheckTest):
    check = "check_docs"
    files = {"docs/ARCHITECTURE.md": PAGE, "docs/decisions/0001-dependencies.md": "# Libraries\n", "CMakeLists.txt": "",
             "model/ids.hpp": "\n", "model/time/clock.hpp": "\n", "model/time/zone.hpp": "\n"}

    def test_named_files_pass(self):
        self.write("model/README.md", "- `ids.hpp`, `model/ids.hpp`: ids. `model/time/clock.hpp`, `zone.hpp`. `ids_of_….hpp`, `*.cpp`\n")
        self.assert_passes()

    def test_a_named_file_that_does_not_exist_fails(self):
        self.write("model/README.md", "# model\n`names.hpp`\n")
        self.assert_fails("model/README.md:2: names names.hpp; expected: an existing file, relative to the root or to the folder of the page")
        self.write("model/README.md", "`zone.hpp` without its folder\n")
        self.assert_fails("model/README.md:1: names zone.hpp")

    def test_the_page_names_existing_files(self):
        self.write("docs/ARCHITECTURE.md", PAGE + "| 1 | `model/gone.cpp` |\n")
        self.assert_fails("docs/ARCHITECTURE.md:10: names model/gone.cpp")

    def test_a_long_page_and_a_wide_line_fail(self):
        self.write("docs/ARCHITECTURE.md", PAGE + "line\n" * (240 - 9))
        self.assert_passes()
        self.write("docs/ARCHITECTURE.md", PAGE + "line\n" * (240 - 8))
        self.assert_fails("docs/ARCHITECTURE.md: 241 lines; expected: at most 240")
        self.write("docs/ARCHITECTURE.md", PAGE + "x" * 121 + "\n")
        self.assert_fails("docs/ARCHITECTURE.md:10: 121 columns; expected: at most 120")

    def test_a_folder_without_a_row_fails(self):
        self.write("ports/clock.hpp", "\n")
        self.assert_fails("docs/ARCHITECTURE.md: folder ports/ is not in the table of rooms")


if __name__ == "__main__":
    unittest.main()
