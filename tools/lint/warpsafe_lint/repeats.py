# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Repeated mistakes: findings of one kind become one finding, which lists its further places."""

import functools
import pathlib
import re

from .libclang import written_at

LISTED = 6  # lines that the text names; JSON and SARIF have all
NUMBER = re.compile(r"\b(?:0[xX][\da-fA-F]+|\d[\d.']*(?:[eE][-+]?\d+)?)[uUlLfF]*\b")
# Words of C++ that an expression may hold, and those that another word of a type may follow.
WORDS = {"bool", "char", "const", "double", "false", "float", "int", "long", "nullptr", "short", "signed", "sizeof", "static_cast",
         "true", "unsigned", "void"}
QUALIFIER = re.compile(r"\b(?:const|long|short|signed|unsigned) (?=\w)")
# What joins the names and numbers of an expression, after a dot has replaced each of them: `f(·, ·)`, `·[·]`, `· * ·`, `&·`.
EXPRESSION = re.compile(r"·(?:·|\(\)|\[·\]|<·>)|\(·(?:, ·)*\)|[&*!~-]+·|· ?(?:->|::|<<|>>|&&|\|\||[<>=!]=|[-+*/%&|^?:.<>]) ?·")
CALL = re.compile(rb"([A-Za-z_]\w*)\s*\(")
DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\(", re.M)


class Kinds:
    """Says which findings of a program are the same mistake."""

    def __init__(self, program):
        self.program = program
        self._names = {}  # position of a function -> the names that it uses

    def of(self, finding):
        """The key of a finding's kind: the rule's own, which holds in the whole file; or else the texts without names and
        numbers, in one function or one macro."""
        if finding.kind:
            return finding.kind
        node = finding.node
        top = node
        for top in node.above():
            pass
        place = written_at(top.cursor.extent.start)[3]
        if place not in self._names:
            self._names[place] = {part for inner in top.walk() for part in re.findall(r"\w+", inner.name) if not part.isdigit()} | WORDS
        names = self._names[place]
        texts = "\n".join(stripped(text, names) for text in (finding.says, finding.rewrite))
        macro = "" if top is node else self._macro(node)
        return f"{macro or place}\n{texts}"

    def _macro(self, node):
        """The function-like macro whose own text has the node, or "". A node in an argument of a macro starts in the argument."""
        if not (node.cursor.kind.is_expression() or node.cursor.kind.is_statement()):
            return ""
        name, _, _, start = written_at(node.cursor.extent.start)
        found = CALL.match(self.program.source, start) if name == self.program.file else None
        word = found[1].decode() if found else ""
        # A call begins with a name that the tree has. Asking that first saves the reading of headers.
        if not word or any(inner.name == word for inner in node.walk()):
            return ""
        return word if word in self._macros else ""

    @functools.cached_property
    def _macros(self):
        """The function-like macros of the file and of what it includes."""
        texts = [self.program.source]
        for header in {each.include.name for each in self.program.unit.get_includes()}:
            try:
                texts.append(pathlib.Path(header).read_bytes())
            except OSError:  # its text is not in a file
                continue
        return {name.decode() for text in texts for name in DEFINED.findall(text)}


def stripped(text, names):
    """A text with one dot in place of each expression: its names and numbers."""
    text = NUMBER.sub("·", QUALIFIER.sub("", text))
    text = re.sub(r"\w+", lambda word: "·" if word[0] in names else word[0], text)
    before = ""
    while before != text:
        before, text = text, EXPRESSION.sub("·", text)
    return text


def fold(findings):
    """The findings of a file with those of one row, kind and severity as one, at the first place. `also` has the others."""
    found = {}
    for item in findings:
        first = found.setdefault((item["row"], item["severity"], item["kind"]), {**item, "also": []})
        if (first["line"], first["column"]) != (item["line"], item["column"]):
            first["also"].append({"line": item["line"], "column": item["column"], "text": item["text"]})
    return list(found.values())


def listed(item):
    """The further places of a finding, as words that follow its text; "" without one."""
    lines = sorted({place["line"] for place in item["also"]} - {item["line"]})
    what, numbers = ("line", lines) if lines else ("column", sorted(place["column"] for place in item["also"]))
    if not numbers:
        return ""
    more = len(numbers) - LISTED
    first, last = (numbers[:LISTED], f"{more} more") if more > 1 else (numbers[:-1], numbers[-1])
    return f"; also at {what}{'s' * (len(numbers) > 1)} {', '.join(map(str, first))}{' and ' * bool(first)}{last}"
