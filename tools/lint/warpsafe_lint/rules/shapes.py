# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part A of the catalogue: the names of grid and block, and how the kernel uses them."""

import re

from ..launches import is_of_caller, rounded_up, same_text
from ..program import FUNCTIONS
from ..registry import Found, function_rule, launch_rule
from ..tree import bare, call_arguments, call_name, is_integer, is_loop, is_wide, operands, plain, pointee_size
from .growth import Source, source_of


def is_grid_word(word):
    word = word.lower()
    return "grid" in word or re.search(r"(n|num|number_?of|n_)_?(thread_?)?blocks|^blocks$|blocks_?(per|in)", word) is not None


def is_block_word(word):
    word = word.lower()
    return not is_grid_word(word) and (
        "thread" in word or re.search(r"block_?(dim|size|sz)|dim_?block|^block$|^tpb$|^bs$", word) is not None)


@launch_rule("A13", "grid and block swapped")
def swapped(program, function, launch):
    if launch.grid is None or launch.block is None:
        return
    if any(rounded_up(function, axis) for axis in launch.grid_axes) and all(function.value(axis) for axis in launch.block_axes):
        return  # the numbers are right, and the names wrong
    first, second = plain(launch.grid), plain(launch.block)
    while first.kind == "CALL_EXPR" and len(first.children) == 1:
        first = plain(first.children[0])
    while second.kind == "CALL_EXPR" and len(second.children) == 1:
        second = plain(second.children[0])
    if is_block_word(program.text(first)) and is_grid_word(program.text(second)) and re.fullmatch(
            r"[\w.:>-]+", program.text(first)) and re.fullmatch(r"[\w.:>-]+", program.text(second)):
        yield Found(launch.node, f"the grid is {program.text(first)} and the block {program.text(second)}: their names suggest "
                    "that they are swapped",
                    f"write <<<{program.text(second)}, {program.text(first)}, …>>>; warpsafe's GridDim and BlockDim do not "
                    "convert into each other",
                    # The callers of a wrapper may pass the grid as its block, and so swap them back. Constants that a device
                    # accepts in this order do what they do.
                    "note" if all(is_of_caller(function, node) for node in (first, second)) or all(
                        (function.value(axis) or 2048) <= 1024 for axis in launch.block_axes + launch.grid_axes) else "")


ROWS, COLUMNS = r"row|height|^h$|^ny$", r"col|width|^w$|^nx$"


def limited_by_rows(kernel, variable):
    """Whether a kernel compares a variable with a number of rows, as one that transposes does."""
    for test in kernel.node.all("BINARY_OPERATOR"):
        for side, other in (test.children, test.children[::-1]) if test.name in ("<", ">", "<=", ">=") and len(test.children) == 2 else ():
            if plain(side).target == variable.cursor.hash and any(re.search(ROWS, name.lower()) for name in kernel.function.resolve(other).names()):
                return True
    return False


@launch_rule("A14", "x and y swapped")
def axes_swapped(program, function, launch):
    axes = launch.grid_axes
    if len(axes) < 2 or axes[1].left_out or not launch.kernel:
        return

    def about(node, pattern):
        return any(re.search(pattern, name.lower()) for name in function.resolve(node).names())

    if not (about(axes[0], ROWS) and about(axes[1], COLUMNS)) or about(axes[0], COLUMNS) or about(axes[1], ROWS):
        return
    # Two equal constants: no order of them is wrong.
    sides = [function.value(axis) for axis in axes[:2]]
    if sides[0] is not None and sides[0] == sides[1]:
        return
    # The launch of a transposed matrix passes its rows as the kernel's columns, too.
    if any(re.search(COLUMNS, parameter.name.lower()) and about(argument, ROWS) and not about(argument, COLUMNS)
           for parameter, argument in zip(launch.kernel.parameters, launch.arguments or ())):
        return
    source = launch.kernel.function.program
    for variable in launch.kernel.node.all("VAR_DECL"):
        text = source.text(variable)
        if re.search(r"col", variable.name.lower()) and re.search(r"blockIdx\.x", text) and "blockIdx.y" not in text and not limited_by_rows(
                launch.kernel, variable):
            yield Found(launch.grid, f"grid.x comes from rows and grid.y from columns, but {launch.kernel.name} takes "
                        f"{variable.name} from x",
                        "write SafeGrid<>::cover(extent{rows{m}, cols{n}}, block<X, Y>)")
            return


@launch_rule("A15", "bytes instead of elements")
def bytes_for_elements(program, function, launch):
    kernel = launch.kernel
    if not kernel or any(pointee_size(p.type) in (None, 1) and p.type.get_canonical().kind.name == "POINTER"
                         for p in kernel.parameters):
        return
    for axis in launch.grid_axes:
        node = function.resolve(axis)
        sides = operands(node, "/")
        if not sides:
            continue
        top = function.resolve(sides[0])
        sizes = [n for n in top.all("CXX_UNARY_EXPR")]
        named = [name for name in top.names() if re.search(r"n_?bytes|_bytes|size_?in_?bytes|^bytes$", name.lower())]
        down = any(True for _ in function.resolve(sides[1]).all("CXX_UNARY_EXPR"))
        if (sizes or named) and not down and not any(operands(n, "/") for n in top.walk()):
            yield Found(axis, f"the grid {program.text(node)} is computed from bytes, but {kernel.name} counts elements",
                        "write SafeGrid<>::cover(elements, block)")


@function_rule("A16", "a 32-bit index for a 64-bit count")
def narrow_index(program, function):
    if not function.is_kernel:
        return
    wide = {p.cursor.hash for p in function.parameters if is_wide(p.type)}
    for variable in function.node.all("VAR_DECL"):
        if variable.type.get_canonical().kind.name not in ("INT", "UINT"):
            continue
        if not {"blockIdx", "threadIdx"} <= variable.names():
            continue
        for node in function.node.all("BINARY_OPERATOR"):
            if node.name not in ("<", ">=", "<=", ">"):
                continue
            left, right = (plain(side) for side in node.children)
            if {left.target if left.kind == "DECL_REF_EXPR" else 0, right.target if right.kind == "DECL_REF_EXPR" else 0} >= {
                    variable.cursor.hash} and ((left.target if left.kind == "DECL_REF_EXPR" else 0) in wide or
                                               (right.target if right.kind == "DECL_REF_EXPR" else 0) in wide):
                limit = "2^31" if variable.type.get_canonical().kind.name == "INT" else "2^32"
                yield Found(variable, f"{variable.name} has 32 bits, but is compared with a 64-bit count: from {limit} items on "
                            "it overflows",
                            "write for (auto i : warpsafe::grid_stride(n)), which counts in n's own type, or compute the "
                            "index in 64 bits: std::size_t(blockIdx.x) * blockDim.x + threadIdx.x")
                break


def source_of_least(function, node):
    """What decides the largest part of a `min` or of a choice that is no constant; or None."""
    sources = [source_of(function, part) for part in node.children if part.cursor.kind.is_expression() and function.value(part) is None and
               part.name not in ("<", ">", "<=", ">=") and part.type.kind.name not in ("BOOL", "FUNCTIONPROTO")]
    return next((source for source in sources if source is not None and source.grows), None)


@launch_rule("A18", "a capped grid for a kernel that handles one item per thread")
def capped(program, function, launch):
    kernel = launch.kernel
    if not kernel or kernel.strides or kernel.loops or not kernel.body.children:  # an empty one stands for another GPU's
        return
    if any(function.value(axis) is None and function.resolve(axis).kind in ("BINARY_OPERATOR", "CALL_EXPR", "CONDITIONAL_OPERATOR")
           for axis in launch.block_axes):
        return  # a block computed from the data grows with it
    for axis in launch.grid_axes:
        node = function.resolve(axis)
        least = node.kind == "CALL_EXPR" and call_name(node) in ("min", "umin", "MIN")
        if node.kind == "CONDITIONAL_OPERATOR" and len(node.children) == 3:
            test, one, other = node.children
            test = bare(test)
            least = test.name in ("<", ">", "<=", ">=") and any(
                same_text(program, side, arm) for side in test.children for arm in (one, other)) and any(
                function.value(arm) is not None and function.value(arm) > 1 for arm in (one, other))
        # Names of constants alone, which a missing header may hide: the number of items does not grow.
        names = [name.cursor.referenced for name in function.resolve(node).all("DECL_REF_EXPR", "MEMBER_REF_EXPR")
                 if name.cursor.referenced is not None and name.cursor.referenced.kind.name in ("VAR_DECL", "PARM_DECL", "FIELD_DECL")]
        if names and all(name.type.is_const_qualified() and name.semantic_parent.kind.name not in FUNCTIONS for name in names):
            continue
        # A loop handles the items in parts, `min(most, n - first)`; and along x a device takes more blocks than there are items.
        parts = least and any(part.name == "-" and any(is_loop(above) and name in {each.name for each in above.children[0].all("VAR_DECL", "DECL_REF_EXPR")}
                                                       for above in launch.node.above() for name in part.children[-1].names())
                              for part in node.walk() if part.kind == "BINARY_OPERATOR")
        if parts or "maxGridSize" in node.names():
            continue
        if least and any(function.value(inner) is not None for inner in node.children):
            # A kernel without a number of items may have one for each thread that there is.
            counts = kernel.compares or any(is_integer(parameter.type) for parameter in kernel.parameters)
            # Who limits a grid by a constant knows the number of items, unless the program's input gives it.
            source = source_of_least(function, node)
            counts = counts and source is not None and source.grows and not source.named
            yield Found(axis, f"the grid is capped, but {kernel.name} handles one item per thread: the items beyond the cap "
                        "are dropped",
                        "write for (auto i : warpsafe::grid_stride(n)) in the kernel", "" if counts else "note")


SIZES = r"(n|m|k|N|M|K|len|length|count|size|rows?|cols?|columns?|width|height|batch(_?size)?|num_?(elements|items|points|rows|cols))"


def is_bounded(program, function, node, depth=2):
    """Whether the function compares a number with another one, or all callers in this file pass at most 1024 or a number that they
    compare."""
    inner = plain(node)
    text = program.source[function.node.start:function.node.end]
    if re.search(rb"\w*(CHECK|ASSERT|EXPECT)_L[TE]\s*\(\s*" + re.escape(program.text(inner).encode()) + rb"\s*,", text):
        return True  # a test of glog's or GoogleTest's
    if inner.kind != "DECL_REF_EXPR":
        return False
    if re.search(rb"assert\s*\([^;]*<=?\s*1024\b", text):
        return True
    for test in function.node.all("BINARY_OPERATOR"):
        in_loop = any(above.kind == "FOR_STMT" for above in test.above())
        if test.name in ("<", ">", "<=", ">=") and not in_loop and any(
                plain(side).kind == "DECL_REF_EXPR" and plain(side).target == inner.target for side in test.children):
            return True
    places = [place for place, parameter in enumerate(function.parameters) if parameter.cursor.hash == inner.target]
    given = [(caller, call_arguments(call)) for caller, call in program.callers(function.name)]
    values = [(caller, arguments[places[0]]) for caller, arguments in given if places and len(arguments) > places[0]]
    return bool(values) and all(caller.value(value) <= 1024 if caller.value(value) is not None else
                                depth > 0 and is_bounded(program, caller, value, depth - 1) for caller, value in values)


@launch_rule("A19", "the block size is the data's size")
def block_of_data(program, function, launch):
    for axis in launch.block_axes:
        node = function.resolve(axis)
        if function.value(node) is not None:
            continue
        # A member without arguments. A function size(layout) may count threads.
        by_size = node.kind == "CALL_EXPR" and call_name(node) in ("size", "numel", "length") and not call_arguments(node)
        by_name = node.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR") and re.fullmatch(SIZES, node.name) and \
            "dim3" not in node.type.spelling and node.cursor.referenced is not None and \
            node.cursor.referenced.kind.name != "TEMPLATE_NON_TYPE_PARAMETER"
        if (by_size or by_name) and not is_bounded(program, function, node):
            source = source_of(function, node) or Source("", values=(1,))
            if source.most is not None and source.most <= 1024:
                continue
            grows = source.grows and not (launch.kernel and launch.kernel.has_own_sizes)
            unknown = "" if grows or source.most else ", and its largest value is not known here"
            yield Found(axis, f"the block size {program.text(axis)} is a size of the data{unknown}: no GPU accepts more than 1024",
                        "use a constant block and SafeGrid<>::cover(n, block<256>), or BlockDim::create(n), which checks",
                        "note" if unknown else "", kind="data", form="input" if source.read else "")  # who gives one block the data's size gives it to the others
