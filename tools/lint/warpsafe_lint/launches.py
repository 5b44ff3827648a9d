# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The launches of a file, in every spelling, and what the source shows of a kernel."""

import functools
import re

from .function import api
from .tree import LOOPS, call_arguments, call_name, operands, plain

PUSH = ("__cudaPushCallConfiguration", "__hipPushCallConfiguration", "cudaConfigureCall")
CALLED = ("LaunchKernel", "LaunchCooperativeKernel")


class Kernel:
    """A kernel, as far as its source describes it."""

    def __init__(self, function):
        self.function, self.name = function, function.name
        self.parameters = function.parameters
        self.node, self.body = function.node, function.body

    @functools.cached_property
    def names(self):
        return self.body.names() if self.body else set()

    @functools.cached_property
    def strides(self):
        """Whether it reads the grid's size, and may therefore handle several items per thread."""
        return "gridDim" in self.names or "this_grid" in self.names or "num_threads" in self.names

    @functools.cached_property
    def loops(self):
        return any(True for _ in self.node.all(*LOOPS))

    @functools.cached_property
    def compares(self):
        return any(node.kind in ("IF_STMT", "CONDITIONAL_OPERATOR", "SWITCH_STMT") or node.name in
                   ("<", ">", "<=", ">=", "==", "!=", "&&", "||", "%") for node in self.body.walk())

    @functools.cached_property
    def dynamic_shared(self):
        """The variable of dynamic shared memory, or None."""
        for node in self.node.all("VAR_DECL"):
            if self._is_shared(node) and node.type.kind.name == "INCOMPLETEARRAY":
                return node
        return None

    @functools.cached_property
    def static_shared(self):
        """Bytes of shared memory that the kernel always has."""
        return sum(max(node.type.get_size(), 0) for node in self.node.all("VAR_DECL")
                   if self._is_shared(node) and node.type.kind.name != "INCOMPLETEARRAY")

    @staticmethod
    def _is_shared(node):
        return any(child.kind == "CUDASHARED_ATTR" for child in node.children)

    @functools.cached_property
    def max_threads(self):
        """The first number of __launch_bounds__ if it is a literal, or None."""
        head = self.function.program.source[self.node.start:self.body.start if self.body else self.node.end]
        found = re.search(rb"__launch_bounds__\s*\(\s*(\d+)\s*[,)]", head)
        return int(found.group(1)) if found else None


class Launch:
    """One launch: the nodes of its slots, None for a missing slot."""

    def __init__(self, function, node, form, callee, slots, arguments):
        self.function, self.node, self.form, self.callee = function, node, form, callee
        self.grid, self.block, self.bytes, self.stream = (
            None if slot is None or slot.left_out else slot for slot in slots)
        self.arguments = arguments
        named = [n.name for n in callee.all("DECL_REF_EXPR", "OVERLOADED_DECL_REF", "MEMBER_REF_EXPR") if n.name]
        self.kernel_name = named[0] if named else "the kernel"
        self.order = node.order

    @functools.cached_property
    def kernel(self):
        """The Kernel, if its source is in this file or its includes and its name is unique; or None."""
        found = [Kernel(f) for f in self.function.program.kernels.get(self.kernel_name, [])]
        if self.arguments is not None and len(found) > 1:
            found = [k for k in found if len(k.parameters) == len(self.arguments)]
        return found[0] if len(found) == 1 and found[0].body else None

    @functools.cached_property
    def grid_axes(self):
        return self.function.dims(self.grid) if self.grid else []

    @functools.cached_property
    def block_axes(self):
        return self.function.dims(self.block) if self.block else []

    @functools.cached_property
    def block_values(self):
        """The block's constants: 1 for a missing axis, None for an unknown one."""
        axes = self.block_axes
        values = [self.function.value(axis) for axis in axes]
        if len(axes) == 1 and values[0] is None and "dim3" in plain(axes[0]).type.spelling:
            return [None, None, None]
        return (values + [1, 1, 1])[:3]

    @property
    def on_default_stream(self):
        return self.stream is None or self.function.value(self.stream) == 0 or plain(self.stream).kind in (
            "CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR")

    @property
    def shared_bytes(self):
        """Constant bytes of dynamic shared memory: 0 if the launch passes none, None if they are unknown."""
        return 0 if self.bytes is None else self.function.value(self.bytes)


def launches(function):
    found = []
    for node in function.calls:
        children = node.children
        config = children[1] if len(children) > 1 and children[1].kind == "CALL_EXPR" and \
            children[1].name in PUSH else None
        if config is not None:
            macro = b"<<<" not in function.program.source[node.start:node.end]
            slots = (call_arguments(config) + [None] * 4)[:4]
            found.append(Launch(function, node, "macro" if macro else "<<<>>>", children[0], slots, children[2:]))
        elif api(call_name(node)) in CALLED and len(children) >= 6:
            kernel, grid, block, _, size, stream = (children[1:] + [None])[:6]
            found.append(Launch(function, node, call_name(node), kernel, (grid, block, size, stream), None))
    return found


def rounded_up(function, node):
    """Whether an axis of a grid is a division that accounts for the remainder."""
    node = function.resolve(node)
    sides = operands(node, "/") or operands(node, ">>")
    if not sides:
        return False
    top = function.resolve(sides[0])
    return top.kind == "BINARY_OPERATOR" and top.name in ("+", "-") or top.kind == "CALL_EXPR"


def same_text(program, one, other):
    first, second = (re.sub(r"\s", "", program.text(plain(node))) for node in (one, other))
    return first == second != ""
