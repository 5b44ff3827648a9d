# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""--fix-cuda: remedies in plain CUDA and HIP. A rounded-up grid in 64 bits (A01) or for one that is rounded down (A07), the
function's stream (C09), and a check after a launch (D01), with what the file checks other calls with."""

import re

from ..launches import round_up
from ..lines import code_of, without_comments
from ..registry import all_launches
from ..rules.call import stream_forgotten
from ..rules.dimensions import floor_division
from ..rules.errors import unseen_launches
from ..tree import CASTS, operands, plain
from .check import brackets
from .checker import checker, uses
from .effects import effect
from .guard import further_block_is_idle
from .stream import why_not_all


class Fixes:
    """The edits of one file, which do not overlap, and a note for each."""

    def __init__(self, program, rows):
        self.program, self.rows = program, rows
        self.edits, self.notes = [], []
        self.uses = list(uses(program)) if "D01" in rows else []
        for function in program.functions:
            for launch in all_launches(function):
                if launch.form == "<<<>>>" and brackets(launch):
                    self._fix_axes(function, launch)
                    self._fix_stream(function, launch)
            self._fix_check(function)

    def text(self):
        source = self.program.source
        for start, end, new in sorted(self.edits, reverse=True):
            source = source[:start] + new.encode() + source[end:]
        return source.decode()

    def _source(self, node):
        """A node's own text, or None if a macro wrote a part of it."""
        text = self.program.source[node.start:node.end].decode(errors="replace")
        file = node.cursor.location.file
        if file is None or file.name != self.program.file or not text:
            return None
        return text if re.sub(r"\s", "", text) == re.sub(r"\s", "", self.program.text(node)) else None

    def _add(self, row, node, start, end, new, says):
        if any(start < other_end and other_start < end or start == other_start for other_start, other_end, _ in self.edits):
            return
        self.edits.append((start, end, new))
        self.notes.append((node, f"{row}: {says}"))

    def _fix_axes(self, function, launch):
        wrong = [found.node for found in floor_division(self.program, function, launch)] if "A07" in self.rows else []
        for place, axis in enumerate(launch.grid_axes):
            if any(axis is node for node in wrong):
                self._round_up(function, launch, axis, place)
            found = round_up(function, axis) if "A01" in self.rows else None
            if found is not None and found.total is not None and found.node.kind != "CALL_EXPR" and function.value(found.count) is None and \
                    found.total.type.get_canonical().kind.name in ("INT", "UINT"):
                self._widen(axis, found)

    def _widen(self, axis, found):
        """Casts the first operand of the count, so that each operation behind it has 64 bits."""
        first, whole = found.count, True
        while first.kind in ("BINARY_OPERATOR", "UNEXPOSED_EXPR", "PAREN_EXPR"):
            whole = whole and all(plain(other).kind != "BINARY_OPERATOR" for other in first.children[1:])
            first = first.children[0]
        text = self._source(first)
        declared = next((above for above in first.above() if above.kind == "VAR_DECL"), None)
        if text is None:
            self.notes.append((axis, "A01: not changed: a macro writes the sum"))
        elif self._in_braces(found.node):
            self.notes.append((axis, "A01: not changed: brace initialization would narrow a 64-bit number"))
        elif not whole or not found.node.start <= first.start < first.end <= found.node.end:
            self.notes.append((axis, "A01: not changed: a part of the sum is computed before it; cast that part's operands"))
        elif declared is not None and re.search(rb"\b(auto|decltype)\b", self.program.source[declared.start:found.node.start]):
            self.notes.append((axis, f"A01: not changed: it would change the type of {declared.name}"))
        else:
            self._add("A01", axis, first.start, first.end, f"static_cast<long long>({text})", "the sum is computed in 64 bits")

    def _in_braces(self, node):
        """Whether braces take the number, without a cast between."""
        for above in node.above():
            if above.kind in CASTS or above.kind.endswith("_STMT"):
                return False
            if above.kind == "INIT_LIST_EXPR" or self.program.source[above.end - 1:above.end] == b"}":
                return True
        return False

    def _round_up(self, function, launch, axis, place):
        node = function.resolve(axis)
        sides = operands(node, "/")
        texts = [self._source(side) for side in sides] if sides else [None]
        repeated = next(filter(None, map(effect, sides or ())), "")
        if None in texts or self._source(node) is None:
            self.notes.append((axis, "A07: not changed: a macro or a function writes the division"))
        elif not further_block_is_idle(launch, place, sides[0]):
            self.notes.append((axis, f"A07: not changed: the kernel is not seen to compare its index with {texts[0]} before each access, and a further "
                               "block may write beyond the array"))
        elif repeated:
            self.notes.append((axis, f"A07: not changed: the division {repeated}, and would do so twice"))
        elif not self._is_read_once(function, launch, node):
            self.notes.append((axis, "A07: not changed: other code may read the number too; write the division into the launch"))
        else:
            top, bottom = (text if re.fullmatch(r"[\w.]+(->\w+)?|\([^()]*\)", text) else f"({text})" for text in texts)
            self._add("A07", axis, node.start, node.end, f"{top} / {bottom} + ({top} % {bottom} != 0)", "the grid is rounded up")

    def _is_read_once(self, function, launch, node):
        """Whether a number stands in the launch, or reaches it through variables that nothing else names."""
        begin, end = brackets(launch)
        text = code_of(self.program.source[:function.node.end].decode("latin-1"))
        while not begin <= node.start < node.end <= end:
            variable = next((above for above in node.above() if above.kind == "VAR_DECL"), None)
            if variable is None or variable.cursor.storage_class.name == "STATIC" or variable.type.kind.name == "LVALUEREFERENCE":
                return False
            named = [found.start() for found in re.finditer(rf"\b{variable.name}\b", text[function.node.start:])]
            other = [function.node.start + at for at in named if not variable.start <= function.node.start + at < variable.end]
            uses = [each for each in function.node.all("DECL_REF_EXPR") if each.target == variable.cursor.hash]
            if len(other) != 1 or len(uses) != 1 or uses[0].start != other[0]:
                return False
            node = uses[0]
        return True

    def _fix_stream(self, function, launch):
        if "C09" not in self.rows or launch.stream is not None:
            return
        for found in stream_forgotten(self.program, function, launch):
            name = re.search(r"has the stream (\w+)$", found.says)[1]
            why, (_, end) = why_not_all(function, launch, name), brackets(launch)
            if why:
                self.notes.append((launch.node, f"C09: not changed: {why}"))
                continue
            self._add("C09", launch.node, end, end, f", {name}" if launch.bytes is not None else f", 0, {name}", f"launched on {name}")

    def _fix_check(self, function):
        if "D01" not in self.rows:
            return
        source, vendor = self.program.source, "hip" if self.program.language == "hip" else "cuda"
        for launch in unseen_launches(self.program, function):
            end = source.find(b";", launch.node.end)
            parent = next((above for above in launch.node.above() if above.kind != "UNEXPOSED_EXPR"), None)
            name = checker(self.program, launch, self.uses)
            if launch.form != "<<<>>>" or not brackets(launch):
                self.notes.append((launch.node, f"D01: not changed: {launch.form} returns its own status, or a macro writes the launch"))
            elif not self.uses:
                self.notes.append((launch.node, "D01: not changed: no statement of this file is a call in a CHECK(…); write your own around one, and try again"))
            elif parent is None or parent.kind != "COMPOUND_STMT" or source[launch.node.end:end].strip():
                self.notes.append((launch.node, "D01: not changed: the launch is not a statement in braces; write them"))
            elif name is None:
                self.notes.append((launch.node, f"D01: not changed: {self.uses[0].name}, which is around other calls, is not known to check "
                                   f"{vendor}GetLastError() here; write a check below the launch"))
            else:
                line = source.rfind(b"\n", 0, launch.node.start) + 1
                indent = re.match(rb"[ \t]*", source[line:]).group().decode()
                # Behind a comment that ends the launch's line, and does not go on in the next one.
                after = source.find(b"\n", end)
                rest = source[end + 1:after].decode(errors="replace") if after >= 0 else "x"
                is_comment = not without_comments(rest).strip() and not rest.rstrip().endswith("\\") and "/*" not in rest
                place = after if is_comment else end + 1
                self._add("D01", launch.node, place, place, f"\n{indent}{name}({vendor}GetLastError());", f"checked with {name}")
