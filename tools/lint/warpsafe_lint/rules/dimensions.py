# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part A of the catalogue: the arithmetic of grid and block."""

import re

from ..launches import READS, round_up, rounded_up, same_text
from ..registry import Found, all_launches, function_rule, launch_rule
from ..tree import bare, call_arguments, call_name, is_integer, is_wide, operands, plain
from .evidence import is_reported
from .growth import source_of

COVER = "auto grid = warpsafe::SafeGrid<>::cover(n, warpsafe::block<B>)"



def factors(function, node):
    """The factors of an expression."""
    node = function.resolve(node)
    sides = operands(node, "*")
    return factors(function, sides[0]) + factors(function, sides[1]) if sides else [node]


def is_rounded(function, node):
    """Whether a number was rounded to a multiple: `n + (B - n % B)`, `n - n % B`."""
    sides = operands(node, "+") or operands(node, "-")
    return bool(sides) and any(operands(inner, "%") for side in sides for inner in function.resolve(side).walk())


def remainder_is_asked(program, function, top, bottom):
    """Whether the function computes the remainder of the same number, or has rounded it to the same divisor."""
    variable = function.variable(top)
    if variable is not None and any(same_text(program, part, bottom) for write in variable.writes for part in write.walk()):
        return True
    # The number may be a product of variables that come from what the program checks.
    names = set(top.names())
    for name in top.all("DECL_REF_EXPR"):
        source = function.variable(name)
        names |= source.start.names() if source is not None and source.start is not None else set()
    for node in function.node.all("BINARY_OPERATOR"):
        sides = operands(node, "%")
        if sides and (same_text(program, sides[0], top) or sides[0].names() & names):
            return True
    return False


def is_of_block(function, launch, bottom):
    """Whether a divisor is a number of the block, or a constant: another one, such as the width of an image, gives rows and no blocks."""
    if function.value(bottom) is not None or launch.block is None:
        return True
    names = {name for axis in [launch.block, *launch.block_axes] for name in axis.names()}
    return bool(names & (bottom.names() | function.resolve(bottom).names())) or any(
        same_text(function.program, function.resolve(axis), function.resolve(bottom)) for axis in launch.block_axes)


def may_leave_rest(function, count, block):
    """Whether a block may leave a rest of a count, because one of them grows with the program's input, or because callers pass
    constants that leave one: None if the block divides each constant, and false if what the numbers can be is not known."""
    size, source = function.value(block), source_of(function, count)
    if source is not None and source.values and size:
        return any(value % size for value in source.values) or None
    return any(each is not None and each.grows for each in (source, source_of(function, block) if size is None else None))


def is_divided_in_steps(function, node):
    """Whether a number is rounded up and divided in several steps, `(n + 4 * B - 1) / B / 4`."""
    product, top = 1, node
    while operands(top, "/"):
        top, bottom = operands(top, "/")
        top, value = function.resolve(top), function.value(bottom)
        if value is None:
            return False
        product *= value
    return top.name == "+" and any(function.value(side) == product - 1 for side in operands(top, "+")) or \
        top.name == "-" and function.value(top.children[1]) == 1 and operands(top.children[0], "+") is not None and any(
            function.value(side) == product for side in operands(top.children[0], "+"))


@launch_rule("A07", "a grid whose division drops the tail")
def floor_division(program, function, launch):
    if launch.kernel and (launch.kernel.strides or launch.kernel.takes_work or launch.kernel.body is None):
        return
    for axis in launch.grid_axes:
        node = function.resolve(axis)
        if node.kind == "CALL_EXPR" and call_name(node) in ("ceil", "ceilf") and call_arguments(node):
            node = function.resolve(call_arguments(node)[0])  # ceil(n / 256) of integers rounds down before ceil sees it
        sides = operands(node, "/")
        if not sides or not is_integer(node.type):
            continue
        top, bottom = sides
        count, block = function.value(top), function.value(bottom)
        start = function.resolve(top)
        # A call may round the number, unless it only reads it.
        if start.kind == "CALL_EXPR" and not READS.fullmatch(call_name(start)) or start.kind == "CONDITIONAL_OPERATOR" or start.name in ("+", "-", "<<", "&"):
            continue
        if count is not None and block:
            if count % block:
                yield Found(axis, f"{program.text(node)} is {count} / {block} rounded down: the last {count % block} items get "
                            "no thread",
                            f"write {COVER}, or without warpsafe (n + B - 1) / B", form="constants")
            continue
        if is_divided_in_steps(function, node):
            continue
        parts = factors(function, top)
        if any(same_text(program, part, bottom) or (block and (function.value(part) or 1) % block == 0)
               for part in parts) or any(part.name == "<<" or is_rounded(function, part) or part.kind == "CALL_EXPR" and not READS.fullmatch(call_name(part)) for part in parts):
            continue
        # The name suggests a rounded number, like OpenCL's global work size.
        rest = may_leave_rest(function, top, bottom)
        if rest is None or remainder_is_asked(program, function, top, bottom) or re.search(r"global|pad|round|align", program.text(top).lower()):
            continue
        # A kernel that compares the index of an item is made for a rest; one that does not relies on sizes without a rest. Where the
        # program's input decides the size or the block, nobody chose them for each other, so that any comparison counts.
        source = source_of(function, top)
        by_name = (block is not None or of_template(bottom)) and (source is None or not source.grows or source.named)
        guards = launch.kernel is not None and (launch.kernel.guards_items if by_name else launch.kernel.guards)
        expects_rest = rest and guards and not of_model(top) and not of_template(node) and (
            not by_side(bottom) or any(is_of_block(function, launch, part) for part in (top, bottom)))
        yield Found(axis, f"the grid {program.text(node)} is rounded down: if {program.text(bottom)} does not divide "
                    f"{program.text(top)}, the last items of {launch.kernel_name} get no thread",
                    f"write {COVER}, or without warpsafe (n + B - 1) / B", "" if expects_rest else "note")


@launch_rule("A09", "one block too many")
def one_too_many(program, function, launch):
    for axis in launch.grid_axes:
        node = function.resolve(axis)
        sides = operands(node, "+")
        if not sides or function.value(sides[1]) != 1 or node.value is not None:
            continue
        division = function.resolve(sides[0])
        halves = operands(division, "/")
        if not halves or not is_integer(division.type) or function.value(halves[1]) == 1:
            continue
        top = function.resolve(halves[0])
        if top.name in ("-", "+") or top.kind in ("CALL_EXPR", "CONDITIONAL_OPERATOR"):
            continue
        # A kernel that compares its index leaves the further block idle. Most kernels do, so one that is not seen counts as one.
        guarded = not launch.kernel or launch.kernel.compares or launch.kernel.loops
        yield Found(axis, f"{program.text(node)} is one block too many if {program.text(halves[1])} divides "
                    f"{program.text(halves[0])}",
                    f"write {COVER}, or without warpsafe (n + B - 1) / B", "note" if guarded else "")


@launch_rule("A10", "a rounded-up grid for a kernel without a bounds check")
def no_guard(program, function, launch):
    kernel = launch.kernel
    if not kernel or kernel.compares or kernel.loops or not {"blockIdx", "threadIdx"} <= kernel.names:
        return
    if any(call_name(call) for call in kernel.function.calls if call_name(call) not in ("sqrtf", "expf", "dim3")):
        return
    if not any(node.kind == "ARRAY_SUBSCRIPT_EXPR" for node in kernel.body.walk()):
        return
    for axis in launch.grid_axes:
        if function.value(axis) is None and rounded_up(function, axis):
            found = round_up(function, axis)
            rest = found is None or may_leave_rest(function, found.count, found.block)
            if rest is not None:
                yield Found(axis, f"the grid is rounded up, but {kernel.name} does not compare its index with the number of items: "
                            "the last block writes beyond the array",
                            "write for (auto i : warpsafe::grid_stride(n)) in the kernel, or SafeGrid<>::cover_exact(n, block)", "" if rest else "note")


def is_lost(program, function, axis):
    """Whether a number is an enumerator of a file that is not read completely: clang gives it 0 if its expression has an unknown name."""
    to = function.resolve(axis).cursor.referenced
    return not program.complete and to is not None and to.kind.name == "ENUM_CONSTANT_DECL"


def is_placeholder(function, axis):
    """Whether a 0 is the first value of a variable that may change: a place for a number that comes later, or from elsewhere."""
    variable = function.variable(axis)
    return variable is not None and not variable.node.type.is_const_qualified()


@launch_rule("A04", "a dimension of zero", note_if=is_reported)
def zero(program, function, launch):
    found = {what: axis for what, axes in (("block", launch.block_axes), ("grid", launch.grid_axes)) for axis in axes
             if function.value(axis) == 0 and "dim3" not in plain(axis).type.spelling and not is_lost(program, function, axis)}
    if found:  # one finding per launch
        axis = found.get("grid", found.get("block"))
        yield Found(axis, f"this {' and this '.join(sorted(found, reverse=True))} {'have' if len(found) > 1 else 'has'} a dimension of 0, which every runtime refuses",
                    "write SafeGrid<>::cover_or_empty(n, block) if there may be no work", "note" if all(
                        is_placeholder(function, each) for each in found.values()) else "")


@launch_rule("A05", "a negative dimension", note_if=is_reported)
def negative(program, function, launch):
    for axis in launch.grid_axes + launch.block_axes:
        inner = plain(axis)
        if (inner.value or 0) < 0 or (function.resolve(axis).value or 0) < 0:
            yield Found(axis, f"{program.text(axis)} is negative; as a dimension it exceeds 4 billion",
                        "write SafeGrid<>::cover(n, block)")


# AMD's runtime launches it.
@launch_rule("A11", "grid.y or grid.z over 65535", note_if=lambda function, launch: function.program.language == "hip" or is_reported(function, launch))
def long_axis(program, function, launch):
    for axis, node in zip("yz", launch.grid_axes[1:]):
        value = function.value(node)
        if value is not None and value > 65535:
            yield Found(node, f"grid.{axis} is {value}, limit 65535 on CUDA",
                        "put the long axis in x")


@launch_rule("A12", "2^32 threads along one axis")
def amd_threads(program, function, launch):
    for axis, node, block in zip("xyz", launch.grid_axes, launch.block_values):
        value = function.value(node)
        if value is not None and value < 1 << 31 and block and value * block >= 1 << 32:
            yield Found(node, f"grid.{axis} times block.{axis} is {value * block} threads; AMD's limit is 2^32 - 1",
                        "use fewer blocks, and warpsafe::grid_stride(n) in the kernel")


def of_model(node):
    """Whether each name in a number is an extent of a model or of a batch, such as head_num * size_per_head."""
    names = [name for name in node.names() if name not in ("std", "size_t")]
    return bool(names) and all(re.search(r"head|hidden|vocab|batch|seq|beam|channel|dim|row|col|width|height|max_\w*len|max_\w*length", name.lower())
                               for name in names)


def by_side(node):
    """Whether a number is named like the side of an image or a matrix."""
    return any(re.search(r"(?i)width|height|cols?$|columns?$|rows?$", name) for name in node.names())


def of_template(node):
    """Whether each name in a number is a parameter of a template: the program's constants, and no input, decide."""
    kinds = {name.cursor.referenced.kind.name for name in node.all("DECL_REF_EXPR") if name.cursor.referenced is not None}
    return kinds == {"TEMPLATE_NON_TYPE_PARAMETER"}


@function_rule("A02", "a 64-bit count stored in 32 bits before the launch")
def narrowed_count(program, function):
    used = {}
    for launch in all_launches(function):
        for axis in launch.grid_axes:
            pending, depth = [axis], 0
            while pending and depth < 40:
                depth += 1
                for name in pending.pop().all("DECL_REF_EXPR"):
                    used.setdefault(name.target, launch)
                    variable = function.variable(name)
                    if variable is not None and variable.start is not None:
                        pending.append(variable.start)
    for variable in function.variables.values():
        start = variable.start
        if variable.node.cursor.hash in used and start is not None and start.kind == "UNEXPOSED_EXPR" and \
                variable.node.type.get_canonical().kind.name in ("INT", "UINT") and len(start.children) == 1 and \
                is_wide(start.children[0].type) and function.value(start) is None:
            wide = bare(start)
            if re.search(r"grid|block", variable.node.name.lower()):
                continue
            sides = operands(wide, "/")
            if sides or wide.kind == "CXX_UNARY_EXPR" or any(True for _ in wide.all("CXX_UNARY_EXPR")) or \
                    b"constexpr" in program.source[variable.node.start:variable.node.start + 60].split(b"=")[0]:
                continue  # a number of blocks is small; its narrowing is row A03
            yield Found(variable.node, f"{variable.node.name} keeps 32 bits of {program.text(wide)}, and a grid is computed "
                        "from it",
                        "keep the 64 bits and write SafeGrid<>::cover(n, block), which accepts them")


@launch_rule("A21", "an int product as the size of a grid", by_default=False)
def int_product(program, function, launch):
    for axis in launch.grid_axes:
        for part in function.resolve(axis).walk():
            sides = operands(part, "*")
            if sides and part.type.get_canonical().kind.name == "INT" and part.value is None and all(
                    function.value(side) is None for side in sides):
                yield Found(part, f"{program.text(part)} is computed in int, and overflows before any check sees it",
                            "write SafeGrid<>::cover(extent{rows{m}, cols{n}}, block), or std::size_t{m} * n")
                return


@launch_rule("A01", "a rounded-up size that overflows int", by_default=False)
def rounding_overflows(program, function, launch):
    for axis in launch.grid_axes:
        found = round_up(function, axis)
        total, kind = (found.total, found.kind) if found else (None, None)
        if kind is not None and kind.kind.name in ("INT", "UINT") and function.value(found.count) is None:
            last, result = ("2^31", "a negative number") if kind.kind.name == "INT" else ("2^32", "a grid of a few blocks")
            yield Found(axis, f"{program.text(total)} is computed in {kind.spelling}: for a count just below {last} it overflows to {result}",
                        f"write {COVER}, or without warpsafe (n - 1) / B + 1 for n > 0")
            continue
        node = function.resolve(axis)
        if node.kind == "CALL_EXPR" and call_name(node) in ("ceil", "ceilf") and call_arguments(node):
            inner = bare(call_arguments(node)[0])
            while inner.kind == "UNEXPOSED_EXPR" and len(inner.children) == 1:
                inner = inner.children[0]
            if inner.type.get_canonical().kind.name == "FLOAT":
                yield Found(axis, f"{program.text(node)} is computed in float, which keeps 24 bits: from 2^24 items on the last ones may get "
                            "no thread",
                            f"write {COVER}, or without warpsafe (n - 1) / B + 1 for n > 0")


@launch_rule("A03", "a 64-bit number stored in a dim3", by_default=False)
def truncated_dimension(program, function, launch):
    for axis in launch.grid_axes:
        if axis.kind == "UNEXPOSED_EXPR" and axis.type.get_canonical().kind.name == "UINT" and \
                axis.children and is_wide(axis.children[0].type) and function.value(axis) is None:
            yield Found(axis, f"{program.text(axis)} has 64 bits, but a dim3 keeps 32",
                        f"write {COVER}")
