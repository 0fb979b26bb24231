"""Shared by check_classes, check_names, check_roles and check_effects: source files, source text without comments, and the list of
exceptions, tools/structure_exceptions.txt.

A line of the list is "rule thing count" and allows `count` violations of the rule by the thing. The lines are sorted. The list may only
shrink: a count that is too high and a line without a violation are errors. `tools/check_NAME --write` lowers counts and removes lines;
it never adds a line or raises a count."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = "tools/structure_exceptions.txt"
ROOMS = ["model", "ports", "config", "caf_compat", "messages", "policies", "work", "runtime", "interop", "actors", "apps"]
RULES = {"class_functions", "class_members", "class_files", "type_twice", "effects_elsewhere", "clock_elsewhere", "clock_twice", "delay_elsewhere"}
COMMENT_OR_LITERAL = re.compile(
    r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'')


def without_comments(text):
    """Replaces comments and literals by blanks; line numbers and columns stay."""
    return COMMENT_OR_LITERAL.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def sources(rooms=ROOMS):
    """(path relative to the root, text) of each C++ file, ordered by room and path."""
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.[ch]pp")):
            yield str(path.relative_to(ROOT)), path.read_text(errors="replace")


def protobuf_headers():
    """Folder with the headers that protoc generates from the .proto files of interop/."""
    folder = ROOT / "build/protobuf"
    files = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "interop").rglob("*.proto"))]
    folder.mkdir(parents=True, exist_ok=True)
    if files:
        subprocess.run(["protoc", f"--cpp_out={folder}", *files], cwd=ROOT, check=True)
    return str(folder)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def matching_brace(code, opening):
    """Position after the `}` of the `{` at `opening`; the end of the code if there is none."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.end()
    return len(code)


class Findings:
    """Violations of some rules, compared with the list of exceptions."""

    def __init__(self, *rules):
        self.rules = rules
        self.errors = []       # that cannot be excepted
        self.occurrences = {}  # "rule thing" -> [(place, sentence)]
        self.counts = {}       # "rule thing" -> number
        self.listed = {}       # "rule thing" -> (allowed number, line of the list)
        self.list_errors = []
        self._read_list()

    def _read_list(self):
        path, previous = ROOT / LIST, ""
        for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
            fields = line.split("#")[0].split()
            if not fields:
                continue
            if len(fields) != 3 or fields[0] not in RULES or not fields[2].isdigit() or int(fields[2]) == 0:
                self.list_errors.append(f'{LIST}:{number}: expected "rule thing count" with a known rule and a count above 0: {line}')
                continue
            key = " ".join(fields[:2])
            if key <= previous:
                self.list_errors.append(f"{LIST}:{number}: {key}: expected sorted lines, each key once")
            previous = key
            if fields[0] in self.rules:
                self.listed[key] = (int(fields[2]), number)

    def add(self, rule, thing, place, sentence, count=1):
        """Adds `count` violations at `place` ("file:line") with one sentence."""
        key = f"{rule} {thing}"
        self.occurrences.setdefault(key, []).append((place, sentence))
        self.counts[key] = self.counts.get(key, 0) + count

    def judged(self):
        """Error texts: violations beyond the list, then lines of the list that allow too many."""
        wrong = list(self.errors)
        for key, occurrences in sorted(self.occurrences.items()):
            allowed, count = self.listed.get(key, (0, 0))[0], self.counts[key]
            if count > allowed:
                wrong += [f"{place}: {sentence}   [{key} {count}; listed: {allowed}]" for place, sentence in occurrences]
        wrong += self.list_errors
        for key, (allowed, number) in self.listed.items():
            count = self.counts.get(key, 0)
            if count == 0:
                wrong.append(f"{LIST}:{number}: {key}: no longer occurs, remove the line")
            elif count < allowed:
                wrong.append(f"{LIST}:{number}: {key}: the count is {count} now, lower it from {allowed}")
        return wrong

    def shrink_list(self):
        lines = []
        for line in (ROOT / LIST).read_text().splitlines():
            fields = line.split("#")[0].split()
            key = " ".join(fields[:2])
            if key in self.listed:
                count = min(self.counts.get(key, 0), self.listed[key][0])
                if count == 0:
                    continue
                line = f"{key} {count}"
            lines.append(line)
        (ROOT / LIST).write_text("".join(line + "\n" for line in lines))

    def finish(self, summary):
        """Prints the errors, or the summary, and ends the program."""
        if "--write" in sys.argv[1:]:
            self.shrink_list()
            self.listed, self.list_errors = {}, []
            self._read_list()
        wrong = self.judged()
        print("\n".join(wrong) if wrong else f"{summary}, {len(self.listed)} exception{'' if len(self.listed) == 1 else 's'}")
        sys.exit(1 if wrong else 0)
