# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A function's syntax tree, read once from libclang, and questions about a node of it."""

from .libclang import evaluate, operator

CASTS = {
    "CSTYLE_CAST_EXPR",
    "CXX_STATIC_CAST_EXPR",
    "CXX_FUNCTIONAL_CAST_EXPR",
    "CXX_REINTERPRET_CAST_EXPR",
    "CXX_CONST_CAST_EXPR",
}
OPERATORS = {"BINARY_OPERATOR": "Binary", "COMPOUND_ASSIGNMENT_OPERATOR": "Binary", "UNARY_OPERATOR": "Unary"}
LOOPS = {"FOR_STMT", "WHILE_STMT", "DO_STMT", "CXX_FOR_RANGE_STMT"}


class Node:
    """One cursor. `order` follows the source; inside macros it follows their expansion."""

    __slots__ = ("cursor", "kind", "name", "children", "parent", "order", "start", "end", "_value")

    def __init__(self, cursor, parent, order):
        self.cursor, self.parent, self.order, self.children = cursor, parent, order, []
        try:
            self.kind = cursor.kind.name
        except ValueError:  # a kind that the bindings do not know
            self.kind = "UNKNOWN"
        self.name = cursor.spelling or (operator(cursor, OPERATORS[self.kind]) if self.kind in OPERATORS else "")
        extent = cursor.extent
        self.start, self.end = extent.start.offset, extent.end.offset
        self._value = self  # not computed yet

    @property
    def type(self):
        return self.cursor.type

    @property
    def left_out(self):
        """Whether this is a defaulted argument, which is in the tree but not in the source."""
        return self.start == 0 and self.end == 0

    @property
    def value(self):
        """The constant value that the compiler computes, or None."""
        if self._value is self:
            self._value = evaluate(self.cursor) if self.cursor.kind.is_expression() else None
        return self._value

    @property
    def target(self):
        """The declaration of a name, as a hash."""
        to = self.cursor.referenced
        return to.hash if to is not None else None

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, *kinds):
        return (node for node in self.walk() if node.kind in kinds)

    def above(self):
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def names(self):
        """The names used in the node."""
        return {node.name for node in self.all("DECL_REF_EXPR", "MEMBER_REF_EXPR", "OVERLOADED_DECL_REF")}


def build(cursor):
    """The tree under a cursor. Avoids recursion, because sources nest deeper than Python's limit."""
    order = 0
    root = Node(cursor, None, order)
    pending = [root]
    while pending:
        node = pending.pop()
        node.children = [Node(child, node, 0) for child in node.cursor.get_children()]
        pending.extend(node.children)
    for order, node in enumerate(root.walk()):
        node.order = order
    return root


def is_loop(node):
    """Whether a statement repeats its body. `do { … } while (0)` is a macro's way to write one statement."""
    return node.kind in LOOPS and not (node.kind == "DO_STMT" and node.children and node.children[-1].value == 0)


def is_dropped(node):
    """Whether a call's result is dropped, because the call is a statement of its own."""
    parent = node.parent
    while parent is not None and (parent.kind == "UNEXPOSED_EXPR" or parent.kind == "CSTYLE_CAST_EXPR" and
                                  parent.type.kind.name == "VOID"):
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.kind == "COMPOUND_STMT":
        return True
    if parent.kind in LOOPS or parent.kind in ("IF_STMT", "ELSE_STMT"):
        return parent.children[-1] is node or parent.kind == "IF_STMT" and parent.children[0] is not node
    return False


def bare(node):
    """The node without parentheses and implicit conversions."""
    while node.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR") and len(node.children) == 1:
        node = node.children[0]
    return node


def plain(node):
    """The node without parentheses and any conversions."""
    while True:
        node = bare(node)
        inner = [child for child in node.children if child.cursor.kind.is_expression()]
        if not inner or node.kind not in CASTS and not is_conversion(node, inner):
            return node
        node = inner[-1].children[0] if node.kind == "CALL_EXPR" and inner[-1].kind == "INIT_LIST_EXPR" and len(inner[-1].children) == 1 else inner[-1]


def is_conversion(node, inner):
    """Whether a node is `T(1)` or `T{1}` for a template's type, which is a call in the tree."""
    return node.kind == "CALL_EXPR" and not node.name and node.children[0].kind == "TYPE_REF" and len(inner) == 1


def call_name(node):
    """The name of a call's function, even if a template leaves the overload open."""
    if node.name:
        return node.name
    for child in node.children[:1]:
        for inner in child.all("DECL_REF_EXPR", "OVERLOADED_DECL_REF", "MEMBER_REF_EXPR"):
            if inner.name:
                return inner.name
    return ""


def call_arguments(node):
    """The arguments of a call, including defaulted ones."""
    return node.children[1:]


def operands(node, operator):
    """The two operands of a binary operator with that spelling, or None."""
    if node.kind == "BINARY_OPERATOR" and node.name == operator and len(node.children) == 2:
        return node.children
    return None


def base_variable(node):
    """The variable behind an address: `&x`, `x + 1`, `&x[i]`, `x.data()`, `(char*)x`. None for a member of the object
    itself, whose indices are not the variable."""
    while True:
        node = plain(node)
        if node.kind == "DECL_REF_EXPR":
            to = node.cursor.referenced
            return node if to is not None and to.kind.name in ("VAR_DECL", "PARM_DECL") else None
        inner = [child for child in node.children if child.cursor.kind.is_expression()]
        if node.kind in ("ARRAY_SUBSCRIPT_EXPR", "UNARY_OPERATOR", "MEMBER_REF_EXPR") and inner:
            node = inner[0]
        elif node.kind == "BINARY_OPERATOR" and len(inner) == 2:
            pointer = ("POINTER", "CONSTANTARRAY", "INCOMPLETEARRAY")
            node = next((side for side in inner if side.type.get_canonical().kind.name in pointer), inner[0])
        elif node.kind == "CALL_EXPR" and inner:
            # x.data(), x[i] of a class, get(x), and the copy of a class object.
            callee = plain(inner[0])
            member = callee.kind == "MEMBER_REF_EXPR"
            node = callee if member else inner[1] if len(inner) > 1 and callee.kind in ("DECL_REF_EXPR", "OVERLOADED_DECL_REF") and \
                (callee.cursor.referenced is None or callee.cursor.referenced.kind.name not in ("VAR_DECL", "PARM_DECL")) else inner[0]
        else:
            return None


def is_integer(kind_of):
    """Whether a type is an integer type other than bool and enumerations."""
    name = kind_of.get_canonical().kind.name
    return name in ("SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG")


def is_wide(kind_of):
    return is_integer(kind_of) and kind_of.get_size() == 8


def is_stream(kind_of):
    """Whether a type is cudaStream_t, hipStream_t or CUstream."""
    words = kind_of.spelling.replace("const ", "").strip(" &")
    canonical = kind_of.get_canonical().spelling
    return words in ("cudaStream_t", "hipStream_t", "CUstream") or canonical in (
        "CUstream_st *",
        "struct CUstream_st *",
        "ihipStream_t *",
        "struct ihipStream_t *",
    )


def pointee_size(kind_of):
    """The element size of a pointer or an array in bytes; None for void and if a template leaves it open."""
    kind_of = kind_of.get_canonical()
    name = kind_of.kind.name
    if name == "POINTER":
        inner = kind_of.get_pointee()
    elif name in ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY"):
        inner = kind_of.element_type
    else:
        return None
    size = inner.get_canonical().get_size()
    if inner.get_canonical().kind.name == "VOID" or size <= 0:
        return None
    return size
