# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The lines of a source as a compiler counts them, and its comments and literals."""

import re

# A comment of // goes on behind a backslash at its line's end. Words and numbers are tokens, so that the R of `FOUR"(` begins
# no raw string, and the ' of 1'000 no literal.
TOKEN = re.compile(r"(?P<comment>//(?:\\[ \t]*\n|[^\n])*|/\*.*?(?:\*/|\Z))|"
                   r"(?P<literal>(?:u8|[uUL])?R\"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)\"|"
                   r"(?:u8|[uUL])?(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'))|\d(?:'?[\w.])*|[A-Za-z_]\w*", re.S)
TOKEN_OF_BYTES = re.compile(TOKEN.pattern.encode(), re.S)


def lines_of(text, keepends=False):
    """As splitlines(), which also ends a line at a form feed and at other characters inside of one."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    return lines if keepends else [line.removesuffix("\n") for line in lines]


def comments(text):
    """The comments of a source, as matches."""
    return [found for found in TOKEN.finditer(text) if found["comment"]]


def inner_lines(text):
    """The places of the lines that begin inside of a comment or a literal."""
    return {found.start() + line.end() for found in TOKEN.finditer(text) if found["comment"] or found["literal"] for line in re.finditer("\n", found[0])}


def blanked(text, *kinds):
    """A source, as text or bytes, with blanks in place of its tokens of these kinds, and the same lines and places."""
    token, other, blank = (TOKEN_OF_BYTES, rb"[^\n]", b" ") if isinstance(text, bytes) else (TOKEN, r"[^\n]", " ")
    return token.sub(lambda found: re.sub(other, blank, found[0]) if any(found[kind] for kind in kinds) else found[0], text)


def without_comments(text):
    return blanked(text, "comment")


def code_of(text):
    """A source without its comments and its literals."""
    return blanked(text, "comment", "literal")
