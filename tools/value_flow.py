"""Follows values from field to field in the C++ sources, for check_settings and check_effects. Approximate: it compares text.

A use of a field is a copy if its statement assigns the value to a field, a variable or a return value, or puts it into a braced list of
an aggregate: then the uses of that target count instead. Any other use reads the value. The struct of `object.field` is found by the
nearest declaration of `object`, or by the fields and functions of that name. If it is not found, the use counts only if no other struct
has a field of that name."""
import re

import cpp_types
import structure

HOLDERS_MAX = 5  # a struct in more fields is a value, such as Resource: a copy into one of its fields is followed no further
WRITTEN = re.compile(r"\s*(?:\.|->)?\s*\w+\s*=(?!=)")
BRACED = re.compile(r"\w+\s*\{")
ASSIGN = re.compile(r"(?<![=!<>])(?:[-+*/|&]|<<)?=(?!=)")
BLOCK = re.compile(r"(?:\)|\]|\belse|\bdo|\btry|\bconst|\bnoexcept|\bmutable|\boverride|->\s*[\w:<>]+|;|\{|\})\s*$")
LAMBDA = re.compile(r"(\w+)\s*=\s*\[[^\[\]]*\]\s*(?:\([^{}]*\)\s*)?(?:mutable\s*)?(?:->\s*[\w:<>]+\s*)?$")
APPEND = {"push_back", "emplace_back", "insert", "emplace", "assign", "push"}
HEAD = re.compile(r"^(?!namespace|struct|class|using|#|\})(\S[^;{}()=]*?)[\s&*]+(?:\w+::)*(\w+)\(", re.MULTILINE)
DECLARES = re.compile(r"(?<=[\w>])(?<!return)(?<!else)(?<!case)[&*]*\s+(?:\w+::)*$|^(?:\w+::)+$")  # text before a declared name


def closing_of(code, opening):
    """Position after the `)` of the `(` at `opening`."""
    depth = 0
    for match in re.compile(r"[()]").finditer(code, opening):
        depth += 1 if match.group() == "(" else -1
        if depth == 0:
            return match.end()
    return len(code)


class Program(cpp_types.Types):
    def __init__(self, files, is_reader=lambda path: True):
        """`files`: path -> text. Uses in a file that is no reader do not count."""
        super().__init__(files)
        self.is_reader = is_reader

    def uses_of(self, struct, field):
        """(path, position) of each `object.field` of the struct, and of `field` in its own functions."""
        is_only = len(set(self.fields.get(field, []))) == 1
        for path, position in self.uses.get(field, []):
            if (path, position) not in self.cache:
                self.cache[path, position] = self.types(path, position)
            found = self.cache[path, position]
            if any(one is struct or struct.name in one.bases for one in found) or is_only and not found:
                yield path, position
        for path, position in self.words.get(field, []):
            if cpp_types.parent(path) == cpp_types.parent(struct.path) and self.owner(path, position) == struct.name and not self.is_declared(path, position):
                yield path, position

    def owner(self, path, position):
        """Class of the function around `position`."""
        code = self.files[path]
        outer = re.compile(r"^\S.*?\b(\w+)::~?\w+\(|^(?:struct|class) (\w+).*\{", re.MULTILINE)
        found = None
        for found in outer.finditer(code, max(code.rfind("\n}", 0, position), 0), position):
            pass
        return found and (found.group(1) or found.group(2))

    def opener(self, code, position):
        """Position of the bracket around `position`, or of the end of the statement before it."""
        while position > 0:
            position -= 1
            symbol = code[position]
            if symbol in ";([{":
                return position
            if symbol in ")]}":
                opening = cpp_types.opening_of(code, position)
                if symbol == "}" and BLOCK.search(code, max(0, opening - 80), opening):
                    return position
                position = opening
        return 0

    def braced(self, path, opening):
        """Structs that the braced list at `opening` initializes."""
        code, space = self.files[path], self.space_of(path, opening)
        begin = max(0, opening - 2000)
        before = code[begin:opening].rstrip()
        if re.search(r"\b(?:struct|class|enum|namespace)\b[^;{}()]*$", before[-200:]):
            return []
        if before.endswith("return"):
            heads = list(HEAD.finditer(before))
            return self.named(heads[-1].group(1), path, space) if heads else []
        if before.endswith("="):
            return self.types(path, begin + len(before) - 1)
        call = re.compile(r"(?:\.|->)(\w+)\($").search(before, max(0, len(before) - 60))
        if call:
            return self.types(path, begin + call.start()) if call.group(1) in APPEND else []
        if before[-1:] in "{,":
            outer = self.opener(code, opening)
            targets = self.slots(path, outer, opening) if code[outer] == "{" else []
            return [made for one, field in targets for made in self.named(one.fields[field], one.path, one.space)]
        if (variable := re.search(cpp_types.TYPE + r"\w+$", before[-120:])) and variable.group(1) not in cpp_types.NO_TYPES | {"auto"}:
            return self.named(variable.group(1), path, space)
        name = re.search(r"([\w:]+)(?:<[^;{}()]*>)?$", before[-120:])
        if not name:
            return []
        return self.named(name.group(1), path, space) or self.types(path, begin + len(before))

    def slots(self, path, opening, position):
        """(struct, field) that `position` in the braced list at `opening` initializes."""
        made, parts = self.braced(path, opening), cpp_types.split_list(self.files[path][opening + 1:position].replace("->", "  "))
        named = re.match(r"\s*\.(\w+)\s*=", parts[-1])
        found = []
        for one in made:
            fields = list(one.fields)
            field = named.group(1) if named else fields[len(parts) - 1] if len(parts) <= len(fields) else None
            if one.kind == "struct" and field in one.fields and self.holders[one.name] <= HOLDERS_MAX:
                found.append((one, field))
        return found

    def initialized(self):
        """(struct, field) for each field that a braced list sets."""
        for path, code in self.files.items():
            for match in re.finditer(r"\{(?!\s*\})", code) if self.is_reader(path) else ():
                if BLOCK.search(code, max(0, match.start() - 80), match.start()) and not code[max(0, match.start() - 80):match.start()].rstrip().endswith("{"):
                    continue
                structs, end = self.braced(path, match.start()), structure.matching_brace(code, match.start()) - 1
                parts = cpp_types.split_list(code[match.end():end].replace("->", "  ")) if structs else []
                named = [re.match(r"\s*\.(\w+)\s*=", part) for part in parts]
                for one in structs:
                    if len(parts) > 1 or all(named) or one not in self.types(path, end):  # a single struct is copied as a whole
                        fields = [part.group(1) for part in named] if all(named) else list(one.fields)[:len(parts)]
                        yield from ((one, field) for field in fields)

    def assigned(self, path, start, end):
        """Targets of the assignments in a statement between `start` and `end`."""
        code, targets = self.files[path], []
        flat = re.sub(r"^\s*(?:else\s+)?if\s*", " " * 2, code[start:end])
        offset = end - len(flat)
        for match in ASSIGN.finditer(flat):
            stop = offset + match.start()
            depth = sum(flat[:match.start()].count(one) for one in "([{") - sum(flat[:match.start()].count(one) for one in ")]}")
            if depth:
                continue
            name = re.compile(r"(?:(\.|->)\s*)?(\w+)\s*(?:\[[^\]]*\])?\s*$").search(code, max(0, stop - 200), stop)
            if name and name.group(1):
                targets += [("field", one, name.group(2)) for one in set(self.types(path, name.start())) if name.group(2) in one.fields]
            elif name:
                targets.append(("name", path, name.group(2), offset + match.end() if self.is_local(path, name.group(2), stop) else None))
        return targets

    def copied_to(self, path, position):
        """Targets to which the statement copies the value used at `position`; None if it reads the value."""
        code, end = self.files[path], position
        while True:
            start = self.opener(code, position)
            begin = max(0, start - 300)
            before = code[begin:start].rstrip()
            if code[start] == "(":
                word = re.search(r"(?:(?:\.|->)\s*)?(\w+)$", before)
                if word and word.group(1) == "if":
                    after = code[closing_of(code, start):]
                    rest = re.match(r"(?!\s*\{)[^;{]*;", after)
                    return (self.assigned(path, len(code) - len(after), len(code) - len(after) + rest.end()) or None) if rest else None
                if word and word.group(1) in ("while", "for", "switch"):
                    return None
                if word and word.group(1) in APPEND and word.group(0) != word.group(1):
                    owner = cpp_types.LAST.search(before, 0, word.start())
                    if owner and owner.group(1):
                        return [("field", one, owner.group(2)) for one in self.types(path, begin + owner.start())
                                if owner.group(2) in one.fields] or None
            elif code[start] == "{" and not BLOCK.search(before) or code[start] == "{" and before[-1:] == "{":
                if targets := self.slots(path, start, end):
                    return [("field", one, field) for one, field in targets]
                member = re.search(r"(?:[^:]:|,)\s*(\w+)$", before)
                if member and member.group(1) in self.fields and not self.braced(path, start):
                    return [("name", path, member.group(1), None)]
            elif code[start] != "[":
                return self.statement(path, start, end)
            position = start

    def statement(self, path, start, end):
        code = self.files[path]
        if targets := self.assigned(path, start + 1, end):
            return targets
        if not re.match(r"\s*(?:else\s+)?(?:if\s*\(.*\)\s*)?return\b", code[start + 1:end], re.DOTALL):
            return None
        block = start
        while block > 0 and not (code[block] == "{" and re.search(r"[\])]\s*(?:const|mutable|noexcept|->\s*[\w:<>]+|\s)*$", code[:block])
                                 and not re.search(r"\b(?:if|for|while|switch)\s*$", self.head(code, block))):
            block = self.opener(code, block)
        if made := LAMBDA.search(code[:block]):
            return [("name", path, made.group(1), block)]
        name = re.search(r"(\w+)\s*$", self.head(code, block))
        if not name or code[:block].rstrip().endswith("]"):
            return None
        return [] if "operator" in self.head(code, block)[-20:] else [("call", name.group(1), path)]

    @staticmethod
    def head(code, block):
        """Code up to the parameters of the function whose body begins at `block`."""
        closing = code.rfind(")", 0, block)
        return code[:cpp_types.opening_of(code, closing)].rstrip() if closing > 0 else ""

    def places(self, target):
        """(path, position) of each use of a target."""
        if target[0] == "field":
            return list(self.uses_of(target[1], target[2]))
        if target[0] == "call":
            return [(path, at) for path, at in self.words.get(target[1], []) + self.calls.get(target[1], [])
                    if cpp_types.parent(target[2]) in self.rooms_of(path) and not self.is_declared(path, at)
                    and re.compile(r"\W*\w+\s*\(").match(self.files[path], at)]
        _, path, name, after = target
        code, last = self.files[path], 1 << 60
        if after is not None:  # a variable: until the end of its function
            finish = re.compile(r"^\}", re.MULTILINE).search(code, after)
            first, last = code.rfind("\n}", 0, after), finish.start() if finish else last
            places = [(path, at) for one, at in self.words.get(name, []) if one == path and first < at < last]
        else:
            places = [(one, at) for one, at in self.words.get(name, []) + self.uses.get(name, []) if cpp_types.parent(one) == cpp_types.parent(path)]
        return [(one, at) for one, at in places if not self.is_declared(one, at) and not BRACED.match(self.files[one], at)]

    def is_declared(self, path, position):
        code = self.files[path]
        return DECLARES.search(code, code.rfind("\n", 0, position) + 1, position) is not None

    def is_local(self, path, name, position):
        """True if the function around `position` declares the variable."""
        code = self.files[path]
        found = re.compile(cpp_types.TYPE + name + r"\b").finditer(code, max(code.rfind("\n}", 0, position), 0), position + len(name))
        return any(match.group(1) not in cpp_types.NO_TYPES for match in found)

    def is_assigned(self, path, position):
        """True if the use at `position` is the target of a plain assignment or an initialization in braces."""
        return WRITTEN.match(self.files[path], position) is not None

    def unread(self, target, seen=None):
        """Targets of copies without a reader; empty if a reader is found."""
        seen = set() if seen is None else seen
        seen.add(target)
        lost = []
        for path, position in self.places(target):
            if self.is_reader(path) and not self.is_assigned(path, position):
                copies = self.copied_to(path, position)
                if copies is None:
                    return []
                for copy in copies:
                    if copy not in seen:
                        left = self.unread(copy, seen)
                        if not left:
                            return []
                        lost += left
        return lost or [target]
