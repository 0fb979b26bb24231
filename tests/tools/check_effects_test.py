"""tools/check_effects: each effect has a role that handles it and each input a caller, or a row in docs/conformance.md."""
import unittest

from source_tree import CheckTest

DECIDER = """namespace heddle::policies {
struct Launched {
  int task = 0;
};
struct Killed {};
using JobEffect = std::variant<Launched, Killed>;
class JobScheduler {
public:
  void on_job(int job);
  void on_time() { if (due_) { launch(); } }
  [[nodiscard]] bool is_idle() const;

private:
  void on_private_event();
  bool due_ = false;
};
}  // namespace heddle::policies
"""
ROLE = """namespace heddle::actors {
void Driver::on_submit_job(const SubmitJob& message) {
  policies::JobScheduler scheduler;
  scheduler.on_job(1);
  scheduler.on_time();
}
void Driver::apply(const policies::JobEffect& effect) {
  if (const auto* launched = std::get_if<policies::Launched>(&effect)) launch(*launched);
  else if (std::holds_alternative<policies::Killed>(effect)) kill();
}
}  // namespace heddle::actors
"""
ASKER = "bool ask(const policies::JobScheduler& jobs) { return jobs.is_idle(); }\n"
HEADING = "# Page\n\n## Effects and inputs without a caller\n\n| name | kind | reason |\n| --- | --- | --- |\n"
UNSET = "Settings of deciders that the product does not set"
NUMBERED = "C" + "-XX-1"


class EffectsTest(CheckTest):
    check = "check_effects"
    files = {"policies/job_scheduler.hpp": DECIDER, "actors/driver/driver.cpp": ROLE, "docs/conformance.md": HEADING, "apps/main.cpp": ASKER,
             "tests/conformance/spec_ids.txt": NUMBERED + "\n", "tests/conformance/cases/job_script.json.zst": ""}

    def list_rows(self, *rows):
        text = "".join(f"| `{name}` | {kind} | {reason} |\n" for name, kind, reason in rows)
        self.write("docs/conformance.md", HEADING + text + "\n## Next\n")


class Effects(EffectsTest):
    def test_handled_effects_and_called_inputs_pass(self):
        self.assertIn("2 effects, 1 deciders and 0 structs of inputs", self.assert_passes())

    def test_an_effect_without_a_role_fails(self):
        self.write("actors/driver/driver.cpp", ROLE.replace("std::holds_alternative<policies::Killed>(effect)", "true"))
        self.assert_fails('policies/job_scheduler.hpp:6: Killed: no role handles this effect of JobEffect; expected: a caller, '
                          'or a row of kind "effect" in docs/conformance.md')

    def test_a_recorder_does_not_handle_an_effect(self):
        self.write("actors/driver/recorded_jobs.cpp", "void f() { if (std::get_if<policies::Killed>(&e)) g(); }\n")
        self.write("actors/driver/driver.cpp", ROLE.replace("std::holds_alternative<policies::Killed>(effect)", "true"))
        self.assert_fails("Killed: no role handles this effect")

    def test_a_visitor_handles_an_effect_unless_its_body_is_empty(self):
        role = ROLE.replace("std::holds_alternative<policies::Killed>(effect)", "true")
        for visitor in ("void operator()(const policies::Killed&) { kill(); }", "void f(Instant now, const policies::Killed& killed) {\n}"):
            with self.subTest(visitor):
                self.write("actors/driver/driver.cpp", role + visitor + "\n")
                self.assert_passes()
        self.write("actors/driver/driver.cpp", role + "void operator()(const policies::Killed&) {}\n")
        self.assert_fails("Killed: no role handles this effect")

    def test_a_row_allows_an_effect_or_a_variant(self):
        self.write("actors/driver/driver.cpp", ROLE.split("void Driver::apply")[0] + "}\n")
        self.list_rows(("Killed", "effect", "recorded case `job_script`"), ("Launched", "effect", NUMBERED))
        self.assert_passes()
        self.list_rows(("JobEffect", "effects", "planned: standing cluster"))
        self.assert_passes()

    def test_a_row_of_a_handled_effect_fails(self):
        self.list_rows(("Killed", "effect", "recorded case `job_script`"))
        self.assert_fails("docs/conformance.md:7: effect Killed has a caller or does not exist: remove the row")
        self.list_rows(("JobEffect", "effects", "recorded case `job_script`"))
        self.assert_fails("effects JobEffect has a caller or does not exist")


class Inputs(EffectsTest):
    def test_an_input_without_a_caller_fails(self):
        self.write("actors/driver/driver.cpp", ROLE.replace("scheduler.on_time();", ""))
        self.assert_fails("policies/job_scheduler.hpp:10: JobScheduler::on_time: no role calls this input")

    def test_a_recorder_does_not_call_an_input(self):
        self.write("actors/driver/driver.cpp", ROLE.replace("scheduler.on_time();", "").replace("policies::JobScheduler", "RecordedJobs"))
        self.write("actors/driver/recorded_jobs.hpp",
                   "class RecordedJobs : private policies::JobScheduler {\n  void on_time() {\n    JobScheduler::on_time();\n  }\n};\n")
        self.assert_fails("JobScheduler::on_time: no role calls this input")

    def test_a_call_through_the_recorder_counts(self):
        self.write("actors/driver/driver.cpp", ROLE.replace("policies::JobScheduler", "RecordedJobs"))
        self.write("actors/driver/recorded_jobs.hpp", "class RecordedJobs : private policies::JobScheduler {};\n")
        self.assert_passes()

    def test_a_call_of_another_deciders_input_does_not_count(self):
        other = DECIDER.replace("JobScheduler", "StageScheduler").replace("JobEffect", "StageState")
        self.write("policies/stage_scheduler.hpp", other)
        self.write("actors/driver/driver.cpp", ROLE + "void f(policies::StageScheduler& stages) { stages.on_job(1); }\n")
        self.assert_fails("StageScheduler::on_time: no role calls this input")

    def test_a_call_through_another_deciders_recorder_does_not_count(self):
        self.write("policies/stage_scheduler.hpp", DECIDER.replace("JobScheduler", "StageScheduler").replace("JobEffect", "StageState"))
        self.write("actors/driver/recorded_jobs.hpp", "class RecordedJobs : private policies::JobScheduler {};\n")
        self.write("actors/driver/driver.cpp", ROLE.replace("policies::JobScheduler", "RecordedJobs")
                   + "void f(policies::StageScheduler& stages) { stages.on_job(1); }\n")
        self.assert_fails("StageScheduler::on_time: no role calls this input")

    def test_a_decider_of_a_role_needs_a_caller_in_the_role(self):
        self.write("actors/driver/driver.cpp", ROLE.replace("scheduler.on_time();", ""))
        self.write("policies/other.cpp", "void f(JobScheduler& jobs) { jobs.on_time(); }\n")
        self.assert_fails("JobScheduler::on_time: no role calls this input")

    def test_a_decider_that_no_role_has_needs_one_row(self):
        self.write("actors/driver/driver.cpp", ROLE.replace("policies::JobScheduler", "OtherScheduler"))
        output = self.assert_fails('JobScheduler: no role and no other decider has this decider; expected: a caller, or a row of kind "de')
        self.assertNotIn("on_time", output)
        self.list_rows(("JobScheduler", "decider", "planned: standing cluster"))
        self.assert_passes()

    def test_a_decider_inside_another_may_be_called_in_policies(self):
        self.write("policies/book.hpp", "namespace heddle::policies {\nclass Book {\npublic:\n  void on_page();\n};\n}\n")
        self.write("policies/job_scheduler.cpp", "void JobScheduler::on_job(int) { Book book; book.on_page(); }\n")
        self.assert_passes()
        self.write("policies/job_scheduler.cpp", "void JobScheduler::on_job(int) { Book book; }\n")
        self.assert_fails("policies/book.hpp:4: Book::on_page: no role calls this input")

    def test_an_alias_of_a_namespace_or_a_struct_names_an_input(self):
        self.write("policies/job_inputs.hpp", "namespace heddle::policies::job_input {\nstruct Begun {};\n}\n")
        decider = DECIDER.replace("  void on_job", "  void apply(Instant now, const job_input::Begun& input);\n  void on_job")
        self.write("policies/job_scheduler.hpp", decider)
        self.assert_fails("job_input::Begun: no role uses this input")
        for alias, use in (("namespace in = policies::job_input;", "in::Begun{}"), ("using Begun = policies::job_input::Begun;", "Begun{}")):
            with self.subTest(alias):
                self.write("actors/driver/driver.cpp", f"{alias}\n{ROLE}void f(policies::JobScheduler& jobs) {{ jobs.apply(now, {use}); }}\n")
                self.assert_passes()
        self.write("actors/driver/driver.cpp", "using Begun = policies::job_input::Begun;\n" + ROLE)
        self.assert_fails("job_input::Begun: no role uses this input")


class Members(EffectsTest):
    def test_a_member_that_only_tests_call_fails(self):
        self.write("apps/main.cpp", "")
        self.write("tests/policies/job_scheduler_test.cpp", ASKER)
        self.assert_fails("policies/job_scheduler.hpp:11: JobScheduler::is_idle: only tests call this member; expected: a caller, or a row")

    def test_a_member_of_the_same_name_of_another_class_does_not_count(self):
        self.write("model/jobs.hpp", "struct Jobs {\n  bool is_idle() const;\n};\n")
        self.write("apps/main.cpp", ASKER.replace("policies::JobScheduler", "Jobs"))
        self.assert_fails("JobScheduler::is_idle: only tests call this member")

    def test_the_decider_itself_may_call_it(self):
        self.write("apps/main.cpp", "")
        self.write("policies/job_scheduler.cpp", "void JobScheduler::on_job(int) {\n  if (is_idle()) launch();\n}\n")
        self.assert_passes()

    def test_constructors_operators_and_invariants_need_no_caller(self):
        members = "  explicit JobScheduler(int);\n  bool operator==(const JobScheduler&) const;\n  void check_invariants() const;\n"
        self.write("policies/job_scheduler.hpp", DECIDER.replace("  void on_job", members + "  void on_job"))
        self.assert_passes()

    def test_a_row_allows_it_for_a_case_or_for_a_test_that_names_it(self):
        self.list_rows(("JobScheduler::is_idle", "member", NUMBERED))
        self.assert_fails("member JobScheduler::is_idle has a caller or does not exist: remove the row")
        self.write("apps/main.cpp", "")
        self.assert_passes()
        self.list_rows(("JobScheduler::is_idle", "member", "test `tests/policies/jobs_test.cpp`"))
        self.assert_fails("JobScheduler::is_idle: tests/policies/jobs_test.cpp does not use it")
        self.write("tests/policies/jobs_test.cpp", ASKER)
        self.assert_passes()


class Settings(EffectsTest):
    files = {**EffectsTest.files, "policies/job_settings.hpp": "namespace heddle::policies {\nstruct JobLimits {\n  int most = 2;\n};\n"
             "struct JobSettings {\n  int first = 1, second = 2;\n  JobLimits limits;\n};\nstruct JobView {\n  int shown = 0;\n};\n}\n"}

    def fill(self, body):
        self.write("apps/settings.cpp", f"policies::JobSettings job_settings() {{\n  {body}\n}}\n")

    def test_settings_that_the_product_sets_pass(self):
        for body in ("policies::JobSettings made;\n  made.first = made.second = 2;\n  made.limits.most = 3;\n  return made;",
                     "return {1, 2, {3}};", "return {.first = 1, .second = 2, .limits = {.most = 3}};",
                     "return policies::JobSettings{1, 2, policies::JobLimits{3}};"):
            with self.subTest(body):
                self.fill(body)
                self.assert_passes()

    def test_a_setting_that_the_product_does_not_set_fails(self):
        self.fill("policies::JobSettings made{1};\n  made.limits.most = made.second;\n  return policies::JobSettings{made};")
        self.assert_fails('policies/job_settings.hpp:6: JobSettings::second: the product does not set this setting; expected: a caller, or a '
                          'row of kind "setting" in docs/conformance.md, "Settings of deciders that the product does not set"')

    def test_a_row_allows_it_until_the_product_sets_it(self):
        rows = HEADING + HEADING.replace("# Page", "").replace("Effects and inputs without a caller", UNSET)
        self.write("docs/conformance.md", rows + f"| `JobSettings::second` | setting | {NUMBERED} |\n")
        self.fill("return {.first = 1, .limits = {3}};")
        self.assert_passes()
        self.fill("return {1, 2, {3}};")
        self.assert_fails("setting JobSettings::second has a caller or does not exist: remove the row")
        self.write("docs/conformance.md", HEADING + f"| `JobSettings::second` | setting | {NUMBERED} |\n")
        self.assert_fails("docs/conformance.md:7: expected | `name` | effect, effects, input, member or decider | reason |")


class Reasons(EffectsTest):
    def test_reasons_are_checked(self):
        self.write("actors/driver/driver.cpp", ROLE.replace("scheduler.on_time();", ""))
        for reason, error in (("because", 'expected "recorded case `KIND`", a numbered case or "planned: FEATURE"'),
                              ("recorded case `unknown`", "no recorded case of kind unknown"),
                              ("C" + "-YY-2", "no numbered case " + "C" + "-YY-2")):
            with self.subTest(reason):
                self.list_rows(("JobScheduler::on_time", "input", reason))
                self.assert_fails("docs/conformance.md:7: JobScheduler::on_time: " + error)

    def test_malformed_and_double_rows_fail(self):
        self.list_rows(("JobScheduler::is_idle", "question", NUMBERED))
        self.assert_fails("docs/conformance.md:7: expected | `name` | effect, effects, input, member or decider | reason |")
        self.list_rows(("JobScheduler::is_idle", "member", NUMBERED), ("JobScheduler::is_idle", "member", NUMBERED))
        self.assert_fails("docs/conformance.md:8: JobScheduler::is_idle occurs twice")


if __name__ == "__main__":
    unittest.main()
