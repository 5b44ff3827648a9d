# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Decides whether a size counts bytes or items, by its names and its other uses in the function, and how large it can be."""

import re

from .launches import round_up
from .tree import bare, call_arguments, call_name, operands, plain

COUNT = r"^(n|m|N|M|num_?\w*|n_?(elem|element|items|points)\w*|count|cnt|len|length|\w*_count|\w*_len)$"


def wrong_sizeof(program, function, node, spelled, item):
    """Describes `n * sizeof(T)` with a T smaller than the copied items, or returns None."""
    sides = operands(node, "*")
    if len(spelled) != 1 or not sides or not any(plain(side) is spelled[0] for side in sides):
        return None
    value = spelled[0].value
    if value is None or value >= item:
        return None
    other = sides[0] if plain(sides[1]) is spelled[0] else sides[1]
    if any((function.value(part) or 1) > 1 for part in other.walk() if part.cursor.kind.is_expression()):
        return None  # each item has several numbers
    return f"in units of {value} byte{'s' * (value != 1)}"


def tells_bytes(node):
    return any(True for _ in node.all("CXX_UNARY_EXPR")) or re.search(r"byte|size", " ".join(node.names()).lower()) is not None


def holds_bytes(function, node):
    """Whether the function uses a variable as bytes elsewhere: it is computed from a sizeof, divided by one, or
    passed to malloc or a similar function."""
    variable = function.variable(node)
    if variable is not None and any(tells_bytes(write) for write in variable.writes):
        return True
    for use in function.node.all("DECL_REF_EXPR"):
        if use.target != node.target:
            continue
        for above in use.above():
            if above.kind == "CALL_EXPR":
                if call_name(above) in ("malloc", "realloc", "aligned_alloc", "memcpy", "memset", "fread", "fwrite"):
                    return not tells_bytes(above)
                break
            sides = operands(above, "/")
            if sides and any(True for _ in sides[1].all("CXX_UNARY_EXPR")):
                return True
    return False


def gets_bytes(program, member):
    """Whether the file writes bytes to a member of that name: `.n = byte_count`, `x.n = n * sizeof(float)`."""
    return re.search(rf"(?i:[.>]\s*)\b{member}\s*=[^=;,}}]*(?i:byte|sizeof)", program.source.decode(errors="replace")) is not None


def counts_elsewhere(program, member):
    """Whether the file multiplies a member of that name by the size of an item, so that it is a count for more than its name."""
    owner = r"(?:\w+\s*(?:\.|->)\s*)*"
    return re.search(rf"\b{member}\s*\*\s*sizeof\b|\bsizeof\s*\([^()]*\)\s*\*\s*{owner}{member}\b", program.source.decode(errors="replace")) is not None


def only_count(function, node):
    """Whether the parts of a size suggest a number of items: names of counts and their products, without a factor
    that could be an item's size."""
    node = plain(node)
    if node.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR", "CALL_EXPR"):
        start = function.resolve(node)
        if tells_bytes(start) or holds_bytes(function, node) or node.kind == "MEMBER_REF_EXPR" and gets_bytes(function.program, node.name):
            return False
        if re.match(COUNT, node.name):
            return operands(start, "*") is None or only_count(function, start)
        node = start
    sides = operands(node, "*")
    if sides:
        return all(only_count(function, side) for side in sides)
    return node.kind == "CALL_EXPR" and call_name(node) == "size" and len(node.children) == 1


IMAGE, LARGEST_IMAGE = re.compile(r"(?i)\w*(width|height)"), 1 << 17  # a side of CUDA's largest texture
LARGEST = {"SHORT": 2**15 - 1, "USHORT": 2**16 - 1, "SCHAR": 127, "CHAR_S": 127, "UCHAR": 255, "INT": 2**31 - 1, "UINT": 2**32 - 1,
           **dict.fromkeys(("LONG", "ULONG", "LONGLONG", "ULONGLONG"), 2**38)}  # more items than a GPU's memory has bytes


def floating(function, node):
    """The value of a floating literal, or None."""
    node = function.resolve(node)
    found = re.fullmatch(r"([\d.]+)[fFlL]?", function.program.text(node)) if node.kind == "FLOATING_LITERAL" else None
    return float(found[1]) if found else None


def largest(function, node, depth=12, count=None):
    """The largest number that an expression can be, by its type and its divisions, or because its name
    is that of an image's side; None if that is not known. Counts below zero are left out of account. `count` is the largest
    value of a name, if given."""
    value = function.value(node)
    if value is not None:
        return value
    limit = LARGEST.get(bare(node).type.get_canonical().kind.name)  # of a variable, or a cast
    found = largest_of(function, function.resolve(node), depth, count)
    return found if None in (found, limit) else min(found, limit)


def largest_of(function, node, depth, count):
    own = LARGEST_IMAGE if IMAGE.fullmatch(node.name) else LARGEST.get(node.type.get_canonical().kind.name)
    if count is not None and node.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR", "CALL_EXPR"):
        own = count
    if depth == 0:
        return own

    def of(part):
        return largest(function, part, depth - 1, count)

    found, sides = own, node.children
    if node.kind == "BINARY_OPERATOR" and len(sides) == 2:
        first, by = of(sides[0]), function.value(sides[1]) or floating(function, sides[1])
        if node.name in ("/", ">>") and first is not None:
            found = first
            if node.name == "/" and by and by >= 1:
                found = int(first // by)
            elif node.name == ">>" and by in range(64):
                found = first >> by
        elif node.name == "%" and by and by > 0:
            found = int(by) - 1
        elif node.name == "-":
            found = first if first is None or by is None else first - int(by)
        elif node.name == "+":
            second = of(sides[1])
            # A sum that rounds up goes beyond the largest count only if it overflows.
            found = None if first is None or second is None else first + second
    elif node.kind == "CONDITIONAL_OPERATOR" and len(sides) == 3:
        parts = [of(part) for part in sides[1:]]
        found = None if None in parts else max(parts)
    elif node.kind == "CALL_EXPR" and call_name(node) in ("min", "ceil", "ceilf", "floor"):
        parts = [part for part in map(of, call_arguments(node)) if part is not None]
        found = min(parts) + (call_name(node) != "min") if parts else None
    elif node.kind == "CALL_EXPR":
        rounded = round_up(function, node)
        block, items = (function.value(rounded.block), of(rounded.count)) if rounded and rounded.count is not node else (None, None)
        found = -(-items // block) if block and items is not None else own
    return found
