"""tools/check_classes: how member functions, data members and files of a class are counted, and the three limits."""
import unittest

from source_tree import CheckTest


def functions(count, name="f"):
    return "".join(f"  void {name}{i}();\n" for i in range(count))


def members(count, name="m"):
    return "".join(f"  int {name}{i}_ = 0;\n" for i in range(count))


def header(*definitions, includes=""):
    return "#pragma once\n" + includes + "namespace heddle::model {\n" + "\n".join(definitions) + "\n}\n"


class MemberFunctions(CheckTest):
    check = "check_classes"

    def test_forty_functions_pass_and_forty_one_fail(self):
        self.write("model/a.hpp", header("struct A {\n" + functions(40) + "};"))
        self.assert_passes()
        self.write("model/a.hpp", header("struct A {\n" + functions(41) + "};"))
        self.assert_fails("model/a.hpp:3: heddle::model::A has 41 member functions; expected: at most 40")

    def test_defaulted_and_deleted_functions_do_not_count(self):
        special = ("  A(const A&) = delete;\n  A& operator=(const A&) = default;\n  ~A();\n"
                   "  friend bool operator==(const A&, const A&) = default;\n  int x = 0;\n")
        self.write("model/a.hpp", header("struct A {\n" + functions(40) + special + "};"))
        self.write("model/a.cpp", '#include "model/a.hpp"\nnamespace heddle::model {\nA::~A() = default;\n}\n')
        self.assert_passes()

    def test_constructors_operators_templates_and_friends_count(self):
        others = "  A(int);\n  A operator+(A) const;\n  operator bool() const;\n  template <class T> void t(T);\n  friend void g(A);\n"
        self.write("model/a.hpp", header("struct A {\n" + functions(36) + others + "};"))
        self.assert_fails("has 41 member functions")

    def test_functions_of_base_classes_count_and_overrides_count_once(self):
        base = "struct B {\n" + "".join(f"  virtual void f{i}();\n" for i in range(20)) + "};"
        self.write("model/a.hpp", header(base, "struct A : private B {\n" + functions(20) + functions(20, "g") + "};"))
        self.assert_passes()
        self.write("model/a.hpp", header(base, "struct A : private B {\n" + functions(20) + functions(21, "g") + "};"))
        self.assert_fails("heddle::model::A has 41 member functions")

    def test_functions_of_the_state_class_count(self):
        outer = "class A {\n  struct State;\n  std::unique_ptr<State> state_;\n" + functions(30) + "};"
        self.write("model/a.hpp", header(outer, includes="#include <memory>\n"))
        self.write("model/a.cpp", '#include "model/a.hpp"\nnamespace heddle::model {\nstruct A::State {\n' + functions(11, "g") + "};\n}\n")
        self.assert_fails("model/a.hpp:4: heddle::model::A has 41 member functions")

    def test_functions_of_other_nested_classes_do_not_count(self):
        row = "  struct Row {\n" + functions(30) + "  };\n  Row row_;\n"
        self.write("model/a.hpp", header("struct A {\n" + row + functions(30, "g") + "};"))
        self.assert_passes()

    def test_functions_of_the_standard_library_do_not_count(self):
        self.write("model/a.hpp", header("struct A : std::string {\n" + functions(3) + "};", includes="#include <string>\n"))
        self.assert_passes()

    def test_class_templates_count(self):
        self.write("model/a.hpp", header("template <class T> struct A {\n" + functions(41) + "};"))
        self.assert_fails("heddle::model::A has 41 member functions")

    def test_equal_names_in_anonymous_namespaces_are_both_seen(self):
        for name in ("a", "b"):
            self.write(f"model/{name}.cpp", "namespace heddle::model {\nnamespace {\nstruct A {\n" + functions(41) + "};\n}\n}\n")
        self.assert_fails("model/a.cpp:3: heddle::model::(anonymous)::A has 41", "model/b.cpp:3: heddle::model::(anonymous)::A has 41")


class DataMembers(CheckTest):
    check = "check_classes"

    def test_twenty_members_pass_and_twenty_one_fail(self):
        constants = '  static constexpr int limits[2] = {1, 2};\n  static constexpr const char* names[] = {"a"};\n'
        self.write("work/a.hpp", header("struct A {\n" + members(20) + constants + "};"))
        self.assert_passes()
        self.write("work/a.hpp", header("struct A {\n" + members(20) + "  static int total;\n};"))
        self.assert_fails("work/a.hpp:3: heddle::model::A has 21 data members; expected: at most 20")

    def test_members_of_base_and_state_classes_count(self):
        outer = "class A : B {\n  std::unique_ptr<AState> state_;\n" + members(10) + "};"
        inner = "struct AState {\n" + members(5, "s") + "};"
        base = "struct B {\n" + members(5, "b") + "};"
        self.write("model/a.hpp", header(inner, base, outer, includes="#include <memory>\n"))
        self.assert_fails("heddle::model::A has 21 data members")


class Files(CheckTest):
    check = "check_classes"

    def test_three_files_pass_and_four_fail(self):
        self.write("actors/driver/a.hpp", header("struct A {\n" + functions(3) + "};"))
        for i in range(2):
            self.write(f"actors/driver/a{i}.cpp", f'#include "actors/driver/a.hpp"\nnamespace heddle::model {{\nvoid A::f{i}() {{}}\n}}\n')
        self.assert_passes()
        self.write("actors/driver/a2.cpp", '#include "actors/driver/a.hpp"\nnamespace heddle::model {\nvoid A::f2() {}\n}\n')
        self.assert_fails("actors/driver/a.hpp:3: heddle::model::A has 4 files; expected: at most 3")

    def test_files_of_several_unity_files_count(self):
        self.write("model/a.hpp", header("struct A {\n" + functions(3) + "};"))
        for i, room in enumerate(("model", "work", "apps")):
            self.write(f"{room}/a.cpp", f'#include "model/a.hpp"\nnamespace heddle::model {{\nvoid A::f{i}() {{}}\n}}\n')
        self.assert_fails("heddle::model::A has 4 files")


class Program(CheckTest):
    check = "check_classes"

    def test_an_error_of_the_compiler_fails(self):
        self.write("model/a.hpp", "#pragma once\nstruct A { Unknown member; };\n")
        self.assert_fails("model/a.hpp:2: libclang: unknown type name 'Unknown'")

    def test_tests_are_not_checked(self):
        self.write("tests/a.hpp", header("struct A {\n" + functions(41) + "};"))
        self.assert_passes()

    def test_a_cached_result_is_updated_when_sources_change(self):
        self.write("model/a.hpp", header("struct A {\n" + functions(41) + "};"))
        self.assert_fails("has 41 member functions")
        self.assert_fails("has 41 member functions")
        self.assertTrue(list((self.root / "build/class_check").iterdir()))
        self.write("model/a.hpp", header("struct A {\n" + functions(40) + "};"))
        self.assert_passes()

    def test_a_listed_class_may_not_grow(self):
        self.allow("class_functions heddle::model::A 41")
        self.write("model/a.hpp", header("struct A {\n" + functions(41) + "};"))
        self.assert_passes()
        self.write("model/a.hpp", header("struct A {\n" + functions(42) + "};"))
        self.assert_fails("[class_functions heddle::model::A 42; listed: 41]")


if __name__ == "__main__":
    unittest.main()
