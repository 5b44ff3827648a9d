#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Finds mutation points in headers, and writes a copy of the headers that contains all mutants.

mutate.py --include FOLDER --out FOLDER --unit "ARGUMENT..."
    reads the headers that each --unit compiles (a line of #include after ::, see parse_unit), and writes OUT/include
    and OUT/points.json.

A run-time mutant is `(::warpsafe_mutation::on(7) ? (mutant) : (original))` or the like. One build has all of them;
an environment variable selects one (state.hpp). Compile-time evaluation sees the original: `on` is then false. Points
in constant expressions are listed with where = "compile", and run.py tries each as text.
"""

import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools/lint/warpsafe_lint"))
import libclang  # noqa: E402  (the folder is on the path since the line before)

STATE = "warpsafe_mutation_state.hpp"
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": None, "!=": None}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/"}
COMPOUND = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="}
# Calls of operators in C++ code that return bool.
OPERATORS = {"operator" + sign for sign in BOUNDARY}


def without_comments(text):
    """One line without comments, or None if the text contains a directive."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return None if re.search(r"^\s*#", text, re.MULTILINE) else " ".join(text.split())


class Point:
    """One mutant. `id` is its number in the mutated copy."""

    def __init__(self, kind, original, mutant):
        self.kind, self.original, self.mutant = kind, original, mutant
        self.id = 0


class Group:
    """Mutants of one span of a file. `form`: expr, neg, and, or, stmt, return."""

    def __init__(self, start, end, form, points, context):
        self.start, self.end, self.form, self.points = start, end, form, points
        self.context = context


class Context:
    """Where a cursor is: its function, what that returns, whether the compiler evaluates it."""

    def __init__(self, function="", result=None, is_lambda=False, is_constexpr=False, constant=False, is_auto=False):
        self.function, self.result, self.is_lambda = function, result, is_lambda
        self.is_constexpr, self.constant, self.is_auto = is_constexpr, constant, is_auto

    def within(self, **changes):
        new = Context()
        new.__dict__.update(self.__dict__)
        new.__dict__.update(changes)
        return new


class Finder:
    """The mutation points of the headers under a folder, from the syntax trees of some translation units."""

    def __init__(self, include):
        self.cindex = libclang.load()
        self.kinds = self.cindex.CursorKind
        self.include = include
        self.texts, self.groups, self.macros = {}, {}, {}
        self.same = set()
        types = self.cindex.TypeKind
        self.numbers = {getattr(types, name) for name in (
            "CHAR_U UCHAR CHAR16 CHAR32 USHORT UINT ULONG ULONGLONG UINT128 CHAR_S SCHAR WCHAR SHORT INT LONG "
            "LONGLONG INT128 FLOAT DOUBLE LONGDOUBLE").split()}  # fmt: skip
        self.bool = types.BOOL
        self.scalars = self.numbers | {types.BOOL, types.ENUM, types.POINTER}
        kinds = self.kinds
        self.functions = {kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.CONSTRUCTOR, kinds.DESTRUCTOR,
                          kinds.CONVERSION_FUNCTION, kinds.FUNCTION_TEMPLATE}  # fmt: skip
        self.names = {kinds.NAMESPACE, kinds.CLASS_DECL, kinds.STRUCT_DECL, kinds.CLASS_TEMPLATE, kinds.UNION_DECL,
                      kinds.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, kinds.ENUM_DECL}  # fmt: skip

    def parse_unit(self, includes, arguments):
        """Adds the points of all headers that a translation unit of these #includes compiles."""
        source = "".join(f"#include <{name}>\n" for name in includes)
        unit = self.cindex.Index.create().parse("warpsafe_mutation_unit.cpp", args=arguments,
                                                unsaved_files=[("warpsafe_mutation_unit.cpp", source)], options=1)
        errors = [str(d) for d in unit.diagnostics if d.severity >= 3]
        for error in errors[:5]:
            print(f"mutate.py: {error}", file=sys.stderr)
        self.found = {}
        cursors = [(self.file_of(cursor), cursor) for cursor in unit.cursor.get_children()]
        for file, cursor in cursors:
            if file is not None and cursor.kind == self.kinds.MACRO_INSTANTIATION:
                self.macros.setdefault(file, set()).add((cursor.extent.start.offset, cursor.extent.end.offset))
        for file, cursor in cursors:
            if file is not None and cursor.kind not in (self.kinds.MACRO_INSTANTIATION, self.kinds.MACRO_DEFINITION,
                                                        self.kinds.INCLUSION_DIRECTIVE):  # fmt: skip
                self.file, self.text = file, self.text_of(file)
                self.visit(cursor, None, Context())
        for file, groups in self.found.items():
            self.groups.setdefault(file, {}).update(groups)

    def file_of(self, cursor):
        file = cursor.location.file
        if file is None:
            return None
        path = pathlib.Path(file.name)
        return path if path.is_relative_to(self.include) else None

    def text_of(self, file):
        if file not in self.texts:
            self.texts[file] = file.read_bytes().decode("latin-1")
        return self.texts[file]

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def add(self, start, end, form, points, context):
        """One group, unless the text is part of a macro's use."""
        if any(start < last and first < end and not (start <= first and last <= end and (start, end) != (first, last))
               for first, last in self.macros.get(self.file, ())):  # fmt: skip
            return
        points = [point for point in points if point.original is not None and point.mutant is not None]
        if points and start < end:
            groups = self.found.setdefault(self.file, {})
            key = (start, end, form)
            if key not in groups:
                groups[key] = Group(start, end, form, points, context)

    def raw(self, start, end):
        return without_comments(self.text[start:end])

    # ---- the walk

    def visit(self, cursor, parent, context):
        # A class or a function may include the rows of a table.
        if self.file_of(cursor) not in (None, self.file):
            return
        kinds, kind = self.kinds, cursor.kind
        if kind in self.names:
            name = f"{context.function}::{cursor.spelling}" if context.function else cursor.spelling
            name = re.sub(r"^warpsafe::|(^|::)v\d+_\d+_\d+$", "", name)
            for child in cursor.get_children():
                self.visit(child, cursor, context.within(function=name))
        elif kind in self.functions:
            self.visit_function(cursor, context)
        elif kind == kinds.LINKAGE_SPEC or kind == kinds.FRIEND_DECL or kind == kinds.UNEXPOSED_DECL:
            for child in cursor.get_children():
                # Such as the value of a variable template.
                is_value = child.kind.is_expression()
                self.visit(child, cursor, context.within(constant=True) if is_value else context)
        elif kind in (kinds.VAR_DECL, kinds.FIELD_DECL):
            self.visit_variable(cursor, parent, context)
        elif kind in (kinds.STATIC_ASSERT, kinds.CONCEPT_DECL):
            self.visit_all(cursor, context.within(constant=True))
        elif kind.is_expression() or kind.is_statement():
            self.visit_code(cursor, parent, context)

    def visit_all(self, cursor, context):
        for child in cursor.get_children():
            self.visit(child, cursor, context)

    def visit_function(self, cursor, context):
        start, _ = self.span(cursor)
        name = f"{context.function}::{cursor.spelling}" if context.function else cursor.spelling
        head = self.text[start : cursor.location.offset]
        inner = context.within(function=name.removeprefix("warpsafe::"), result=cursor.result_type, is_lambda=False,
                               is_constexpr="constexpr" in head or "consteval" in head,
                               is_auto=bool(re.search(r"\bauto\b", head)),
                               constant="consteval" in head)  # fmt: skip
        for child in cursor.get_children():
            if child.kind in (self.kinds.COMPOUND_STMT, self.kinds.CXX_TRY_STMT):
                # The compiler writes the body of a defaulted function.
                if self.text.startswith(("{", "try"), self.span(child)[0]):
                    self.visit(child, cursor, inner)
            elif child.kind == self.kinds.PARM_DECL:
                continue
            elif child.kind.is_expression() and cursor.kind == self.kinds.FUNCTION_TEMPLATE:
                self.visit(child, cursor, inner.within(constant=True))

    def visit_variable(self, cursor, parent, context):
        start, end = self.span(cursor)
        at = cursor.location.offset
        head = self.text[start:at]
        constant = context.constant or "constexpr" in head or bool(re.search(r"\bstatic\b", head))
        if cursor.kind == self.kinds.VAR_DECL:
            is_global = parent is None or parent.kind in self.names or parent.kind == self.kinds.LINKAGE_SPEC
            constant = constant or is_global or "thread_local" in head
            canonical = cursor.type.get_canonical()
            if canonical.is_const_qualified() and canonical.kind in self.scalars and not self.reads_state(cursor):
                constant = True
        for child in cursor.get_children():
            if not child.kind.is_expression():
                continue
            before = self.text[at : self.span(child)[0]]
            is_part = re.fullmatch(r"[^=({]*\[\s*", before) or not re.search(r"[=({]", before) and \
                self.text[self.span(child)[0]] != "{"  # the bound of an array, or a template argument
            self.visit(child, cursor, context.within(constant=constant or bool(is_part)))

    def reads_state(self, cursor):
        """Whether the initialiser reads anything that only exists at run time."""
        kinds = self.kinds
        for child in cursor.walk_preorder():
            if child.kind in (kinds.CALL_EXPR, kinds.CXX_THIS_EXPR, kinds.MEMBER_REF_EXPR, kinds.UNEXPOSED_EXPR):
                if child.kind != kinds.UNEXPOSED_EXPR:
                    return True
            if child.kind == kinds.DECL_REF_EXPR:
                target = child.referenced
                if target is None or target.kind in (kinds.PARM_DECL, kinds.VAR_DECL) and not (
                        target.semantic_parent is not None and target.semantic_parent.kind in self.names):  # fmt: skip
                    return True
        return False

    def visit_code(self, cursor, parent, context):
        kinds, kind = self.kinds, cursor.kind
        children = list(cursor.get_children())
        start, end = self.span(cursor)
        if kind == kinds.LAMBDA_EXPR:
            for child in children:
                if child.kind == kinds.COMPOUND_STMT:
                    self.visit(child, cursor, context.within(is_lambda=True))
            return
        if kind == kinds.COMPOUND_STMT:
            for child in children:
                self.statement(child, context)
                self.visit(child, cursor, context)
            return
        if kind == kinds.IF_STMT:
            is_constant = bool(re.match(r"if\s+constexpr", self.text[start : start + 16]))
            self.visit_if(cursor, children, context, is_constant)
            return
        if kind in (kinds.WHILE_STMT, kinds.DO_STMT, kinds.FOR_STMT, kinds.CXX_FOR_RANGE_STMT):
            self.visit_loop(cursor, children, context)
            return
        if kind == kinds.CASE_STMT:
            self.visit(children[0], cursor, context.within(constant=True))
            for child in children[1:]:
                self.statement(child, context)
                self.visit(child, cursor, context)
            return
        if kind == kinds.DEFAULT_STMT:
            for child in children:
                self.statement(child, context)
                self.visit(child, cursor, context)
            return
        if kind == kinds.RETURN_STMT:
            self.visit_return(cursor, children, context)
            return
        if kind == kinds.DECL_STMT:
            for child in children:
                if child.kind in (kinds.VAR_DECL, kinds.STATIC_ASSERT):
                    self.visit(child, cursor, context)
            return
        if kind == kinds.CONDITIONAL_OPERATOR and len(children) == 3:
            self.condition(children[0], context)
            self.minimum(children)
        elif kind == kinds.BINARY_OPERATOR and len(children) == 2:
            self.binary(cursor, children, context)
        elif kind == kinds.COMPOUND_ASSIGNMENT_OPERATOR and len(children) == 2:
            self.compound(cursor, children, context)
        elif kind == kinds.UNARY_OPERATOR and len(children) == 1:
            self.unary(cursor, children, context)
        elif kind == kinds.CALL_EXPR and cursor.spelling in OPERATORS and len(children) == 3:
            # A rewritten operator, such as < by way of <=>, ends at its sign.
            start = min(start, *(self.span(child)[0] for child in children))
            end = max(end, *(self.span(child)[1] for child in children))
            self.add(start, end, "neg", [Point("relational", self.raw(start, end), f"!({self.raw(start, end)})")], context)
        elif kind == kinds.INTEGER_LITERAL:
            self.literal(cursor, context)
        elif kind == kinds.CXX_BOOL_LITERAL_EXPR:
            text = self.raw(start, end)
            self.add(start, end, "neg", [Point("constant", text, "false" if text == "true" else "true")], context)
        elif kind in (kinds.SIZE_OF_PACK_EXPR, kinds.CXX_UNARY_EXPR) or kind == kinds.DECL_REF_EXPR:
            return  # sizeof, and template arguments
        for index, child in enumerate(children):
            # The child of a member's name is its object; later children are template arguments.
            if kind == kinds.MEMBER_REF_EXPR and (index > 0 or self.span(child)[0] != start):
                continue
            if kind.name.startswith("CXX_") and kind.name.endswith("CAST_EXPR") and child.kind == kinds.TYPE_REF:
                continue
            self.visit(child, cursor, context)

    def statement(self, cursor, context):
        """A call, an assignment or an increment as a statement of its own can be deleted."""
        kinds = self.kinds
        if not cursor.kind.is_expression() or cursor.kind == kinds.CSTYLE_CAST_EXPR or context.constant:
            return
        start, end = self.span(cursor)
        text = self.text[start:end]
        after = re.match(r"\s*;", self.text[end:])
        if not after or re.match(r"static_cast<void>|\(void\)|co_|throw\b", text):
            return
        raw = self.raw(start, end)
        self.add(start, end + after.end(), "stmt", [Point("statement", raw and raw + ";", ";")], context)

    def visit_if(self, cursor, children, context, is_constant):
        rest, declared = list(children), []
        while rest and not rest[0].kind.is_expression():  # an init statement, or a declaration as the condition
            if rest[0].kind.is_statement() and rest[0].kind != self.kinds.DECL_STMT:
                break
            declared.append(self.span(rest[0]))
            self.visit(rest.pop(0), cursor, context)
        if rest and rest[0].kind.is_expression():
            at = self.span(rest[0])[0]
            if any(start <= at < end for start, end in declared):
                rest.pop(0)  # the name of a variable that the condition declares
            else:
                self.condition(rest[0], context.within(constant=context.constant or is_constant))
                self.visit(rest.pop(0), cursor, context.within(constant=context.constant or is_constant))
        for branch in rest:
            self.statement(branch, context)
            self.visit(branch, cursor, context)

    def visit_loop(self, cursor, children, context):
        declared = [self.span(child) for child in children[:-1] if not child.kind.is_expression()]
        for child in children[:-1]:
            at = self.span(child)[0]
            if child.kind.is_expression() and any(start <= at < end for start, end in declared):
                continue  # the name of a variable that the condition declares
            if child.kind.is_expression() and cursor.kind != self.kinds.CXX_FOR_RANGE_STMT:
                follows = self.text[self.span(child)[1] :].lstrip()[:1]
                if follows == ";" and cursor.kind == self.kinds.FOR_STMT or cursor.kind == self.kinds.WHILE_STMT:
                    self.condition(child, context)
            self.visit(child, cursor, context)
        if cursor.kind == self.kinds.DO_STMT:  # its body comes first
            self.condition(children[-1], context)
            self.visit(children[-1], cursor, context)
            return
        if children:
            self.statement(children[-1], context)
            self.visit(children[-1], cursor, context)

    def condition(self, cursor, context):
        """A negated condition, unless its operator's own mutant is the same."""
        start, end = self.span(cursor)
        inner = cursor
        while inner.kind == self.kinds.UNEXPOSED_EXPR and len(list(inner.get_children())) == 1:
            inner = next(inner.get_children())
        if inner.kind == self.kinds.BINARY_OPERATOR and self.operator(inner) in BOUNDARY:
            return
        if inner.kind == self.kinds.CALL_EXPR and inner.spelling in OPERATORS:
            return
        raw = self.raw(start, end)
        self.add(start, end, "neg", [Point("condition", raw, f"!({raw})")], context)

    def operator(self, cursor):
        """The spelling of a binary operator."""
        left, right = list(cursor.get_children())
        between = without_comments(self.text[self.span(left)[1] : self.span(right)[0]]) or ""
        return between.strip("() ")

    def minimum(self, children):
        """`a < b ? a : b`: with <= it is the same number."""
        condition, *branches = (self.raw(*self.span(child)) for child in children)
        for sign in ("<=", ">=", "<", ">"):
            operands = (condition or "").split(f" {sign} ")
            if len(operands) == 2 and sorted(operands) == sorted(str(branch) for branch in branches):
                self.same.add((self.file, *self.span(children[0])))

    def is_number(self, cursor):
        return cursor.type.get_canonical().kind in self.numbers

    def binary(self, cursor, children, context):
        start, end = self.span(cursor)
        left, right = self.span(children[0]), self.span(children[1])
        sign, raw = self.operator(cursor), self.raw(start, end)
        if raw is None or not start <= left[0] < left[1] <= right[0] < right[1] <= end:
            return
        at = self.text.index(sign, left[1]) if sign else 0

        def with_sign(new):
            return self.raw(start, end) and without_comments(
                self.text[start:at] + new + self.text[at + len(sign) : end])

        if sign in BOUNDARY:
            self.add(start, end, "neg", [Point("relational", raw, f"!({raw})")], context)
            scalar = all(child.type.get_canonical().kind in self.scalars for child in children)
            if BOUNDARY[sign] and scalar and (self.file, start, end) not in self.same:
                self.add(start, end, "expr", [Point("relational", raw, with_sign(BOUNDARY[sign]))], context)
        elif sign in ARITHMETIC and all(map(self.is_number, children)):
            self.add(start, end, "expr", [Point("arithmetic", raw, with_sign(ARITHMETIC[sign]))], context)
        elif sign in ("&&", "||"):
            form = "and" if sign == "&&" else "or"
            for (first, last), other in ((left, right), (right, left)):
                self.add(first, last, form, [Point("logical", raw, self.raw(*other))], context)

    def compound(self, cursor, children, context):
        start, end = self.span(cursor)
        sign = self.operator(cursor)
        if sign in COMPOUND and all(map(self.is_number, children)):
            at = self.text.index(sign, self.span(children[0])[1])
            new = without_comments(self.text[start:at] + COMPOUND[sign] + self.text[at + len(sign) : end])
            self.add(start, end, "expr", [Point("arithmetic", self.raw(start, end), new)], context)

    def unary(self, cursor, children, context):
        start, end = self.span(cursor)
        text = self.text[start:end]
        if self.is_number(children[0]):
            for sign, other in (("++", "--"), ("--", "++")):
                if text.startswith(sign):
                    self.add(start, end, "expr", [Point("arithmetic", self.raw(start, end),
                                                        without_comments(other + text[2:]))], context)  # fmt: skip

    def literal(self, cursor, context):
        start, end = self.span(cursor)
        text = self.text[start:end]
        if not re.fullmatch(r"(0[xX][0-9a-fA-F']+|[0-9']+)[uUlLzZ]*", text):
            return
        points = [Point("constant", text, f"({text} + 1)")]
        if not re.fullmatch(r"0[xX]?0*[uUlLzZ]*", text):
            points.append(Point("constant", text, "0" + re.search(r"[uUlLzZ]*$", text)[0]))
        self.add(start, end, "expr", points, context)

    def is_zero_enumerator(self, cursor):
        """Whether an expression names an enumerator with the value 0, such as cudaSuccess."""
        while cursor.kind == self.kinds.UNEXPOSED_EXPR and len(list(cursor.get_children())) == 1:
            cursor = next(cursor.get_children())
        named = cursor.referenced if cursor.kind == self.kinds.DECL_REF_EXPR else None
        return named is not None and named.kind == self.kinds.ENUM_CONSTANT_DECL and named.enum_value == 0

    def visit_return(self, cursor, children, context):
        if len(children) != 1:
            return
        self.visit(children[0], cursor, context)
        start, end = self.span(cursor)
        after = re.match(r"\s*;", self.text[end:])
        text = self.raw(*self.span(children[0]))
        if not after or not text or context.constant or self.text[start : start + 6] != "return":
            return
        result = context.result.get_canonical() if context.result is not None else None
        values = []
        if children[0].type.get_canonical().kind == self.bool and (context.is_lambda or result.kind == self.bool):
            values = [value for value in ("true", "false") if text not in ("true", "false")]
        elif result is not None and not context.is_lambda and not context.is_auto:
            is_zero = text in ("0", "nullptr", "{}", "false", "true") or self.is_zero_enumerator(children[0])
            if (result.kind in self.scalars or re.match(r"std::[^&]*$", result.spelling)) and not is_zero:
                values = ["{}"]
            elif re.search(r"\bresult<void>$", context.result.spelling) and text != "success()":
                values = ["::warpsafe::success()"]
        self.add(start, end + after.end(), "return",
                 [Point("return", f"return {text};", f"return {value};") for value in values], context)  # fmt: skip


def write_copy(finder, out):
    """Writes OUT/include and OUT/points.json. Groups that overlap without nesting stay away."""
    number, listed = 0, []
    target = out / "include"
    for file in sorted(finder.include.rglob("*.hpp")):
        name = str(file.relative_to(finder.include))
        text = finder.text_of(file)
        groups = sorted(finder.groups.get(file, {}).values(), key=lambda g: (g.start, -g.end, g.form != "stmt"))
        nested, stack = [], []
        for group in groups:
            while stack and stack[-1].end <= group.start:
                stack.pop()
            if stack and group.end > stack[-1].end:
                continue
            stack.append(group)
            nested.append(group)
        line_of = [0]
        for position, character in enumerate(text):
            if character == "\n":
                line_of.append(position + 1)
        run_groups = []
        for group in nested:
            line = next(n for n in range(len(line_of), 0, -1) if line_of[n - 1] <= group.start)
            kept = []
            for point in group.points:
                number += 1
                point.id = number
                where = "compile" if group.context.constant else "run"
                listed.append({
                    "id": number, "file": name, "line": line, "start": group.start, "end": group.end,
                    "form": group.form, "kind": point.kind, "original": point.original, "mutant": point.mutant,
                    "source": text[line_of[line - 1] :].split("\n", 1)[0].strip(),
                    "function": group.context.function, "constexpr": group.context.is_constexpr, "where": where})  # fmt: skip
                if where == "run":
                    kept.append(point)
            if kept:
                run_groups.append((group, kept))
        new = render(text, 0, len(text), run_groups)
        if run_groups:
            # In place of the first line, a comment, so that all lines keep their numbers.
            new = f"#include <{STATE}>\n" + new.split("\n", 1)[1]
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_bytes() != new.encode("latin-1"):
            copy.write_bytes(new.encode("latin-1"))
    (out / "points.json").write_text(json.dumps(listed, indent=0))
    return listed


def on(point):
    return f"::warpsafe_mutation::on({point.id})"


def render(text, start, end, groups):
    """The text from start to end with the groups' mutants."""
    parts, at, index = [], start, 0
    while index < len(groups):
        group, points = groups[index]
        last = index + 1
        while last < len(groups) and groups[last][0].start < group.end:
            last += 1
        inner = render(text, group.start, group.end, groups[index + 1 : last])
        parts += [text[at : group.start], wrap(group.form, points, inner)]
        at, index = group.end, last
    return "".join([*parts, text[at:end]])


def wrap(form, points, inner):
    if form == "neg":
        return f"({on(points[0])} != static_cast<bool>({inner}))"
    if form == "and":
        return f"({on(points[0])} || static_cast<bool>({inner}))"
    if form == "or":
        return f"(!{on(points[0])} && static_cast<bool>({inner}))"
    if form == "stmt":
        return f"{{ if (!{on(points[0])}) {inner} }}"
    if form == "return":
        return "{ " + "".join(f"if ({on(p)}) {p.mutant} " for p in points) + inner + " }"
    return "(" + "".join(f"{on(p)} ? ({p.mutant}) : " for p in points) + f"({inner}))"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--unit", action="append", required=True, help="HEADER,HEADER:: COMPILER ARGUMENTS")
    options = parser.parse_args()
    finder = Finder(options.include)
    for unit in options.unit:
        headers, _, arguments = unit.partition("::")
        finder.parse_unit(headers.split(","), arguments.split())
    points = write_copy(finder, options.out)
    count = {where: sum(p["where"] == where for p in points) for where in ("run", "compile")}
    print(f"mutate.py: {count['run']} points at run time, {count['compile']} in constant expressions")


if __name__ == "__main__":
    try:
        main()
    except libclang.NoLibclang as missing:
        sys.exit(f"mutate.py: {missing}")
