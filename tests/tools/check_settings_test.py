"""tools/check_settings: each setting has a description, bounds and a reader that does more than copy it."""
import unittest

from source_tree import CheckTest

ROW = '  ROW(wait, duration, "heddle.driver.wait", seconds(1), milliseconds(1), hours(1), ms, "", no, \\\n      "Time before a retry.")'
TABLE = "#define HEDDLE_DRIVER_SETTINGS(ROW) \\\n" + ROW + "\n"
SECTIONS = "#define HEDDLE_SETTINGS_SECTIONS(SECTION) SECTION(DriverSettings, driver, HEDDLE_DRIVER_SETTINGS)\n"
STRUCTS = """namespace heddle::actors {
struct DriverIntervals {
  Duration other;
  Duration wait_most;
};
struct DriverStart {
  DriverIntervals intervals;
};
struct RoundSettings {
  Duration wait_most;
};
struct ClientSettings {
  Duration wait_most;
};
}
"""
COPY = """#include "actors/driver/settings.hpp"
namespace heddle::apps {
actors::DriverStart driver_start(const config::Settings& settings) {
  actors::DriverStart made;
  made.intervals.wait_most = settings.driver().wait;
  return made;
}
}
"""
SECOND_COPY = """#include "actors/driver/settings.hpp"
namespace heddle::actors {
RoundSettings round_settings(const DriverStart& start) {
  RoundSettings rounds;
  rounds.wait_most = start.intervals.wait_most;
  return rounds;
}
}
"""
READER = "namespace heddle::actors {\nvoid Rounds::begin(const RoundSettings& settings) {\n  arm(settings.wait_most);\n}\n}\n"


class SettingsTest(CheckTest):
    check = "check_settings"
    files = {"config/table/settings_of_driver.hpp": TABLE, "config/table/settings_table.hpp": SECTIONS,
             "actors/driver/settings.hpp": STRUCTS, "apps/roles/role_settings.cpp": COPY}

    def read_with(self, statement, parameter="const RoundSettings& settings"):
        self.write("actors/driver/rounds.cpp", f"namespace heddle::actors {{\nvoid Rounds::begin({parameter}) {{\n  {statement}\n}}\n}}\n")

    def assert_lost_in(self, *fields):
        self.assert_fails(f"heddle.driver.wait: is copied to {' and '.join(fields)}, which no code reads; use it or delete its row")


class Readers(SettingsTest):
    def test_a_setting_that_code_reads_passes(self):
        self.write("apps/roles/role_settings.cpp", "void f(const config::Settings& settings) {\n  sleep(settings.driver().wait);\n}\n")
        self.assertIn("1 rows", self.assert_passes())

    def test_a_setting_without_a_use_fails(self):
        self.write("apps/roles/role_settings.cpp", "")
        self.assert_fails("heddle.driver.wait: no code reads it; use it or delete its row")

    def test_a_copy_without_a_reader_fails(self):
        self.assert_lost_in("DriverIntervals.wait_most")

    def test_a_second_copy_without_a_reader_fails(self):
        self.write("actors/driver/round_settings.cpp", SECOND_COPY)
        self.assert_lost_in("RoundSettings.wait_most")

    def test_a_reader_behind_two_copies_passes(self):
        self.write("actors/driver/round_settings.cpp", SECOND_COPY)
        self.write("actors/driver/rounds.cpp", READER)
        self.assert_passes()

    def test_a_reader_of_another_struct_does_not_count(self):
        self.read_with("arm(settings.wait_most);", "const ClientSettings& settings")
        self.assert_lost_in("DriverIntervals.wait_most")

    def test_an_object_of_unknown_type_does_not_count_if_two_structs_have_the_field(self):
        self.read_with("arm(unknown(1).wait_most);")
        self.assert_lost_in("DriverIntervals.wait_most")

    def test_an_assignment_to_the_copy_does_not_count(self):
        self.read_with("intervals.wait_most = 3;", "DriverIntervals& intervals")
        self.assert_lost_in("DriverIntervals.wait_most")

    def test_a_condition_of_the_copy_does_not_count(self):
        self.write("apps/roles/role_settings.cpp", COPY.replace("  made.intervals", "  if (settings.driver().wait > 0) made.intervals"))
        self.assert_lost_in("DriverIntervals.wait_most")

    def test_a_message_and_a_field_list_do_not_count(self):
        self.write("messages/driver.hpp", "void inspect(actors::DriverIntervals& x) {\n  all(x.wait_most);\n}\n")
        self.write("actors/driver/log.cpp", 'void list(DriverIntervals& self) {\n  visit("wait_most", self.wait_most);\n}\n')
        self.assert_lost_in("DriverIntervals.wait_most")


class Copies(SettingsTest):
    def copy_with(self, body, result="actors::RoundSettings"):
        self.write("apps/roles/role_settings.cpp", f'#include "actors/driver/settings.hpp"\nnamespace heddle::apps {{\n'
                   f"{result} made_settings(const config::Settings& settings) {{\n  {body}\n}}\n}}\n")

    def test_braced_lists_are_copies_by_position(self):
        for body, result in (("return {settings.driver().wait};", "actors::RoundSettings"),
                             ("return {{2, settings.driver().wait}};", "actors::DriverStart"),
                             ("return actors::RoundSettings{settings.driver().wait};", "auto"),
                             ("return {.wait_most = settings.driver().wait};", "actors::RoundSettings"),
                             ("std::vector<actors::RoundSettings> made;\n  made.push_back({settings.driver().wait});\n  return made;", "Rounds")):
            with self.subTest(body):
                self.copy_with(body, result)
                lost = "DriverIntervals.wait_most" if "DriverStart" in result else "RoundSettings.wait_most"
                self.assert_lost_in(lost)
                self.read_with("arm(settings.wait_most);", f"const {lost.split('.')[0]}& settings")
                self.assert_passes()
                self.write("actors/driver/rounds.cpp", "")

    def test_variables_and_return_values_are_followed(self):
        for body in ("actors::RoundSettings made;\n  const auto named = settings.driver().wait;\n  made.wait_most = named;\n  return made;",
                     "actors::RoundSettings made;\n  made.wait_most = wait_of(settings);\n  return made;"):
            with self.subTest(body):
                self.copy_with(body)
                self.write("apps/roles/wait.cpp", '#include "apps/roles/wait.hpp"\nDuration wait_of(const config::Settings& settings) {\n'
                           "  return settings.driver().wait;\n}\n" if "wait_of" in body else "")
                self.assert_lost_in("RoundSettings.wait_most")
                self.write("actors/driver/rounds.cpp", READER)
                self.assert_passes()
                self.write("actors/driver/rounds.cpp", "")

    def test_a_constructor_of_a_class_reads_its_arguments(self):
        self.write("actors/driver/rounds.hpp", "namespace heddle::actors {\nclass Rounds {\n  Gate gate_;\n};\nclass Gate {\n  int wait_;\n};\n}\n")
        self.write("actors/driver/rounds.cpp", "namespace heddle::actors {\nRounds::Rounds(const DriverIntervals& intervals)\n"
                   "    : gate_{intervals.wait_most} {}\n}\n")
        self.assert_passes()


class Rows(SettingsTest):
    def test_a_row_without_description_or_bounds_fails(self):
        self.write("config/table/settings_of_driver.hpp", TABLE.replace("Time before a retry.", "Time"))
        self.assert_fails("heddle.driver.wait: no description; expected: a sentence that ends with a full stop")
        self.write("config/table/settings_of_driver.hpp", TABLE.replace("milliseconds(1), hours(1)", '"", ""'))
        self.assert_fails("heddle.driver.wait: no bounds; expected: a lower and an upper bound that differ")

    def test_a_fallback_of_a_setting_that_is_read_passes(self):
        self.write("config/table/settings_of_driver.hpp", TABLE + ROW.replace("wait", "wait_all").join(
            ("#define HEDDLE_OTHER_SETTINGS(ROW) \\\n", "\n")))
        self.write("config/table/settings_table.hpp", SECTIONS + "SECTION(OtherSettings, other, HEDDLE_OTHER_SETTINGS)\n")
        self.write("apps/roles/role_settings.cpp", "void f(const config::Settings& settings) {\n  sleep(settings.driver().wait);\n}\n")
        self.assert_fails("heddle.driver.wait_all: no code reads it")
        self.write("config/table/setting_rows.cpp", 'fallbacks{{"heddle.driver.wait", "heddle.driver.wait_all"}};\n')
        self.assert_passes()


if __name__ == "__main__":
    unittest.main()
