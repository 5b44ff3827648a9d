# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Whether a further block of a launch would do nothing."""

import re

from ..function import bytes_of
from ..launches import same_text
from ..tree import call_name, operands, plain

ACCESSES = {"ARRAY_SUBSCRIPT_EXPR", "CALL_EXPR"}


class Guard:
    """The comparisons of a kernel's index along one axis with one of its parameters."""

    def __init__(self, kernel, axis, parameter):
        self.kernel, self.axis, self.parameter = kernel, axis, parameter

    def _is_index(self, node):
        node = plain(node)
        variable = self.kernel.function.variable(node)
        if variable is not None:
            if variable.start is None or variable.writes:
                return False
            node = plain(variable.start)
        file, program = node.cursor.location.file, self.kernel.function.program
        source = program.source if file is None or file.name == program.file else bytes_of(file.name)
        return node.name == "+" and re.search(rb"\bblockIdx\s*\.\s*" + self.axis.encode(), source[node.start:node.end]) is not None

    def _compares(self, node, joined, less, greater):
        """Whether a condition is `index < n`, or one of several that are joined so."""
        node = plain(node)
        sides = operands(node, joined)
        if sides:
            return any(self._compares(side, joined, less, greater) for side in sides)
        small, large = operands(node, less) or (operands(node, greater) or [None, None])[::-1]
        if small is None:
            return False
        bound = plain(large)
        return bound.kind == "DECL_REF_EXPR" and bound.target == self.parameter.cursor.hash and self._is_index(small)

    def holds_for(self, node):
        """Whether a node runs only if the index is below the parameter."""
        inner = node
        for above in node.above():
            if above.kind == "IF_STMT" and len(above.children) > 1 and above.children[1] is inner and self._compares(above.children[0], "&&", "<", ">"):
                return True
            if above is self.kernel.body:
                return any(self._ends(each) for each in above.children if each.order < inner.order)
            inner = above
        return False

    def _ends(self, node):
        """Whether a statement is `if (index >= n) return;`."""
        if node.kind != "IF_STMT" or len(node.children) < 2 or not self._compares(node.children[0], "||", ">=", "<="):
            return False
        then = node.children[1]
        then = then.children[0] if then.kind == "COMPOUND_STMT" and len(then.children) == 1 else then
        return then.kind == "RETURN_STMT"


def further_block_is_idle(launch, place, count):
    """Whether the kernel of a launch compares its index along an axis with a count before each access to memory and each call."""
    kernel = launch.kernel
    if kernel is None or not launch.arguments:
        return False
    accesses = [node for node in kernel.body.walk() if node.kind in ACCESSES and call_name(node) != "operator unsigned int" or
                node.kind == "UNARY_OPERATOR" and node.name == "*"]
    return any(same_text(launch.function.program, argument, count) and not kernel.function.variables[parameter.cursor.hash].writes and
               all(map(Guard(kernel, "xyz"[place], parameter).holds_for, accesses))
               for parameter, argument in zip(kernel.parameters, launch.arguments) if not argument.left_out)
