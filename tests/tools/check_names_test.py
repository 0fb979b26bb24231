"""tools/check_names: a type name is defined once per namespace, and once per room if the namespace is anonymous."""
import unittest

from source_tree import CheckTest


def in_namespace(text, name="heddle::policies"):
    return f"namespace {name} {{\n{text}\n}}  // namespace {name}\n"


class SingleDefinitions(CheckTest):
    check = "check_names"
    files = {"docs/event-log.md": "# Events\n"}

    def test_a_struct_and_an_enum_of_one_name_fail(self):
        self.write("policies/a.hpp", in_namespace("struct Place {\n  int x = 0;\n};"))
        self.write("policies/b.hpp", in_namespace("enum class Place : int { memory, disk };"))
        self.assert_fails("policies/a.hpp:2: heddle::policies::Place is defined 2 times; expected: one definition", "policies/b.hpp:2:")

    def test_an_alias_is_a_definition(self):
        self.write("policies/a.hpp", in_namespace("class Place {};"))
        self.write("work/b.hpp", in_namespace("template <class T>\nusing Place = int;"))
        self.assert_fails("work/b.hpp:3: heddle::policies::Place is defined 2 times")

    def test_other_namespaces_scopes_and_declarations_pass(self):
        self.write("policies/a.hpp", in_namespace("struct Place;\nenum class Kind : int;\nstruct Place { enum class Kind { a }; };"))
        self.write("work/a.hpp", in_namespace("struct Place { int x{0}; };", "heddle::work"))
        self.write("policies/b.hpp", in_namespace("struct Other { struct Place {}; using Kind = int; };\nenum class Kind : int { a };"))
        self.write("policies/c.cpp", in_namespace("int f() {\n  struct Place {};\n  return 0;\n}\nPlace g(struct Place& x) { return x; }"))
        self.write("policies/d.hpp", in_namespace("/*\nstruct Place {};\n*/\ntemplate <>\nstruct Hash<Place> {};\ntemplate <>\n"
                                                  "struct Hash<int> {};\n__extension__ using Wide = __int128;"))
        self.assert_passes()

    def test_nested_namespaces_are_joined(self):
        self.write("policies/a.hpp", "namespace heddle {\nnamespace policies {\nstruct Place {};\n}\n}\n")
        self.write("policies/b.hpp", in_namespace("struct Place final : Base {};"))
        self.assert_fails("policies/a.hpp:3: heddle::policies::Place is defined 2 times")

    def test_anonymous_types_of_one_room_fail(self):
        self.write("config/a.cpp", in_namespace("namespace {\nclass Reader {};\n}"))
        self.write("config/deep/b.cpp", in_namespace("namespace {\nstruct Reader {};\n}"))
        self.assert_fails("config/a.cpp:3: heddle::policies::Reader is defined 2 times in config/, at least once in an anonymous namespace")

    def test_an_anonymous_type_beside_a_named_one_of_its_room_fails(self):
        self.write("config/a.cpp", in_namespace("namespace {\nclass Reader {};\n}"))
        self.write("config/b.hpp", in_namespace("struct Reader {};"))
        self.assert_fails("config/b.hpp:2: heddle::policies::Reader is defined 2 times in config/")

    def test_anonymous_types_of_different_rooms_pass(self):
        self.write("config/a.cpp", in_namespace("namespace {\nclass Reader {};\n}"))
        self.write("work/a.cpp", in_namespace("namespace {\nclass Reader {};\n}"))
        self.assert_passes()

    def test_a_listed_name_passes_until_it_is_single(self):
        self.allow("type_twice heddle::policies::Place 2")
        self.write("policies/a.hpp", in_namespace("struct Place {};"))
        self.write("policies/b.hpp", in_namespace("struct Place {};"))
        self.assert_passes()
        (self.root / "policies/b.hpp").unlink()
        self.assert_fails("tools/structure_exceptions.txt:1: type_twice heddle::policies::Place: no longer occurs, remove the line")

    def test_words_of_the_glossary_are_still_checked(self):
        self.write("policies/a.hpp", in_namespace("struct WorkerTable {};"))
        self.assert_fails("policies/a.hpp: WorkerTable contains the banned word worker")


if __name__ == "__main__":
    unittest.main()
