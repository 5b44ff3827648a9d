# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Rows F04, E03, L01 and L02: what a function does with memory and streams that it allocates, frees or copies itself."""

from ..function import api
from ..host_memory import host_memory, pointer_itself
from ..libclang import written_at
from ..registry import Found, function_rule
from .data import COPIES, copies
from .evidence import is_runtime
from ..tree import base_variable, call_arguments, call_name, plain

FREES = ("Free", "FreeAsync", "FreeHost", "FreeArray")
ALLOCATIONS = ("Malloc", "MallocAsync", "MallocPitch", "MallocFromPoolAsync")
PINNED = ("MallocHost", "HostAlloc", "HostMalloc")
TO_DEVICE, TO_HOST, ON_DEVICE, ON_HOST = 1, 2, 3, 0
KINDS = {TO_DEVICE: "HostToDevice", TO_HOST: "DeviceToHost", ON_DEVICE: "DeviceToDevice", ON_HOST: "HostToHost"}
JUMPS = ("RETURN_STMT", "BREAK_STMT", "CONTINUE_STMT", "GOTO_STMT", "CXX_THROW_EXPR")


def named_variable(function, node):
    """The variable that an argument is, without an index or a member; or None."""
    inner = plain(node)
    return function.variable(inner) if inner.kind == "DECL_REF_EXPR" else None


def next_use(function, call, variable):
    """The first call after `call`, on every path from it, that takes the variable as it was then; or None."""
    block = next((above for above in call.above() if above.kind in ("COMPOUND_STMT", "LAMBDA_EXPR")), None)
    if block is None or block.kind == "LAMBDA_EXPR" or not block.children:
        return None
    statement = next(child for child in block.children if any(node is call for node in child.walk()))
    if statement.kind in ("IF_STMT", "SWITCH_STMT", "FOR_STMT", "WHILE_STMT", "DO_STMT") and \
            not any(node is call for node in statement.children[0].walk()):
        return None  # only one of the paths frees it
    target, place = variable.node.cursor.hash, written_at(call.cursor.extent.start)
    for child in block.children:
        if child.order <= statement.order:
            continue
        for node in child.walk():
            if node.kind in JUMPS and node.parent is block:
                return None
            if node.kind == "DECL_REF_EXPR" and node.target == target:
                user = next((above for above in node.above() if above.kind not in ("UNEXPOSED_EXPR", "PAREN_EXPR", "CSTYLE_CAST_EXPR",
                                                                                   "CXX_STATIC_CAST_EXPR", "CXX_REINTERPRET_CAST_EXPR")), None)
                if user is not None and written_at(user.cursor.extent.start) == place:
                    continue  # a macro's copy of the call, which runs if the first one fails
                # Any other use comes first: an assignment, an address that a call may write to, a comparison.
                return user if user is not None and user.kind == "CALL_EXPR" and node_is_argument(user, node) else None
    return None


def node_is_argument(call, node):
    return any(plain(argument) is node for argument in call_arguments(call))


@function_rule("F04", "memory freed before its last use")
def used_after_free(program, function):
    for call in function.calls:
        if api(call_name(call)) not in FREES or not call_arguments(call):
            continue
        variable = named_variable(function, call_arguments(call)[0])
        use = next_use(function, call, variable) if variable is not None else None
        if use is None or is_static_or_reference(variable):
            continue
        # A branch may be for the case that the first call failed.
        form = "branch" if any(above.kind in ("IF_STMT", "SWITCH_STMT", "CONDITIONAL_OPERATOR") and above.order > call.order for above in use.above()) else ""
        if api(call_name(use)) in FREES:
            yield Found(use, f"{variable.node.name} is freed twice", "remove one of the calls; warpsafe's buffers free their memory once", form=form)
        else:
            yield Found(use, f"{variable.node.name} is used by {call_name(use) or 'a launch'}, but {call_name(call)} has freed it",
                        f"call {call_name(call)} after the last use; warpsafe's buffers free their memory after the work that uses it", form=form)


def is_static_or_reference(variable):
    return variable.node.type.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE")


@function_rule("E03", "the stream destroyed before its users")
def used_after_destroy(program, function):
    for call in function.calls:
        if api(call_name(call)) not in ("StreamDestroy", "EventDestroy") or not call_arguments(call):
            continue
        variable = named_variable(function, call_arguments(call)[0])
        use = next_use(function, call, variable) if variable is not None else None
        if use is not None and not is_static_or_reference(variable):
            yield Found(use, f"{variable.node.name} is used by {call_name(use)}, but {call_name(call)} has destroyed it",
                        f"call {call_name(call)} after the last use; warpsafe's Stream and Event end with their scope")


def where(function, node):
    """'host' or 'device' for memory that the function itself allocates or declares, with the reason; or None."""
    why = host_memory(function, node)
    if why:
        return "host", why
    base = base_variable(node)
    variable = function.variable(base) if base is not None else None
    if variable is None or variable.node.kind != "VAR_DECL" or variable.node.type.get_canonical().kind.name != "POINTER" or \
            not variable.writes or (variable.start is not None and variable.start.value != 0 and variable.start.kind not in (
                "CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR", "UNEXPOSED_EXPR")):
        return None
    if plain(node).type.get_canonical().kind.name != "POINTER" or plain(node).kind not in ("DECL_REF_EXPR", "BINARY_OPERATOR"):
        return None
    makers = set()
    for write in variable.writes:
        maker = next((above for above in write.above() if above.kind == "CALL_EXPR"), None)
        first = plain(call_arguments(maker)[0]) if maker is not None and call_arguments(maker) else None
        makers.add(api(call_name(maker)) if first is not None and first.kind == "UNARY_OPERATOR" and any(
            inner is write for inner in first.walk()) else "")
    if makers and makers <= set(ALLOCATIONS):
        return "device", f"{base.name} comes from {sorted(makers)[0]}"
    if makers and makers <= set(PINNED):
        return "host", f"{base.name} comes from {sorted(makers)[0]}"
    return None


@function_rule("L01", "a copy in the wrong direction")
def wrong_kind(program, function):
    for call, arguments, _, _ in copies(function, "Memset", "MemsetAsync"):
        pointer = pointer_itself(function, arguments[0])
        if pointer is not None:
            name = pointer.node.name
            yield Found(call, f"&{name} is the address of the pointer {name}, which is host memory: the memory behind {name} is not filled", f"pass {name}", form="fill")
    for call, arguments, _, kind in copies(function, "Memcpy", "MemcpyAsync"):
        if kind not in KINDS:
            continue
        for node, role, should in ((arguments[0], "target", "device" if kind in (TO_DEVICE, ON_DEVICE) else "host"),
                                   (arguments[1], "source", "device" if kind in (TO_HOST, ON_DEVICE) else "host")):
            known = where(function, node)
            if known and known[0] != should:
                yield Found(call, f"the {role} of a copy {KINDS[kind]} is {known[0]} memory: {known[1]}",
                            "write the kind that fits both pointers, or cudaMemcpyDefault; warpsafe's copies take it from their types",
                            # A device has page-locked memory at the address that the host has.
                            "note" if known[1].endswith(PINNED) or is_runtime(program) else "",
                            form="host target" if role == "target" and known[0] == "host" else "")
                break


@function_rule("L02", "a negative number of bytes")
def negative_size(program, function):
    for call, _, size, _ in copies(function, *COPIES):
        inner = plain(size)
        value = inner.value if inner.value is not None else function.resolve(inner).value
        kind = inner.type.get_canonical()
        if value is not None and value < 0 and kind.kind.name in ("INT", "LONG", "LONGLONG", "SHORT"):
            yield Found(size, f"{program.text(size)} is {value}: as a number of bytes it exceeds 2^63",
                        "write the number of bytes")
