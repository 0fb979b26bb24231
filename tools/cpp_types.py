"""Structs of C++ sources with their fields, and the types of expressions, for tools/value_flow.py. Approximate: it compares text."""
import collections
import re

import structure

INCLUDE = re.compile(r'#include "([^"]+)"')
STRUCT = re.compile(r"(?<!enum )\b(struct|class)\s+(\w+)(?:\s+final)?\s*(?::([^;{()]*))?\{")
NAMESPACE = re.compile(r"\bnamespace\s+(?:\w+::)*(\w+)\s*\{")
TYPE = r"((?:const\s+)?\w[\w:]*(?:<[^;{}()]*>)?)(?:\s+const)?\s*[&*]*\s+[&*]*"
FIELD = re.compile(r"^\s*(?:(?:public|private|protected)\s*:\s*)?(?:mutable\s+)?" + TYPE + r"(\w+)\s*(?:=[^,]*|\[.*)?$", re.DOTALL)
RESULT = re.compile(TYPE + r"(?:\w+::)*$")
ALIAS = re.compile(r"\busing\s+(\w+)\s*=\s*([^;]+);")
USE = re.compile(r"(?:\.|->)\s*(\w+)\b(\s*\()?")
LAST = re.compile(r"(->|\.)?\s*(\w+)$")
NO_TYPES = {"return", "else", "case", "new", "throw", "delete", "typename", "using", "namespace", "const", "operator", "struct", "class"}
ELEMENT = {"value", "at", "front", "back", "find", "get", "second", "first", "begin", "value_or", "move", "forward", "effective"}


class Struct:
    def __init__(self, path, space, name, kind, fields, bases=""):
        self.path, self.space, self.name, self.kind, self.fields = path, space, name, kind, fields  # fields: name -> type
        self.bases = re.findall(r"\w+", bases)


def opening_of(code, closing):
    """Position of the bracket that `closing` closes."""
    depth = 0
    for position in range(closing, -1, -1):
        depth += (code[position] in ")]}") - (code[position] in "([{")
        if depth == 0:
            return position
    return 0


def parent(path):
    return path.rpartition("/")[0]


def split_list(text):
    """Parts of a list at commas outside of brackets."""
    parts, depth = [""], 0
    for symbol in text:
        depth += (symbol in "([{<") - (symbol in ")]}>")
        if symbol == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += symbol
    return parts


def declarations(code, opening):
    """Texts of the members of the class body at `opening`, without bodies of functions and other braces."""
    body, flat, position = code[opening + 1:structure.matching_brace(code, opening) - 1], "", 0
    while position < len(body):  # bodies of functions become ";", other braces vanish
        if body[position] == "{":
            is_body = re.search(r"\)\s*(?:const|noexcept|override|\s)*(?::[^;{}]*)?$", flat)
            flat += ";" if is_body else ""
            position = structure.matching_brace(body, position)
            while is_body and (more := re.compile(r"(?:\s*,\s*\w+\s*)?\s*(?=\{)").match(body, position)):
                position = structure.matching_brace(body, more.end())
        else:
            flat += body[position]
            position += 1
    return flat.split(";")


class Types:
    def __init__(self, files):
        """`files`: path -> text."""
        self.files = {path: structure.without_comments(text) for path, text in files.items()}
        self.cache, self.declarations, self.spaces = {}, {}, {}
        self.structs, self.fields, self.functions, self.aliases, self.uses, self.calls, self.words = ({} for _ in range(7))
        self.holders = collections.Counter()  # struct -> number of fields with it in their type
        self.includes = {path: [name for name in INCLUDE.findall(text) if name in files] for path, text in files.items()}
        self.rooms = {}
        for path, code in self.files.items():
            for match in STRUCT.finditer(code):
                kind, name, bases = match.groups("")
                kind = "template" if code[max(0, match.start() - 9):match.start()].rstrip()[-1:] == ">" else kind
                self.add_struct(path, self.space_of(path, match.start()), name, self.fields_of(code, match.end() - 1), kind, bases)
            for match in ALIAS.finditer(code):
                self.aliases.setdefault(match.group(1), set()).add((match.group(2), path, self.space_of(path, match.start())))
            for match in USE.finditer(code):
                (self.calls if match.group(2) else self.uses).setdefault(match.group(1), []).append((path, match.start()))
            for match in re.finditer(r"(?<![.>\w])[A-Za-z_]\w*", code):
                self.words.setdefault(match.group(), []).append((path, match.start()))

    def rooms_of(self, path):
        """Folders of a file and of all files that it includes."""
        if path not in self.rooms:
            seen, todo = {path}, [path]
            while todo:
                todo += [name for name in self.includes[todo.pop()] if name not in seen and not seen.add(name)]
            self.rooms[path] = {parent(name) for name in seen}
        return self.rooms[path]

    def space_of(self, path, position):
        if path not in self.spaces:
            self.spaces[path] = [(match.start(), match.group(1)) for match in NAMESPACE.finditer(self.files[path])]
        return next((name for start, name in reversed(self.spaces[path]) if start < position), "")

    def add_struct(self, path, space, name, fields, kind="struct", bases=""):
        made = Struct(path, space, name, kind, fields, bases)
        self.structs.setdefault(name, []).append(made)
        for field, type_text in fields.items():
            self.fields.setdefault(field, []).append(made)
            self.holders.update(re.findall(r"\w+", type_text))
        return made

    @staticmethod
    def fields_of(code, opening):
        fields = {}
        for piece in declarations(code, opening):
            first, *others = split_list(piece)
            match = FIELD.match(first)
            if match and match.group(1) not in NO_TYPES and "static" not in piece.split():
                fields[match.group(2)] = match.group(1)
                for other in others:
                    if name := re.match(r"\s*(\w+)", other):
                        fields[name.group(1)] = match.group(1)
        return fields

    def named(self, text, path, space, depth=0):
        """Structs that a type names in a file; of equal names, those of its namespace, and of these those of its folder."""
        found = []
        for token in re.findall(r"[\w:]+", text):
            *outer, name = token.split("::")
            all_of_name = self.structs.get(name, [])
            same = [one for one in all_of_name if one.space == (outer[-1] if outer else space)]
            found += [one for one in same if parent(one.path) == parent(path)] or same or all_of_name
            for alias, *home in self.aliases.get(name, ()) if depth < 3 and not all_of_name else ():
                found += self.named(alias, *home, depth + 1)
        return found

    def types(self, path, end, depth=0):
        """Structs of the last object of the expression that ends at `end`; empty if unknown."""
        code = self.files[path]
        while end > 0 and code[end - 1].isspace():
            end -= 1
        last, is_call = end, False
        while end > 0 and code[end - 1] in ")]":
            opening = opening_of(code, end - 1)
            is_call, end = code[opening] == "(", opening
            while end > 0 and code[end - 1].isspace():
                end -= 1
        if code[end - 1] == ">" and is_call:  # std::get<T>(…)
            return self.named(code[code.rfind("<", 0, end):end], path, self.space_of(path, end))
        match = LAST.search(code, max(0, end - 100), end)
        if depth > 6 or not match:
            return self.types(path, last - 1, depth + 1) if is_call and depth < 6 else []
        name, begin = match.group(2), match.start()
        if name in ELEMENT:
            return self.types(path, begin if match.group(1) else last - 1, depth + 1)
        if match.group(1) and not is_call:
            owners = self.types(path, begin, depth + 1)
            holders = [one for one in self.fields.get(name, []) if one in owners] or self.fields.get(name, [])
            return [made for one in holders for made in self.named(one.fields[name], one.path, one.space)]
        if is_call and self.results_of(name):
            return [made for one in self.results_of(name) for made in self.named(*one)]
        return self.declared(path, name, match.start(2), depth)

    def results_of(self, name):
        """(type, path, namespace) of each function of a name."""
        if name not in self.functions:
            found = self.functions[name] = set()
            for path, at in self.words.get(name, []):
                code = self.files[path]
                result = RESULT.search(code, max(0, at - 150), at) if code[at + len(name)] == "(" else None
                if result and result.group(1) not in NO_TYPES:
                    found.add((result.group(1), path, self.space_of(path, at)))
        return self.functions[name]

    def declared(self, path, name, end, depth):
        """Structs of a variable: its last declaration before `end`, or the members of that name."""
        code, position = self.files[path], end
        declaration = self.declarations.setdefault(name, re.compile(TYPE + name + r"\s*(?=[;,)=({:\[])"))
        while (position := code.rfind(name, 0, position)) >= 0:
            if code[position - 1] not in " \n&*" or code[position + len(name)] not in " ;,)=({:[":
                continue
            starts = [match for match in declaration.finditer(code, max(0, position - 120), position + len(name) + 3)
                      if match.end() >= position + len(name) and match.group(1).removeprefix("const ") not in NO_TYPES]
            if not starts:
                continue
            type_text = starts[0].group(1).removeprefix("const ")
            if type_text != "auto":
                return self.named(type_text, path, self.space_of(path, position))
            stop = re.compile(r";|\)\s*(?:\{|\n)|(?<=[\w)])\)\s+\w").search(code, position)
            return self.types(path, stop.start(), depth + 1) if stop and stop.start() > starts[0].end() + 1 else []
        members = self.fields.get(name, [])
        own = [one for one in members if one.path.rpartition(".")[0] == path.rpartition(".")[0]]
        near = [one for one in members if parent(one.path) == parent(path)]
        return [made for one in own or near or members for made in self.named(one.fields[name], one.path, one.space)]
