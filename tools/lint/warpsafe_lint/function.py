# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A function with a body: its variables, their values, and the meaning of its calls."""

import functools
import operator
import pathlib
import re

from . import tree
from .lines import without_comments
from .tree import bare, call_arguments, call_name, is_integer, plain


def api(name):
    """A runtime function's name without its vendor: Memcpy for cudaMemcpy and hipMemcpy; '' for other functions."""
    for prefix in ("cuda", "hip"):
        if name.startswith(prefix) and name[len(prefix):len(prefix) + 1].isupper():
            return name[len(prefix):]
    return ""


ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod}
# The text that nodes of these kinds can have; other text belongs to a macro around the node.
SMALL = {"DECL_REF_EXPR": r"[\w:<>, *]+", "INTEGER_LITERAL": r"[\w']+"}


def described(node):
    """An expression's text, reconstructed from the tree."""
    inner = [child for child in node.children if child.cursor.kind.is_expression()]
    if node.kind in ("DECL_REF_EXPR", "OVERLOADED_DECL_REF"):
        return node.name
    if node.kind == "INTEGER_LITERAL" or not inner and node.value is not None:
        return str(node.value)
    if node.kind == "MEMBER_REF_EXPR":
        return (described(inner[0]) + "." if inner else "") + node.name
    if node.kind == "BINARY_OPERATOR" and len(inner) == 2:
        return f"{described(inner[0])} {node.name} {described(inner[1])}"
    if node.kind == "PAREN_EXPR" and inner:
        return f"({described(inner[0])})"
    if node.kind == "UNARY_OPERATOR" and inner:
        own, below = node.type.get_canonical(), inner[0].type.get_canonical()
        if own.kind.name == "POINTER" and own.get_pointee() == below:
            return "&" + described(inner[0])
        if below.kind.name == "POINTER" and below.get_pointee() == own:
            return "*" + described(inner[0])
    if node.kind == "CALL_EXPR":
        return f"{call_name(node)}({', '.join(described(child) for child in inner[1:] if not child.left_out)})"
    return described(inner[0]) if len(inner) == 1 else node.name or "the expression"


def takes_by_reference(call, argument):
    """Whether a function may write a variable that it gets as an argument, as `std::cin >> n` does."""
    to, kind = call.cursor.referenced, argument.type.get_canonical().kind
    parameters = [parameter.type.get_canonical() for parameter in to.get_arguments() or ()] if to is not None else []
    return any(each.kind.name == "LVALUEREFERENCE" and not each.get_pointee().is_const_qualified() and each.get_pointee().get_canonical().kind == kind
               for each in parameters)


def is_launch_array(node):
    """Whether an address stands in the initialiser of a `void*` array, as launches take their arguments: nothing writes through it."""
    for above in node.above():
        if above.kind == "VAR_DECL":
            return above.type.get_canonical().kind.name == "CONSTANTARRAY" and above.type.get_canonical().element_type.spelling == "void *"
        if above.kind not in ("INIT_LIST_EXPR", "UNEXPOSED_EXPR", "PAREN_EXPR", "CSTYLE_CAST_EXPR"):
            return False
    return False


def decided(node):
    """What a condition always is, because a literal or a constant with a literal's value decides it; or None. Other constants
    may differ between builds, as the size of a type and the version of a vendor's headers do."""
    node = plain(node)
    if node.kind in ("CXX_BOOL_LITERAL_EXPR", "INTEGER_LITERAL"):
        return None if node.value is None else node.value != 0
    if node.kind == "UNARY_OPERATOR" and node.name == "!" and node.children:
        inner = decided(node.children[0])
        return None if inner is None else not inner
    if node.kind == "BINARY_OPERATOR" and node.name in ("&&", "||") and len(node.children) == 2:
        sides = [decided(side) for side in node.children]
        ends = node.name == "||"
        return ends if ends in sides else None if None in sides else not ends
    to = node.cursor.referenced if node.kind == "DECL_REF_EXPR" else None
    if to is None or to.kind.name != "VAR_DECL" or not to.type.is_const_qualified() or to.type.is_volatile_qualified():
        return None
    values = [child for child in to.get_children() if child.kind.is_expression()]
    literal = plain(tree.build(values[-1])) if values else None
    return decided(literal) if literal is not None and literal.kind in ("CXX_BOOL_LITERAL_EXPR", "INTEGER_LITERAL") else None


def dead_parts(node):
    """The children of a node that never run."""
    parts = node.children
    if node.kind in ("IF_STMT", "CONDITIONAL_OPERATOR") and len(parts) > 1:
        always = decided(parts[0]) if parts[0].cursor.kind.is_expression() else None
        return parts[1:2] if always is False else parts[2:] if always else []
    if node.kind in ("WHILE_STMT", "FOR_STMT") and len(parts) > 1:
        return parts[-1:] if any(part.cursor.kind.is_expression() and decided(part) is False for part in parts[:-1]) else []
    if node.kind == "BINARY_OPERATOR" and node.name in ("&&", "||") and len(parts) == 2:
        return parts[1:] if decided(parts[0]) is (node.name == "||") else []
    if node.kind != "COMPOUND_STMT":
        return []
    dead, left = [], False
    for part in parts:
        left = left and not has_label(part)
        if left:
            dead.append(part)
        left = left or part.kind in LEAVES or part.kind == "CALL_EXPR" and call_name(part) in ("exit", "abort", "_exit", "quick_exit")
    return dead


LEAVES = ("RETURN_STMT", "BREAK_STMT", "CONTINUE_STMT", "GOTO_STMT", "CXX_THROW_EXPR")


def has_label(root):
    """Whether a jump from elsewhere may reach what is inside of a statement."""
    for node in root.all("LABEL_STMT", "CASE_STMT", "DEFAULT_STMT"):
        if node.kind == "LABEL_STMT":
            return True
        above = node
        while above is not root and above.kind != "SWITCH_STMT":
            above = above.parent
        if above.kind != "SWITCH_STMT":
            return True
    return False


@functools.lru_cache(maxsize=50)
def bytes_of(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b""


class Variable:
    """A variable or parameter of a function: its declaration and the later writes to it."""

    def __init__(self, node):
        self.node = node
        self.writes = []  # nodes
        self.members = {}  # x, y, z of a dim3 -> the written values
        expressions = [c for c in node.children if c.cursor.kind.is_expression()]
        if node.kind == "PARM_DECL":
            expressions = []  # a default argument is not its value
        # The last one: an array's size and template arguments precede it.
        self.start = expressions[-1] if expressions else None
        if node.type.kind.name in ("CONSTANTARRAY", "VARIABLEARRAY") and (
                self.start is None or self.start.kind != "INIT_LIST_EXPR"):
            self.start = None


    def only_value(self, order):
        """The only value that the variable ever has where it is used, or None."""
        if not self.writes:
            return self.start
        write = self.writes[0]
        once = self.start is None and len(self.writes) == 1 and self.node.kind == "VAR_DECL" and not self.members
        if not once or write.kind != "BINARY_OPERATOR" or bare(write.children[0]).kind != "DECL_REF_EXPR":
            return None
        last = write
        while last.children:
            last = last.children[-1]
        return write.children[1] if last.order < order else None


class Function:
    """A function with a body, its nodes in the order of the source."""

    def __init__(self, program, cursor):
        self.program, self.cursor = program, cursor
        self.name = cursor.spelling
        self.node = tree.build(cursor)
        self.parameters = [c for c in self.node.children if c.kind == "PARM_DECL"]
        bodies = [c for c in self.node.children if c.kind in ("COMPOUND_STMT", "CXX_TRY_STMT")]
        self.body = bodies[-1] if bodies else None
        attributes = {c.kind for c in self.node.children}
        self.is_kernel = "CUDAGLOBAL_ATTR" in attributes
        self.on_device = self.is_kernel or "CUDADEVICE_ATTR" in attributes and "CUDAHOST_ATTR" not in attributes

    @property
    def is_local(self):
        """Whether only files that include its file can call it by its name: it is static, or in a namespace without a name."""
        return self.cursor.linkage.name in ("INTERNAL", "UNIQUE_EXTERNAL", "NO_LINKAGE")

    @functools.cached_property
    def head(self):
        """The bytes of the declaration before the body, without comments."""
        return self._head(self.cursor, self.node.start, self.body.start if self.body else self.node.end)

    @functools.cached_property
    def first_head(self):
        """The bytes of the first declaration, without comments, if it is another one."""
        first = self.cursor.canonical
        return self._head(first, first.extent.start.offset, first.extent.end.offset) if first != self.cursor else b""

    def _head(self, cursor, start, end):
        file = cursor.location.file
        source = self.program.source if file is None or file.name == self.program.file else bytes_of(file.name)
        return without_comments(source[start:end])

    @functools.cached_property
    def never(self):
        """The order of each node that never runs: a branch that a literal or a constant decides, and what follows a return. A
        test's macro writes its condition more than once: behind `false &&`, or where the compiler asks only for its type or
        whether it is a constant."""
        never = set()
        for node in self.node.walk():
            if node.kind == "CALL_EXPR" and node.name == "__builtin_constant_p":
                never.update(call.order for call in node.all("CALL_EXPR") if call is not node)
            elif node.kind == "CXX_UNARY_EXPR":
                never.update(inner.order for inner in node.walk())
            else:
                for root in dead_parts(node):
                    if not has_label(root):
                        never.update(inner.order for inner in root.walk())
        return never

    @functools.cached_property
    def calls(self):
        """The calls that run."""
        calls, never = list(self.node.all("CALL_EXPR")), self.never
        return [call for call in calls if call.order not in never] if never else calls

    @functools.cached_property
    def variables(self):
        found = {}
        for node in self.node.all("VAR_DECL", "PARM_DECL"):
            found[node.cursor.hash] = Variable(node)
        for node in self.node.walk():
            if node.order in self.never:
                continue
            if node.kind == "BINARY_OPERATOR" and node.name == "=" or node.kind == "COMPOUND_ASSIGNMENT_OPERATOR":
                self._written(found, node.children[0], node)
            elif node.kind == "UNARY_OPERATOR" and len(node.children) == 1:
                text = self.program.text(node)
                if text.startswith(("++", "--")) or text.endswith(("++", "--")):
                    self._written(found, node.children[0], node)
                elif text.startswith("&") and not is_launch_array(node):
                    self._written(found, node.children[0], node)
            elif node.kind == "CALL_EXPR":
                for argument in node.children:
                    if argument.kind == "DECL_REF_EXPR" and argument.target in found and (
                            takes_by_reference(node, argument) or self._template_takes(node, argument)):
                        self._written(found, argument, node)
        return found

    def _template_takes(self, call, argument):
        """Whether a call that the compiler resolves only in an instance may write a variable: a function of that name does."""
        if call.cursor.referenced is not None:
            return False
        place = next((place for place, each in enumerate(call_arguments(call)) if each is argument), None)
        for cursor in self.program.bodies.get(call_name(call), ()):
            kinds = [child.type.get_canonical() for child in cursor.get_children() if child.kind.name == "PARM_DECL"]
            if place is not None and place < len(kinds) and kinds[place].kind.name == "LVALUEREFERENCE" and not kinds[place].get_pointee().is_const_qualified():
                return True
        return False

    @staticmethod
    def _written(found, left, node):
        left = bare(left)
        if left.kind == "MEMBER_REF_EXPR" and left.children:
            owner = bare(left.children[0])
            if owner.kind == "DECL_REF_EXPR" and owner.target in found and node.kind == "BINARY_OPERATOR":
                found[owner.target].members.setdefault(left.name, []).append(node.children[1])
        elif left.kind == "DECL_REF_EXPR" and left.target in found:
            found[left.target].writes.append(node)

    def variable(self, node):
        """The Variable behind a name, or None for members and globals."""
        node = plain(node)
        return self.variables.get(node.target) if node.kind == "DECL_REF_EXPR" else None

    def resolve(self, node, depth=8):
        """A variable's value if it is written once, where it is declared or later; otherwise the node itself."""
        node = plain(node)
        variable = self.variable(node) if depth else None
        lost = variable is not None and not variable.node.type.is_const_qualified() and self.program.loses_writes(node.name)
        only = variable.only_value(node.order) if variable is not None and not lost else None
        if only is not None and bare(only).type.kind.name != "VOID":
            return self.resolve(only, depth - 1)
        if depth and node.kind == "MEMBER_REF_EXPR" and node.name in ("x", "y", "z") and node.children:
            owner = plain(node.children[0])
            axes = self.dims(owner) if "dim3" in owner.type.spelling else []
            place = "xyz".index(node.name)
            if place < len(axes) and "dim3" not in plain(axes[place]).type.spelling:
                return self.resolve(axes[place], depth - 1)
        return node

    def value(self, node, depth=12):
        """The constant value of an expression, followed through variables that never change; or None."""
        if node.value is not None:
            return node.value
        node = self.resolve(node)
        if node.value is not None or node.kind != "BINARY_OPERATOR" or len(node.children) != 2 or node.name not in ARITHMETIC or depth == 0:
            return node.value  # `grid.x = grid.x / 2` has no end
        left, right = (self.value(side, depth - 1) if is_integer(side.type) else None for side in node.children)
        if left is None or right is None or left < 0 or right < (node.name in "/%"):
            return None
        return ARITHMETIC[node.name](left, right)

    def dims(self, node):
        """The axes of a grid or a block as in the source, one to three nodes."""
        node = plain(node)
        if node.kind in ("CALL_EXPR", "INIT_LIST_EXPR") and (node.kind == "INIT_LIST_EXPR" or call_name(node) == "dim3"):
            inner = [c for c in node.children if c.cursor.kind.is_expression() and c.kind != "TYPE_REF"]
            if len(inner) == 1 and "dim3" in plain(inner[0]).type.spelling:
                return self.dims(inner[0])
            return inner or [node]
        variable = self.variable(node)
        if variable is not None and "dim3" in node.type.spelling:
            axes = self.dims(variable.start) if variable.start is not None and not variable.writes else []
            for place, axis in enumerate("xyz"):
                written = variable.members.get(axis)
                if written:
                    while len(axes) <= place:
                        axes.append(written[-1])
                    axes[place] = written[-1] if len(written) == 1 else node
            return axes or [node]
        return [node]

    def calls_between(self, first, last):
        return [call for call in self.calls if first < call.order < last]

    def waits(self, call):
        """Whether a call waits for the device, directly, in a function of this program, or in one that another file defines."""
        return self.program.call_reaches(call, is_wait) or self._is_of_tree(call) and self.program.waits_elsewhere(call) or any(
            map(self.waits, self._calls_of_lambda(call)))

    def looks(self, call):
        """Whether a call reads the runtime's last error, directly, in a function of this program, or in one that another file of
        the tree defines."""
        name = call_name(call)
        if name == "Debug" and call.cursor.referenced is not None and "/cub/" in getattr(call.cursor.referenced.location.file, "name", ""):
            return True  # CubDebug: CUB reads the last error in it, beside its argument
        return self.program.call_reaches(call, is_look) or self._is_of_tree(call) and self.program.looks_elsewhere(call) or any(
            map(self.looks, self._calls_of_lambda(call)))

    def _calls_of_lambda(self, call):
        """The calls in the body of the lambda that a call runs, if a variable of this function holds it."""
        owner = next(call.all("DECL_REF_EXPR"), None) if call_name(call) == "operator()" else None
        variable = self.variables.get(owner.target) if owner is not None else None
        inner = list(variable.start.all("CALL_EXPR")) if variable is not None and variable.start is not None else []
        return [each for each in inner if each.order < call.order and each.order not in self.never and call_name(each) != "operator()"]

    def _is_of_tree(self, call):
        """Whether a call may mean a function that another file of the tree defines, and not one of the vendor's headers."""
        name, to = call_name(call), call.cursor.referenced
        return not self.program.meant(call) and not api(name) and (to is None or not to.location.is_in_system_header)


def is_wait(name):
    return "ynchronize" in name or api(name) in (
        "Memcpy", "Memcpy2D", "Memcpy3D", "MemcpyFromSymbol", "EventQuery", "StreamQuery", "DeviceReset", "Free",
        "StreamDestroy", "EventElapsedTime") or name in ("cuMemcpyDtoH_v2", "MPI_Barrier", "wait", "sync")  # of cuda::stream_ref


def is_look(name):
    return api(name) in ("GetLastError", "PeekAtLastError", "ExtGetLastError") or name in ("CubDebug", "CubDebugExit")
