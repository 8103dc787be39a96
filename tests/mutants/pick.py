#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Picks small wrong edits of the product, and writes them into a copy of its sources.

A hash of the seed, the file and the line ranks every place where the language allows an edit.  Each
room contributes in proportion to its lines, so a change of other lines leaves the list as it is.
Edits that do not compile, or that compile to the same code, are skipped.

All edits are built at once: a place becomes MUTANT(n) ? (wrong) : (right), and the environment
selects the wrong one (mutant.h).
"""
import bisect
import collections
import hashlib
import os
import re
import subprocess
import sys

NOT_PRODUCT = ("tests", "contrib")
# Code that the tests of an x86 machine cannot run, or that runs on the card.
NOT_HERE = re.compile(r"^burnin/(firmware|kernels/simd)/")
TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<line>^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)
    |(?P<mark>->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\.\.\.|[-+*/%&|^~<>=!?:;,.(){}\[\]])""",
                   re.S | re.M | re.X)
TURNED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
          "+": "-", "-": "+", "+=": "-=", "-=": "+="}
# Leaving out one of these leaks, and changes no result.
GIVES_BACK = re.compile(r"(free|close|destroy|drop|unref|clear)(_\w+)?$|^(free|close|fclose)_?")
FAILURE = re.compile(r"-\s*1$|-\s*errno$|-\s*E[A-Z]+$|(fail|error)\w*\s*\(")

Token = collections.namedtuple("Token", "kind text start end")
Place = collections.namedtuple("Place", "rank file line kind start end new")


def tokens_of(text):
    found = []
    for m in TOKEN.finditer(text):
        if m.lastgroup not in ("comment", "line"):
            found.append(Token(m.lastgroup, m.group(), m.start(), m.end()))
    return found


def matching(tokens, at):
    """The token that closes the bracket at this one."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += tokens[i].text in ("(", "[", "{")
        depth -= tokens[i].text in (")", "]", "}")
        if depth == 0:
            return i
    return len(tokens) - 1


def statement_end(tokens, at):
    """The semicolon of the statement that begins here, or None when a block begins first."""
    i = at
    while i < len(tokens):
        if tokens[i].text in ("(", "["):
            i = matching(tokens, i)
        elif tokens[i].text == ";":
            return i
        elif tokens[i].text in ("{", "}", ":"):
            return None
        i += 1
    return None


def enums_of(folder):
    """Each enumerator, and the next one of its enumeration."""
    following = {}
    for path in sources(folder, (".c", ".h")):
        tokens = tokens_of(read(os.path.join(folder, path)))
        for i, t in enumerate(tokens):
            if t.text != "enum":
                continue
            j = i + 1 + (tokens[i + 1].kind == "name" if i + 1 < len(tokens) else 0)
            if j >= len(tokens) or tokens[j].text != "{":
                continue
            names = [tokens[k].text for k in range(j + 1, matching(tokens, j))
                     if tokens[k].kind == "name" and tokens[k - 1].text in ("{", ",")]
            for a, b in zip(names, names[1:] + names[:1]):
                if a != b:
                    following[a] = b
    return following


def rooms(folder):
    """The folders at the top that hold C sources of the product."""
    return [d for d in sorted(os.listdir(folder)) if d not in NOT_PRODUCT and
            any(name.endswith(".c") for _, _, names in os.walk(os.path.join(folder, d)) for name in names)]


def sources(folder, ends):
    for room in rooms(folder):
        for at, _, names in sorted(os.walk(os.path.join(folder, room))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(at, name), folder)
                if name.endswith(ends) and not NOT_HERE.match(path):
                    yield path


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def edits(text, tokens, first, last, enums):
    """Wrong forms of the expression in tokens[first:last], each with its kind."""
    start, end = tokens[first].start, tokens[last - 1].end

    def with_one(token, new):
        return text[start:token.start] + new + text[token.end:end]

    for i in range(first, last):
        t, before = tokens[i], tokens[i - 1] if i > first else None
        binary = before and (before.kind != "mark" or before.text in (")", "]"))
        if t.text in TURNED and (binary or t.text not in "+-"):
            kind = "limit" if t.text[0] in "+-" else "comparison"
            yield kind, with_one(t, TURNED[t.text])
        elif t.kind == "number" and re.fullmatch(r"\d+", t.text):
            yield "limit", with_one(t, str(int(t.text) + 1))
        elif t.text in ("true", "false"):
            yield "verdict", with_one(t, "false" if t.text == "true" else "true")
        elif t.text in enums:
            yield "verdict", with_one(t, enums[t.text])


def places(path, text, enums, seed):
    """Every wrong edit of a file."""
    tokens = tokens_of(text)
    newlines = [m.start() for m in re.finditer("\n", text)]
    lines = text.split("\n")
    seen = collections.Counter()

    def place(kind, first, last, new, statement=False):
        start, end = tokens[first].start, tokens[last - 1].end
        line = bisect.bisect(newlines, start)
        wrong = " ".join(new.split())
        what = "\0".join((seed, path, kind, " ".join(lines[line].split()), wrong))
        seen[what] += 1
        rank = hashlib.sha256(f"{what}\0{seen[what]}".encode()).hexdigest()
        return Place(rank, path, line + 1, kind, start, end, None if statement else new)

    def expression(first, last):
        for kind, new in edits(text, tokens, first, last, enums):
            yield place(kind, first, last, new)

    depth = 0
    for i, t in enumerate(tokens):
        if t.text == "{":
            # A function's body, or something in one.
            depth += depth > 0 or (i > 0 and tokens[i - 1].text == ")")
        elif t.text == "}":
            depth -= depth > 0
        elif depth == 0:
            continue
        if t.text in ("if", "while") and tokens[i + 1].text == "(":
            close = matching(tokens, i + 1)
            yield from expression(i + 2, close)
            if t.text == "if":
                whole = text[tokens[i + 2].start:tokens[close - 1].end]
                yield place("condition", i + 2, close, f"!({whole})")
        elif t.text == "return":
            end = statement_end(tokens, i)
            if end and end > i + 1:
                yield from expression(i + 1, end)
                if FAILURE.match(text[tokens[i + 1].start:tokens[end].start]):
                    yield place("error", i + 1, end, "0")
        elif t.text in (";", "{", "}", ")") and i + 1 < len(tokens) and tokens[i + 1].kind == "name":
            end = statement_end(tokens, i + 1)
            if not end or tokens[i + 1].text in ("return", "if", "while", "for", "else", "do", "case"):
                continue
            body = tokens[i + 1:end]
            if t.text == ")" and not (body and after_condition(tokens, i)):
                continue
            if len(body) > 2 and body[1].text == "(" and matching(tokens, i + 2) == end - 1 and \
                    not GIVES_BACK.search(body[0].text):
                yield place("step", i + 1, end + 1, "", statement=True)
            at = assignment(tokens, i + 1, end)
            if at:
                yield from expression(at + 1, end)


def after_condition(tokens, at):
    """Whether this closes the condition of an if, while or for."""
    depth = 0
    for i in range(at, -1, -1):
        depth += tokens[i].text == ")"
        depth -= tokens[i].text == "("
        if depth == 0:
            return i > 0 and tokens[i - 1].text in ("if", "while", "for")
    return False


def assignment(tokens, first, end):
    """The one "=" of a statement outside of brackets, with nothing after a comma."""
    at, i = None, first
    while i < end:
        if tokens[i].text in ("(", "["):
            i = matching(tokens, i)
        elif tokens[i].text == ",":
            return None
        elif tokens[i].text in ("=", "+=", "-="):
            if at:
                return None
            at = i
        i += 1
    return at


def plainly(text, place):
    """The file with this one edit, as a person would make it."""
    new = ";" if place.new is None else place.new
    return text[:place.start] + new + "\n" * text[place.start:place.end].count("\n") + text[place.end:]


def switchable(text, numbered):
    """The file with edits that can be switched on; numbered: pairs of number and place."""
    for n, p in sorted(numbered, key=lambda pair: -pair[1].start):
        right = text[p.start:p.end]
        new = f"{{ if (!MUTANT({n})) {right} }}" if p.new is None else \
            f"(MUTANT({n}) ? ({p.new}) : ({right}))"
        text = text[:p.start] + new + text[p.end:]
    return text


class Compiler:
    """Compiles texts of a source file as the build does, but for its warnings."""

    def __init__(self, folder, build, command):
        self.folder = folder
        self.base = command.split() + ["-w", "-O1", "-c", "-x", "c", "-o", os.path.join(build, "pick.o"),
                                       "-I" + folder, "-I" + build]
        self.object = os.path.join(build, "pick.o")
        self.plain = {}

    def original(self, path, text):
        if path not in self.plain:
            self.plain[path] = self.code(path, text)
        return self.plain[path]

    def code(self, path, text):
        """The object code, or None when it does not compile."""
        include = ["-iquote", os.path.join(self.folder, os.path.dirname(path)), "-include",
                   os.path.join(self.folder, "tests/mutants/mutant.h"), "-"]
        done = subprocess.run(self.base + include, input=text.encode(), stderr=subprocess.DEVNULL)
        if done.returncode:
            return None
        with open(self.object, "rb") as file:
            return file.read()


def pick(folder, compiler, count, seed):
    """Pairs of number and place, from 1."""
    enums = enums_of(folder)
    texts = {path: read(os.path.join(folder, path)) for path in sources(folder, (".c",))}
    size = {room: sum(t.count("\n") for p, t in texts.items() if p.startswith(room + "/"))
            for room in rooms(folder)}
    chosen = []
    for room in size:
        kinds = collections.defaultdict(list)
        for path, text in texts.items():
            if path.startswith(room + "/"):
                for p in places(path, text, enums, seed):
                    kinds[p.kind].append(p)
        rows = [sorted(kinds[k]) for k in sorted(kinds)]
        # Of each kind the first, then of each the second: no kind is left out for being rare.
        order = [p for row in zip_all(rows) for p in row]
        wanted = max(4, round(count * size[room] / sum(size.values())))
        mine = []
        for p in order:
            if len(mine) == wanted:
                break
            if all(p.file != q.file or p.end <= q.start or q.end <= p.start for q in mine) and \
                    differs(compiler, texts[p.file], p):
                mine.append(p)
        chosen += mine
    return list(enumerate(chosen, 1)), texts


def zip_all(rows):
    for i in range(max(map(len, rows), default=0)):
        yield [row[i] for row in rows if i < len(row)]


def differs(compiler, text, place):
    right = compiler.original(place.file, text)
    wrong = right and compiler.code(place.file, plainly(text, place))
    return wrong and wrong != right and compiler.code(place.file, switchable(text, [(1, place)]))


def as_text(text, place):
    """What a person reads of it."""
    line = text.count("\n", 0, place.start)
    right = " ".join(text[place.start:place.end].split())
    wrong = "(left out)" if place.new is None else " ".join(place.new.split())
    return f"{place.file}:{line + 1}", right, wrong


def main():
    folder, build, command, count, seed, out = sys.argv[1:]
    numbered, texts = pick(folder, Compiler(folder, build, command), int(count), seed)
    for path, text in texts.items():
        mine = [(n, p) for n, p in numbered if p.file == path]
        if mine:
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(switchable(text, mine))
    with open(out, "w", encoding="utf-8") as file:
        for n, p in numbered:
            print(n, p.kind, *as_text(texts[p.file], p), sep="\t", file=file)


if __name__ == "__main__":
    main()
