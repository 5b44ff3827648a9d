# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part F of the catalogue: copies, and reading back."""

import re

from ..function import api
from ..registry import Found, all_launches, function_rule, rule
from ..host_memory import host_memory, is_static, may_be_pinned, pointer_itself
from .streams import captures
from ..sizes import counts_elsewhere, floating, only_count, wrong_sizeof
from ..tree import bare, base_variable, call_arguments, call_name, plain, pointee_size

TO_DEVICE, TO_HOST = 1, 2  # cudaMemcpyKind, hipMemcpyKind
# Positions of a copy's bytes and kind among its arguments; None: it has no kind.
COPIES = {"Memcpy": (2, 3), "MemcpyAsync": (2, 3), "MemcpyToSymbol": (2, None), "Memset": (2, None), "MemsetAsync": (2, None),
          "MallocAsync": (1, None), "Malloc": (1, None), "MallocManaged": (1, None), "MallocHost": (1, None)}


def copies(function, *names):
    """Runtime calls with these names, with their bytes and kind."""
    for call in function.calls:
        name, arguments = api(call_name(call)), call_arguments(call)
        if name in names and len(arguments) > COPIES[name][0]:
            size, kind = COPIES[name]
            yield call, arguments, arguments[size], function.value(arguments[kind]) if kind and len(arguments) > kind else None


def use_before_wait(function, copy, target):
    """The first read of a copy's target before any wait, or None. Source order is taken as time order."""
    waits = [c.order for c in function.calls if c.order > copy.order and function.waits(c)]
    limit = min(waits, default=None)
    inside = {id(node) for node in copy.walk()}
    for node in function.node.all("DECL_REF_EXPR"):
        if node.order <= copy.order or id(node) in inside or node.target != target:
            continue
        if limit is not None and node.order > limit:
            return None
        if is_read(function, node):
            return node
    return None


def is_read(function, node):
    """Whether a use of a name reads its value rather than taking its address."""
    child, parent = node, node.parent
    while parent is not None and parent.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR"):
        child, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.kind == "ARRAY_SUBSCRIPT_EXPR" or parent.kind == "UNARY_OPERATOR" and function.program.text(parent).startswith("*"):
        above = parent.parent
        return not (above is not None and above.kind == "BINARY_OPERATOR" and above.name == "=" and above.children[0] is parent) \
            and not (above is not None and above.kind == "UNARY_OPERATOR" and function.program.text(above).startswith("&"))
    if parent.kind == "UNARY_OPERATOR" and function.program.text(parent).startswith("&"):
        return False
    if node.type.get_canonical().kind.name in ("INT", "UINT", "LONG", "ULONG", "FLOAT", "DOUBLE", "BOOL", "ULONGLONG"):
        return not (parent.kind == "BINARY_OPERATOR" and parent.name == "=" and parent.children[0] is child)
    return False


def copied_variable(node):
    """The variable whose own values a copy to this address writes; None if the address comes out of an array of pointers,
    a member or a call, because another element may be read meanwhile."""
    base = base_variable(node)
    if base is None:
        return None
    for above in base.above():
        if above is node.parent:
            break
        if above.kind == "MEMBER_REF_EXPR" and above.name not in ("data", "begin"):
            return None
        if (above.kind == "ARRAY_SUBSCRIPT_EXPR" or above.kind == "CALL_EXPR" and call_name(above) in ("operator[]", "at")) and \
                (above.type.get_canonical().kind.name == "POINTER" or above is plain(node)):
            return None  # in a template the element's type may be open, but an address without & is a pointer
    return base


@function_rule("F01", "the host reads before the copy has ended")
def read_too_early(program, function):
    recorded = list(captures(function))
    for call, arguments, _, kind in copies(function, "MemcpyAsync"):
        if kind != TO_HOST or any(begin.order < call.order < end.order for begin, end in recorded):
            continue  # a captured copy runs when the graph does
        base = copied_variable(arguments[0])
        if base is None:
            continue
        read = use_before_wait(function, call, base.target)
        if read is not None:
            # CUDA returns from a copy to pageable memory only when it has ended; HIP promises nothing.
            severity = "note" if program.language == "cuda" and not may_be_pinned(program, function, base) else ""
            yield Found(read, f"{read.name} is read while {call_name(call)} may still write it",
                        "call cudaStreamSynchronize first; warpsafe's to_host() returns a Pending<T>, whose get() waits", severity)


@function_rule("F12", "managed memory touched while the GPU works")
def managed_too_early(program, function):
    managed = {}
    for call in function.calls:
        if api(call_name(call)) == "MallocManaged" and call_arguments(call):
            base = base_variable(call_arguments(call)[0])
            if base is not None:
                managed[base.target] = base
    if not managed:
        return
    reported = set()
    for launch in all_launches(function):
        for argument in launch.arguments or ():
            base = base_variable(argument)
            if base is None or base.target not in managed or base.target in reported:
                continue
            # A number or an object that the host reads for the launch, or a pointer to other memory: the kernel does not get this memory.
            if argument.type.get_canonical().kind.name != "POINTER" or next(argument.all("MEMBER_REF_EXPR"), None) is not None:
                continue
            read = use_before_wait(function, launch.node, base.target)
            if read is not None and launch.node not in read.above():
                reported.add(base.target)
                yield Found(read, f"{read.name} is managed memory, and {launch.kernel_name} may still use it",
                            "call cudaDeviceSynchronize first; warpsafe's buffers are read through a Pending<T>")


@function_rule("F02", "a local variable as the source of an asynchronous copy")
def local_source(program, function):
    for call, arguments, _, kind in copies(function, "MemcpyAsync"):
        if kind != TO_DEVICE:
            continue
        source = plain(arguments[1])
        if source.kind != "UNARY_OPERATOR" or not program.text(source).startswith("&") or not source.children:
            continue
        variable = function.variable(source.children[0])
        if variable is None or is_static(variable):
            continue
        if not any(c.order > call.order and function.waits(c) for c in function.calls):
            yield Found(call, f"{variable.node.name} ends with the function, but the copy may read it later",
                        "wait before the return; warpsafe's copies keep their source alive")


@function_rule("F03", "pageable memory in an asynchronous copy")
def pageable(program, function):
    if program.called("HostRegister"):
        return
    for call, arguments, _, kind in copies(function, "MemcpyAsync"):
        if kind not in (TO_DEVICE, TO_HOST):
            continue
        side = arguments[1] if kind == TO_DEVICE else arguments[0]
        why = host_memory(function, side)
        if why and "variable of this function" not in why:
            yield Found(call, f"{why}, which is pageable memory: the runtime may block, or read or write it later",
                        "allocate it with cudaMallocHost or as warpsafe's PinnedBuffer, or call copy_and_wait",
                        kind=str(function.node.start))  # one in a function, whatever memory: such copies come in groups


def is_multiplied(function, size):
    """Whether the function multiplies the same number by `sizeof` elsewhere: then it is a number of items, and this call forgot it."""
    def bare_text(text):
        return re.sub(r"\s", "", text)

    whole = bare_text(function.program.source[function.node.start:function.node.end].decode(errors="replace"))
    count = re.escape(bare_text(function.program.text(size)).strip("()"))
    return re.search(rf"\b\(?{count}\)?\*sizeof\b|\bsizeof\([\w:*<>]+\)\*\(?{count}(?![\w.\[(]|->)", whole) is not None


@rule("F05", "the size of a copy in elements instead of bytes")
def elements_for_bytes(program):
    for function in program.functions:
        for call, arguments, size, _ in copies(function, *COPIES):
            name = api(call_name(call))
            pointers = [plain(a) for a in arguments[:2 if name.startswith("Memcpy") else 1]]
            if "alloc" in name.lower() or name == "MallocHost":
                inner = pointers[0].type.get_canonical()
                if inner.kind.name != "POINTER":
                    continue
                sizes = {pointee_size(inner.get_pointee())}
                outer = plain(pointers[0])
                if outer.kind == "UNARY_OPERATOR" and outer.children:
                    sizes = {pointee_size(outer.children[0].type)}
            else:
                # A cast says of what type the items are: `(half*)pairs`.
                sizes = {pointee_size(bare(a).type) or pointee_size(p.type) for a, p in zip(arguments, pointers)}
            if len(sizes) != 1 or None in sizes or 1 in sizes or "Memset" in name and pointer_itself(function, pointers[0]) is not None:
                continue  # L01 reports the address of a pointer
            item = sizes.pop()
            node = function.resolve(size)
            spelled = list(node.all("CXX_UNARY_EXPR"))
            if spelled:
                wrong = wrong_sizeof(program, function, node, spelled, item)
                if wrong:
                    yield Found(size, f"{program.text(size)} is {wrong}, but the items have {item} bytes",
                                "write sizeof(*pointer); warpsafe's copies compute the bytes from type and count")
                continue
            if only_count(function, size):
                yield Found(size, f"{program.text(size)} counts items of {item} bytes, but {call_name(call)} takes bytes: "
                            "the call covers only a part",
                            f"write {program.text(size)} * sizeof(*pointer); warpsafe's copies compute the bytes from type and count",
                            "note" if plain(size).kind == "MEMBER_REF_EXPR" and not counts_elsewhere(program, plain(size).name) else "",
                            form="multiplied" if is_multiplied(function, size) else "")


FLAGS = re.compile(r"(?i)ready|flag|mask|valid|active|visited|done|alive|enabled")  # compared with 0, in general


def names_pattern(program, byte):
    """Whether the file has a number whose bytes all are that byte: it fills memory with the pattern on purpose."""
    patterns = {int.from_bytes(bytes([byte]) * size, "little") for size in (2, 4, 8)}
    return any(int(found, 16) in patterns for found in re.findall(r"\b0[xX]([0-9a-fA-F]+)", program.source.decode(errors="replace")))


def is_read_next(function, fill, pointer):
    """Whether the first launch or copy of the function that gets the memory behind a fill reads it: a fill that is only overwritten
    does no harm. None if there is none, or the kernel's source is not known."""
    base = base_variable(pointer)
    if base is None:
        return None

    def gets(node):
        given = base_variable(node)
        return given is not None and given.target == base.target

    uses = [(call.order, gets(arguments[1])) for call, arguments, _, _ in copies(function, "Memcpy", "MemcpyAsync") if any(map(gets, arguments[:2]))]
    for launch in all_launches(function):
        if any(map(gets, launch.arguments or ())):
            pairs = zip(launch.arguments, launch.kernel.parameters) if launch.kernel else ()
            read = {parameter.cursor.hash for argument, parameter in pairs if gets(argument)}
            uses.append((launch.order, any(node.target in read and is_read(launch.kernel.function, node)
                                           for node in launch.kernel.node.all("DECL_REF_EXPR")) if read else None))
    return min((use for use in uses if use[0] > fill.order), default=(0, None))[1]


def repeats_a_byte(number):
    """Whether a number fills memory with itself, as the pattern 0x7f7f7f7f does."""
    return number is not None and number > 255 and any(number == int.from_bytes(bytes([number & 0xff]) * size, "little") for size in (2, 4))


def is_one_byte(value, item):
    """Whether a floating literal is a byte, of memory whose items may be bytes."""
    return value is not None and item in (None, 1) and value.is_integer() and 0 <= value <= 255


@rule("F14", "a fill value that is not a single byte")
def fill(program):
    for function in program.functions:
        for call, arguments, _, _ in copies(function, "Memset", "MemsetAsync"):
            item, kind = pointee_size(plain(arguments[0]).type), plain(arguments[0]).type.get_canonical().get_pointee().get_canonical().kind.name
            value = bare(arguments[1])
            number = function.value(arguments[1])
            real = value.type.get_canonical().kind.name in ("FLOAT", "DOUBLE") and number != 0 and floating(function, value) != 0
            if real and is_one_byte(floating(function, value), item) or repeats_a_byte(number):
                continue
            if real or number is not None and not -128 <= number <= 255:
                yield Found(call, f"{program.text(arguments[1])} is not a byte: {call_name(call)} uses only its low 8 bits",
                            "fill in a kernel; warpsafe has zero(stream) and fill_bytes(stream, std::byte)",
                            "note" if is_read_next(function, call, arguments[0]) is False else "", form="no byte")
            elif number is not None and item not in (None, 1) and 0 < number < 127 and \
                    not program.text(arguments[1]).lower().startswith(("0x", "'")) and not names_pattern(program, number):
                pattern = int.from_bytes(bytes([number]) * min(item, 8), "little")
                yield Found(call, f"every byte becomes {number}, and an item of {item} bytes becomes {pattern:#x}",
                            "fill in a kernel; warpsafe has zero(stream) and fill_bytes(stream, std::byte)",
                            # Tests and benchmarks fill floating-point numbers with anything.
                            "warning" if is_read_next(function, call, arguments[0]) and kind not in ("FLOAT", "DOUBLE", "HALF", "FLOAT16") and not (number == 1 and FLAGS.search(program.text(arguments[0]))) else "note")

