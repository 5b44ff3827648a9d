# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""--fix: writes warpsafe::check above `k<<<grid, block, bytes, stream>>>(…)`, and leaves the launch as it is."""

import re

from ..lines import comments, inner_lines, lines_of, without_comments
from ..registry import all_launches
from ..tree import is_integer, plain
from .effects import effect

INCLUDES = "#include <warpsafe/launch/check.hpp>\n#include <warpsafe/warpsafe.hpp>\n"
STATEMENTS = ("COMPOUND_STMT", "IF_STMT", "FOR_STMT", "WHILE_STMT", "DO_STMT", "CASE_STMT", "DEFAULT_STMT",
              "CXX_FOR_RANGE_STMT", "LABEL_STMT")


class Left(Exception):
    """The reason why a launch gets no check."""


def between_commas(text):
    """The parts of a macro's arguments, split as the preprocessor splits them."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts + [text[start:].strip()] if text.strip() else []


WIDEST = 100  # columns of a line before the arguments get a line of their own


class Part:
    """A comma-separated list in the source: its text, and the nodes in it."""

    def __init__(self, source, start, end, nodes):
        self.source, self.start, self.end, self.nodes = source, start, end, nodes
        at = start
        for number, node in enumerate(nodes):
            if without_comments(source[at:node.start].decode()).strip() != ("," if number else ""):
                raise Left("part of it comes from a macro")
            at = node.end
        if without_comments(source[at:end].decode()).strip():
            raise Left("part of it comes from a macro")

    def texts(self):
        return [self.source[node.start:node.end].decode() for node in self.nodes]

    def with_texts(self, texts):
        """The list with other texts for its nodes; comments and line breaks stay."""
        out, at = "", self.start
        for node, text in zip(self.nodes, texts):
            out += self.source[at:node.start].decode() + text
            at = node.end
        return out + self.source[at:self.end].decode()


class Words:
    """The arguments of a macro, which have no nodes of their own."""

    def __init__(self, words):
        self.words = words

    def texts(self):
        return self.words

    def with_texts(self, texts):
        return ", ".join(texts)


def brackets(launch):
    """Where the text between the angle brackets of a launch begins and ends, also of `<< <1, 1>> >`; None if a macro writes them."""
    source, config = launch.function.program.source, launch.node.children[1]
    opening, closing = re.match(rb"<<[ \t]*<", source[config.start:config.end]), re.search(rb">>[ \t]*>\Z", source[config.start:config.end])
    return (config.start + opening.end(), config.start + closing.start()) if opening and closing and opening.end() <= closing.start() else None


def parts_of(launch):
    """The kernel's text, and the slots as Part or Words."""
    source, node = launch.function.program.source, launch.node
    text = source[node.start:node.end].decode(errors="replace")
    slots = [slot for slot in (launch.grid, launch.block, launch.bytes, launch.stream) if slot is not None]
    if launch.form == "<<<>>>":
        config, inside = node.children[1], brackets(launch)
        if inside is None:
            raise Left("part of it comes from a macro")
        kernel = source[node.start:config.start].decode().strip()
        return kernel, Part(source, *inside, slots)
    found = re.match(r"hipLaunchKernelGGL\s*\((.*)\)\s*$", text, re.S)
    words = between_commas(found.group(1)) if found else []
    if not found or len(words) != 5 + len(launch.arguments):
        raise Left("a macro of the program writes this launch")
    kernel = re.sub(r"^HIP_KERNEL_NAME\s*\((.*)\)$|^\((.*)\)$", lambda m: m.group(1) or m.group(2), words[0], flags=re.S)
    return kernel, Words(words[1:5])


def template_arguments(cursor):
    """The template arguments of an instance, `<float, 4>`, or Left."""
    words = []
    for place in range(cursor.get_num_template_arguments()):
        kind = cursor.get_template_argument_kind(place).name
        if kind == "TYPE":
            words.append(cursor.get_template_argument_type(place).spelling)
        elif kind == "INTEGRAL":
            words.append(str(cursor.get_template_argument_value(place)))
        else:
            raise Left("the kernel's template arguments are not in the source")
    return f"<{', '.join(words)}>" if words else ""


def named_kernel(launch, text):
    """The name for kernel<…>."""
    program = launch.function.program
    reference = plain(launch.callee)
    to = reference.cursor.referenced
    kind = to.kind.name if to is not None else ""
    if kind in ("VAR_DECL", "PARM_DECL", "FIELD_DECL"):
        raise Left("the kernel is in a variable, and kernel<…> is a constant")
    if not re.fullmatch(r"[\w:]+(\s*<.*>)?", text, re.S):
        raise Left("the kernel is an expression, and kernel<…> takes a name")
    if text.endswith(">"):
        return text
    around = to.semantic_parent if to is not None else None
    others = [cursor for cursor in program.bodies.get(launch.kernel_name, ()) if around is not None and cursor.semantic_parent.canonical == around.canonical]
    if len(program.kernels.get(launch.kernel_name, [])) > 1 or len(others) > 1:
        raise Left("several kernels or functions have this name")
    if kind == "FUNCTION_DECL":
        return text + template_arguments(to)
    raise Left("a template's parameters decide the kernel's type here")


def dimension(node, text):
    """The text of a grid or a block: a dim3 or an integer unchanged, anything else converted to dim3."""
    inner = plain(node)
    given = next((each for each in inner.children if (each.start, each.end) == (inner.start, inner.end)), inner) if inner.kind == "CALL_EXPR" else inner
    kind = plain(given).type.get_canonical()  # of what dim3 is made from without a word
    if is_integer(kind) or kind.spelling.replace("const ", "") in ("dim3", "struct dim3") or "dependent" in kind.spelling:
        return text
    return f"dim3({text})"


def end_of_check(launch):
    """What ends the check before a launch: a semicolon in a block, a comma where the launch is the one statement of an if or a loop."""
    source, start = launch.function.program.source, launch.node.start
    if re.search(rb"\bcheck\s*\(\s*(?:(?:::)?warpsafe::)?kernel\s*<[^;]*[;,]\s*\Z", source[:start]):
        raise Left("a check is above it")
    outer = launch.node
    while outer.parent is not None and (outer.parent.start == start or outer.parent.kind == "UNEXPOSED_EXPR"):
        outer = outer.parent  # what a macro writes around a launch begins with it
    statement = outer.parent
    if launch.form == "macro":
        if statement is None or statement.kind != "COMPOUND_STMT":
            raise Left("it is the one statement of an if or a loop")
        block = True
    elif statement is None or statement.kind not in STATEMENTS:
        raise Left("it is part of a larger expression")
    else:
        block = statement.kind == "COMPOUND_STMT"
    return (";\n" if block else ",\n") + indent_of(source, start)


def check_of(launch):
    """The text before a launch, or Left."""
    if launch.form not in ("<<<>>>", "macro"):
        raise Left(f"{launch.form} returns its own status; replace it by warpsafe::launch")
    end = end_of_check(launch)
    kernel, slots = parts_of(launch)
    kernel = named_kernel(launch, kernel)
    repeated = next(filter(None, (effect(slot) for slot in (launch.grid, launch.block, launch.bytes, launch.stream) if slot is not None)), "")
    if repeated:
        raise Left(f"an expression between the brackets {repeated}, and the check would repeat it")
    texts = slots.texts()
    nodes = (launch.grid, launch.block)
    texts[:2] = [dimension(node, text) for node, text in zip(nodes, texts)]
    head = f"warpsafe::check(warpsafe::kernel<{kernel}>,"
    return laid_out(launch, head, trimmed(slots.with_texts(texts))) + end


def indent_of(source, start):
    """The blanks at the beginning of a line."""
    line = source[source.rfind(b"\n", 0, start) + 1:start]
    return re.match(rb"[ \t]*", line).group().decode()


def trimmed(text):
    """A text without blanks around it; behind a comment that ends with its line, the line break stays."""
    found = comments(text)
    ends = found and found[-1][0].startswith("//") and not text[found[-1].end():].strip()
    return text.strip() + "\n" if ends else text.strip()


def laid_out(launch, head, slots):
    """The call on one line if it fits, and otherwise the slots on a line of their own, further in than the launch."""
    source, start = launch.function.program.source, launch.node.start
    before = source[source.rfind(b"\n", 0, start) + 1:start].decode(errors="replace")
    one = f"{head} {slots}).value()"
    if len(before) + max(map(len, one.split("\n"))) < WIDEST:  # a semicolon follows
        return one
    return f"{head}\n{indent_of(source, start)}    {slots}).value()"


def includes_of(text):
    """The #include lines that stand before all code and outside of any #if, each with its place. One behind code may be inside of a
    namespace or of `extern "C" {`, which a macro may hide."""
    inner, depth, at, goes_on = inner_lines(text), 0, 0, False
    for line in lines_of(without_comments(text), True):
        word = re.match(r"\s*#\s*(\w+)", line)
        if not word and not goes_on and line.strip(" \t\n\f\ufeff"):
            return
        if word and not goes_on:
            depth += (word[1] in ("if", "ifdef", "ifndef")) - (word[1] == "endif")
            if word[1] == "include" and depth == 0 and at not in inner:
                yield at, line
        goes_on = line.rstrip(" \t\n").endswith("\\")
        at += len(line)


def with_includes(text):
    """The file with warpsafe's headers before its first #include, or at its beginning."""
    found = list(includes_of(text))
    if any("<warpsafe/launch/check.hpp>" in line for _, line in found):
        return text
    at = found[0][0] if found else 0
    at = max(at, text.startswith("\ufeff"))  # compilers take a byte order mark only as the first character
    return text[:at] + INCLUDES + text[at:]


def fix(program):
    """The new text of a file, and for each launch its node with a sentence: checked, or the reason why not."""
    edits, notes = [], []
    text = program.source.decode()
    # A part of another source may be included anywhere in it.
    is_part = program.unit.spelling != program.file and not any(includes_of(text))
    for function in program.functions:
        for launch in all_launches(function):
            try:
                if is_part:
                    raise Left("another source includes this file, which begins with no #include")
                edits.append((launch.node.start, check_of(launch)))
                notes.append((launch.node, f"{launch.kernel_name}: a check is written above it"))
            except Left as why:
                notes.append((launch.node, f"{launch.kernel_name}: no check written: {why}"))
    if not edits:
        return text, notes
    source = program.source
    for start, check in sorted(edits, reverse=True):
        source = source[:start] + check.encode() + source[start:]
    return with_includes(source.decode()), notes
