# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Finds addresses of ordinary host memory, as far as one function shows them."""

import re

from . import index
from .function import api
from .tree import bare, call_arguments, call_name, plain

HOST_CONTAINERS = re.compile(r"^(const )?(std::(__\w+::)?|thrust::host_)(vector|array)<|^(const )?std::(__\w+::)?basic_string<")
HOST_ALLOCATION = ("malloc", "calloc", "realloc", "aligned_alloc", "_aligned_malloc", "memalign")


def host_memory(function, node):
    """Why an address is ordinary host memory, as the beginning of a sentence; or None. Memory that is
    registered with the runtime anywhere in the file does not count."""
    inner = plain(node)
    if inner.kind == "CALL_EXPR" and call_name(inner) in ("data", "c_str") and inner.children:
        return host_container(function, object_of(inner))
    if inner.kind == "UNARY_OPERATOR" and function.program.text(inner).startswith("&") and inner.children:
        variable = function.variable(inner.children[0])
        element = bare(inner.children[0])
        if variable is not None and not is_static(variable) and variable.node.type.kind.name != "POINTER":
            return f"{variable.node.name} is a variable of this function"
        if element.kind == "CALL_EXPR" and call_name(element) in ("operator[]", "at", "front", "back"):
            return host_container(function, object_of(element))
        return None
    if inner.kind == "DECL_REF_EXPR":
        variable = function.variable(inner)
        if variable is None:
            return None
        if variable.node.type.kind.name == "CONSTANTARRAY" and variable.node.kind != "PARM_DECL" and not is_static(variable):  # a parameter is a pointer
            return f"{inner.name} is an array of this function"
        starts = [variable.start] if variable.start is not None else []
        starts += [w.children[1] for w in variable.writes if w.kind == "BINARY_OPERATOR" and len(w.children) == 2]
        if starts and len(starts) == len(variable.writes) + (variable.start is not None):
            made = [plain(start) for start in starts]
            made = [m for m in made if m.value is None and m.kind not in ("CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR")]
            # A member function of that name belongs to an allocator of the program.
            if made and all(m.kind == "CXX_NEW_EXPR" and not allocates_itself(m.type.get_pointee()) or m.kind == "CALL_EXPR" and call_name(m) in HOST_ALLOCATION and
                            plain(m.children[0]).kind != "MEMBER_REF_EXPR" for m in made):
                return f"{inner.name} comes from {'new' if made[0].kind == 'CXX_NEW_EXPR' else call_name(made[0])}"
    return None


def pointer_itself(function, node):
    """The pointer variable of a function whose own address an argument is, `&p` of `float* p`; or None."""
    inner = plain(node)
    if inner.kind != "UNARY_OPERATOR" or not inner.children or not function.program.text(inner).startswith("&"):
        return None
    variable = function.variable(inner.children[0])
    return variable if variable is not None and variable.node.type.get_canonical().kind.name == "POINTER" and not is_static(variable) else None


def allocates_itself(record, depth=4):
    """Whether a class or a base of it has an operator new, which may take managed memory."""
    return depth > 0 and any(
        child.spelling == "operator new" or child.kind.name == "CXX_BASE_SPECIFIER" and allocates_itself(child.type, depth - 1)
        for child in record.get_canonical().get_declaration().get_children())


def object_of(call):
    """The object whose member function a call calls, `x` of `x.data()` and `x[i]`; or None."""
    for child in call.children:
        callee = plain(child)
        if callee.kind == "MEMBER_REF_EXPR" and callee.name == call_name(call):
            return next((plain(inner) for inner in callee.children if inner.cursor.kind.is_expression()), None)
        if child.cursor.kind.is_expression() and not (callee.kind == "DECL_REF_EXPR" and callee.name == call_name(call)):
            return callee
    return None


def host_container(function, owner):
    """Says that an object is a container of host memory; or None. A member's type counts, not that of the object around it."""
    found = HOST_CONTAINERS.match(owner.type.get_canonical().spelling) if owner is not None else None
    if not found or "allocator" in allocator_of(owner):
        return None
    return f"{function.program.text(owner)} is a {found[0].removeprefix('const ').rstrip('<')}"


def allocator_of(owner):
    """A container's allocator, unless it is the standard one: another may return pinned memory."""
    spelling = owner.type.get_canonical().spelling
    parts = spelling.split(",", 1)
    return "own allocator" if len(parts) > 1 and "std::" not in parts[1] and "array<" not in parts[0] else ""


def is_static(variable):
    return variable.node.cursor.storage_class.name == "STATIC"


PINNED = ("MallocHost", "HostAlloc", "HostRegister", "HostMalloc")


def may_be_pinned(program, function, base):
    """Whether the file gives a variable page-locked memory, or, for one that comes from elsewhere, its program has any."""
    if any(api(call_name(call)) in PINNED and base.name in call_arguments(call)[0].names() for each in program.functions for call in each.calls
           if call_arguments(call)):
        return True
    variable = function.variable(base)
    given = variable is None and base.type.get_canonical().kind.name == "POINTER" or variable is not None and variable.node.kind == "PARM_DECL"
    return given and index.of_file(program.file).calls(rf"^(cuda|hip)({'|'.join(PINNED)})$", program.file)
