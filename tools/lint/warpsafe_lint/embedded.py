# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Sources in string literals, which a program compiles with NVRTC or hipRTC while it runs."""

import re

from . import prefix
from .program import Program
from .tree import call_arguments, call_name, plain

CREATES = ("nvrtcCreateProgram", "hiprtcCreateProgram")
PIECE = re.compile(r'(?:u8|u|U|L)?R"([^()\\\s]{0,16})\((.*?)\)\1"|(?:u8|u|U|L)?"((?:[^"\\\n]|\\.)*)"', re.S)
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'", "\n": "", "0": ""}


def literal(program, node):
    """The string literal that an argument is: itself, or the initial value of the variable that it names; or None."""
    inner = plain(node)
    if inner.kind == "DECL_REF_EXPR":
        declaration = inner.cursor.referenced
        pending = list(declaration.get_children()) if declaration is not None and declaration.kind.name == "VAR_DECL" else []
    else:
        pending = [inner.cursor]
    while pending:
        cursor = pending.pop()
        if cursor.kind.name == "STRING_LITERAL":
            file = cursor.location.file
            return cursor if file is not None and file.name == program.file else None
        pending.extend(cursor.get_children())
    return None


def unescaped(source, start, end):
    """The text of a literal, and for each of its lines the line of the source."""
    text, lines, number = "", [], source.count(b"\n", 0, start) + 1
    written = source[start:end].decode(errors="replace")
    lines.append(number)
    at = 0
    for piece in PIECE.finditer(written):
        number += written.count("\n", at, piece.start())
        if not text or text.endswith("\n"):
            lines[-1] = number
        raw = piece.group(2)
        if raw is not None:
            for place, line in enumerate(raw.split("\n")):
                if place:
                    number += 1
                    text += "\n"
                    lines.append(number)
                text += line
        else:
            for letter in re.finditer(r"\\(.)|([^\\]+)", piece.group(3), re.S):
                new = letter.group(2) or ESCAPES.get(letter.group(1), "?")
                text += new
                lines += [number] * new.count("\n")
            number += piece.group().count("\n")
        at = piece.end()
    return text, lines


def sources(program, cindex):
    """The Program of each embedded source, with the line of the file for each of its lines."""
    seen = set()
    for function in program.functions:
        for call in function.calls:
            if call_name(call) not in CREATES or len(call_arguments(call)) < 2:
                continue
            cursor = literal(program, call_arguments(call)[1])
            if cursor is None or cursor.extent.start.offset in seen:
                continue
            seen.add(cursor.extent.start.offset)
            text, lines = unescaped(program.source, cursor.extent.start.offset, cursor.extent.end.offset)
            name = f"{program.file}.{cursor.extent.start.offset}.cu"
            language = "hip" if call_name(call).startswith("hip") else "cuda"
            words = program.compile_words(language) + (["-include", "hip/hip_runtime.h"] if language == "hip" else [])  # as hipRTC does
            unit = prefix.parse(cindex, name, {name: text}, words, 0x200)
            yield Program(unit, name, text, language), lines
