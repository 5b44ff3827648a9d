# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Whether an expression may be evaluated a second time, because the source shows that it changes nothing."""

from ..tree import CASTS, bare, build

EXPRESSIONS = CASTS | {
    "DECL_REF_EXPR", "MEMBER_REF_EXPR", "OVERLOADED_DECL_REF", "INTEGER_LITERAL", "FLOATING_LITERAL", "CHARACTER_LITERAL", "CXX_BOOL_LITERAL_EXPR",
    "CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR", "PAREN_EXPR", "CONDITIONAL_OPERATOR", "ARRAY_SUBSCRIPT_EXPR", "INIT_LIST_EXPR", "CXX_THIS_EXPR",
    "SIZE_OF_PACK_EXPR", "TYPE_REF", "TEMPLATE_REF", "NAMESPACE_REF"}
STATEMENTS = {"COMPOUND_STMT", "RETURN_STMT", "IF_STMT", "DECL_STMT", "NULL_STMT"}
OF_LIBRARIES = {"min", "max", "ceil", "ceilf", "floor", "floorf", "sqrt", "sqrtf", "log2", "log2f", "size", "length"}


def effect(node, depth=4):
    """What of an expression may change something: "assigns", "calls f" for a call whose function is not known to change nothing,
    or "does more than compute"; or ""."""
    kind = node.kind
    if kind == "COMPOUND_ASSIGNMENT_OPERATOR" or kind in ("BINARY_OPERATOR", "UNARY_OPERATOR") and node.name in ("=", "++", "--"):
        return "assigns"
    if kind == "CXX_UNARY_EXPR":  # sizeof evaluates nothing
        return ""
    if kind == "CALL_EXPR":
        if not changes_nothing(node, depth):
            return f"calls {node.name}" if node.name else "calls a function that a template's parameters decide"
    elif kind == "VAR_DECL":
        if node.cursor.storage_class.name == "STATIC":
            return "does more than compute"
    elif kind == "UNEXPOSED_EXPR":  # an implicit conversion, or a form that libclang does not name
        if [(child.start, child.end) for child in node.children] not in ([], [(node.start, node.end)]):
            return "does more than compute"
    elif kind not in EXPRESSIONS | STATEMENTS | {"BINARY_OPERATOR", "UNARY_OPERATOR"}:
        return "does more than compute"
    return next(filter(None, (effect(child, depth) for child in node.children)), "")


def changes_nothing(call, depth):
    """Whether the function of a call changes nothing, by its body."""
    to = call.cursor.referenced
    if call.type.get_canonical().spelling in ("dim3", "struct dim3") and bare(call).children and (to is None or to.kind.name == "CONSTRUCTOR"):
        return True
    if to is None or depth == 0 or to.kind.name == "CONSTRUCTOR" or to.is_virtual_method() or any(child.left_out for child in call.children):
        return False
    if to.spelling in OF_LIBRARIES and to.location.is_in_system_header:
        return True
    definition = to.get_definition()
    bodies = [child for child in definition.get_children() if child.kind.name == "COMPOUND_STMT"] if definition is not None else []
    return len(bodies) == 1 and not effect(build(bodies[0]), depth - 1)
