# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Decides whether a size counts bytes or items, by its names and its other uses in the function."""

import re

from .tree import call_name, operands, plain

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


def only_count(function, node):
    """Whether the parts of a size suggest a number of items: names of counts and their products, without a factor
    that could be an item's size."""
    node = plain(node)
    if node.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR"):
        start = function.resolve(node)
        if tells_bytes(start) or holds_bytes(function, node):
            return False
        if re.match(COUNT, node.name):
            return operands(start, "*") is None or only_count(function, start)
        node = start
    sides = operands(node, "*")
    if sides:
        return all(only_count(function, side) for side in sides)
    return node.kind == "CALL_EXPR" and call_name(node) == "size" and len(node.children) == 1
