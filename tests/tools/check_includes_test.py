"""tools/check_includes: the ladder, the links of rooms, cycles, sizes of rooms, README files."""
import unittest

from source_tree import CheckTest

LADDER = """# Architecture

## The ladder

| from \\ to | model | config | policies | own role | other role | CAF itself |
|---|---|---|---|---|---|---|
| model | yes | | | | | no |
| config | yes | yes | | | | no |
| policies | yes | structs only | yes | | | no |
| work | yes | yes | | | | no |
| actors/role | yes | structs only | yes | yes | **no** | yes |
| apps | yes | yes | yes | yes | | yes |
"""
BUILD = """# heddle_room(ignored LINKS heddle_model)
heddle_room(model  LINKS fmt::fmt)
heddle_room(config/text   LINKS heddle_model)
heddle_room(config/table  LINKS heddle_config_text
  PRIVATE heddle_hidden)
heddle_group(config text table)
heddle_room(policies/tables        LINKS heddle_model)
heddle_room(policies/tasks         LINKS heddle_policies_tasks_types)
heddle_room(policies/tasks/types   LINKS heddle_model)
heddle_room(policies/cluster       LINKS heddle_policies_tables heddle_config)
heddle_group(policies tables tasks tasks/types cluster)
foreach(role IN ITEMS driver executor)
  heddle_room(actors/${role} LINKS heddle_policies)
endforeach()
"""
ROOMS = ["model", "config", "config/text", "config/table", "policies", "policies/tables", "policies/tasks", "policies/tasks/types",
         "policies/cluster", "actors/driver", "actors/executor"]


class Tree(CheckTest):
    check = "check_includes"
    files = {"docs/ARCHITECTURE.md": LADDER, "CMakeLists.txt": BUILD} | {f"{room}/README.md": "# A room\n" for room in ROOMS}

    def include(self, path, target):
        self.write(path, f'#pragma once\n#include "{target}"\n')

    def build(self, old, new):
        self.assertIn(old, BUILD)
        self.write("CMakeLists.txt", BUILD.replace(old, new))


class Links(Tree):
    def test_an_empty_tree_passes(self):
        self.assertIn("the links of 9 rooms hold", self.assert_passes())

    def test_a_linked_room_passes(self):
        self.include("policies/tasks/a.hpp", "policies/tasks/types/b.hpp")
        self.assert_passes()

    def test_a_room_that_a_linked_room_links_passes(self):
        self.include("policies/tasks/a.hpp", "model/ids.hpp")
        self.include("config/table/a.cpp", "model/ids.hpp")
        self.assert_passes()

    def test_rooms_of_a_linked_group_pass(self):
        self.include("policies/cluster/a.hpp", "config/table/sections.hpp")
        self.include("actors/executor/a.hpp", "policies/tasks/types/b.hpp")
        self.assert_passes()

    def test_a_room_that_is_not_linked_fails(self):
        self.include("policies/tasks/a.hpp", "policies/tables/b.hpp")
        self.assert_fails("policies/tasks/a.hpp:2: policies/tasks may not include policies/tables; expected: heddle_policies_tables "
                          "in the LINKS of policies/tasks, CMakeLists.txt:8: policies/tables/b.hpp")

    def test_a_link_does_not_hold_the_other_way(self):
        self.include("policies/tasks/types/a.hpp", "policies/tasks/b.hpp")
        self.assert_fails("policies/tasks/types/a.hpp:2: policies/tasks/types may not include policies/tasks; expected:")

    def test_a_folder_that_the_ladder_allows_and_no_link_fails(self):
        self.include("policies/tables/a.hpp", "config/table/sections.hpp")
        self.assert_fails("policies/tables/a.hpp:2: policies/tables may not include config/table; expected:")

    def test_a_link_to_nothing_fails(self):
        self.build("LINKS heddle_policies_tasks_types", "LINKS heddle_policies_task")
        self.assert_fails("CMakeLists.txt:8: policies/tasks links heddle_policies_task; expected: a room or a group of this file")

    def test_sources_outside_of_a_declared_room_fail(self):
        for path, folder in (("policies/a.hpp", "policies"), ("config/files/a.cpp", "config/files")):
            with self.subTest(path):
                self.write(path, "\n")
                self.assert_fails(f"{path}:1: {folder} is not a room; expected: a heddle_room({folder} …) in CMakeLists.txt")


class Ladder(Tree):
    def test_a_folder_above_fails_though_it_is_linked(self):
        self.build("heddle_room(model  LINKS fmt::fmt)", "heddle_room(model  LINKS heddle_config_text)")
        self.include("model/a.hpp", "config/text/b.hpp")
        self.assert_fails("model/a.hpp:2: model may not include config; expected: a yes in its row")

    def test_caf_in_a_policy_fails(self):
        self.write("policies/tasks/a.cpp", "\n#include <caf/actor.hpp>\n")
        self.assert_fails("policies/tasks/a.cpp:2: CAF may not be included here: caf/actor.hpp")

    def test_another_role_fails_and_the_own_one_passes(self):
        self.include("actors/driver/a.hpp", "actors/driver/b.hpp")
        self.assert_passes()
        self.include("actors/driver/a.hpp", "actors/executor/b.hpp")
        self.assert_fails("actors/driver/a.hpp:2: actors may not include actors")


    def test_structs_only_allows_the_listed_headers_only(self):
        self.build("policies/tasks/types   LINKS heddle_model", "policies/tasks/types   LINKS heddle_config_table")
        self.include("policies/tasks/types/a.hpp", "config/table/sections.hpp")
        self.assert_passes()
        self.include("policies/tasks/types/a.hpp", "config/table/settings.hpp")
        self.assert_fails("policies/tasks/types/a.hpp:2: policies may include structs of config only; expected: a header of STRUCTS")

    def test_another_word_in_the_table_fails(self):
        self.write("docs/ARCHITECTURE.md", LADDER.replace("structs only", "interfaces"))
        self.assert_fails('docs/ARCHITECTURE.md: policies -> config: interfaces; expected: "yes", "no", "structs only" or nothing')


class Circles(Tree):
    def test_a_cycle_of_links_fails(self):
        self.build("tasks/types   LINKS heddle_model", "tasks/types   LINKS heddle_policies_tasks")
        self.assert_fails("CMakeLists.txt:8: links in a circle: policies/tasks -> policies/tasks/types -> policies/tasks; expected:")

    def test_a_cycle_of_includes_between_folders_without_links_fails(self):
        for folder in ("apps", "apps/cli", "apps/output"):
            self.write(f"{folder}/README.md", "# A room\n")
        self.include("apps/cli/a.hpp", "apps/output/b.hpp")
        self.assert_passes()
        self.include("apps/output/b.hpp", "apps/cli/c.hpp")
        self.assert_fails("apps/cli/a.hpp:2: includes in a circle: apps/cli -> apps/output -> apps/cli; expected:")


class Sizes(Tree):
    def test_thirty_units_pass_and_one_more_fails(self):
        for number in range(30):
            self.write(f"policies/tasks/unit_{number}.hpp", "\n")
            self.write(f"policies/tasks/unit_{number}.cpp", "\n")
        self.write("policies/tasks/types/of_another_room.hpp", "\n")
        self.assert_passes()
        self.write("policies/tasks/unit_30.cpp", "\n")
        self.assert_fails("policies/tasks:1: the room has 31 units (headers and sources of one name); expected: at most 30")


class Readmes(Tree):
    def test_a_room_and_a_group_without_readme_fail(self):
        for room in ("policies/tasks", "policies"):
            with self.subTest(room):
                (self.root / room / "README.md").unlink()
                self.assert_fails(f"{room}/README.md:1: missing; expected:")

    def test_a_folder_of_apps_without_readme_fails(self):
        self.write("apps/README.md", "# All\n")
        self.write("apps/cli/a.hpp", "\n")
        self.assert_fails("apps/cli/README.md:1: missing")

    def test_a_readme_of_fourteen_lines_passes_and_one_of_fifteen_fails(self):
        self.write("model/README.md", "line\n" * 14)
        self.assert_passes()
        self.write("model/README.md", "line\n" * 15)
        self.assert_fails("model/README.md:15: 15 lines; expected: at most 14")

    def test_the_includes_of_a_room_are_those_of_its_sources(self):
        self.include("policies/cluster/a.hpp", "policies/tables/b.hpp")
        self.include("policies/cluster/b.hpp", "model/b.hpp")
        for sentence, error in (("`policies/tables` and `model/`.", ""), ("`policies/` and `model/`; not\n`config/`.", ""),
                                ("`{policies/tables,model}`.", ""), ("`policies/tables` and other rooms.", ""),
                                ("`model/`. Not here: `policies/tables`.", "Includes …: policies/tables missing"),
                                ("`model/`, `policies/tables` and `config/`.", "Includes config: no such include")):
            with self.subTest(sentence):
                self.write("policies/cluster/README.md", "# Cluster\n\nIncludes " + sentence + "\n")
                if error:
                    self.assert_fails("policies/cluster/README.md:3: " + error)
                else:
                    self.assert_passes()

    def test_the_users_of_a_room_are_those_that_include_it(self):
        self.include("policies/cluster/a.hpp", "policies/tables/b.hpp")
        self.write("policies/tables/README.md", "Includes no room. Included by `policies/cluster`.\n")
        self.assert_passes()
        self.write("policies/tables/README.md", "Included by `actors/driver`.\n")
        self.assert_fails("policies/tables/README.md:1: Included by actors/driver: no such include",
                          "policies/tables/README.md:1: Included by …: policies/cluster missing")


if __name__ == "__main__":
    unittest.main()
