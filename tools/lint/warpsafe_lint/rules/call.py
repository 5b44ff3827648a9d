# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part C of the catalogue: the launch call itself."""

import re

from ..host_memory import allocates_itself, host_memory
from ..launches import same_text
from ..function import api
from ..registry import Found, all_launches, launch_rule, rule
from ..tree import bare, call_arguments, call_name, is_integer, is_stream, is_wide, operands, plain, pointee_size
from .evidence import is_for_every_address, is_runtime
from .streams import only_blocking_streams


def argument_array(function, launch):
    """The `void*` array passed to cudaLaunchKernel, or None if its initialisers are not visible."""
    slots = call_arguments(launch.node)
    if launch.arguments is not None or launch.axes is not None or len(slots) < 4:
        return None
    variable = function.variable(slots[3])
    if variable is None or variable.start is None or variable.start.kind != "INIT_LIST_EXPR" or \
            variable.node.type.kind.name != "CONSTANTARRAY":
        return None
    return variable


@launch_rule("C01", "the wrong number of arguments behind void**")
def argument_count(program, function, launch):
    array = argument_array(function, launch)
    if array is None or not launch.kernel:
        return
    have, need = max(len(array.start.children), array.node.type.element_count), len(launch.kernel.parameters)
    if have < need:
        yield Found(launch.node, f"{launch.kernel.name} takes {need} arguments, but the array has {have}: the runtime reads "
                    "beyond it",
                    "call warpsafe::launch(stream, config, kernel<k>, …), which counts the arguments")


def class_of(kind_of):
    canonical = kind_of.get_canonical()
    if canonical.kind.name in ("POINTER", "CONSTANTARRAY", "INCOMPLETEARRAY"):
        return ("pointer", 8)
    if is_integer(canonical):
        return ("a whole number", canonical.get_size())
    if canonical.kind.name in ("FLOAT", "DOUBLE"):
        return ("a floating number", canonical.get_size())
    return None


@launch_rule("C02", "the wrong type behind void**")
def argument_type(program, function, launch):
    array = argument_array(function, launch)
    if array is None or not launch.kernel or len(array.start.children) != len(launch.kernel.parameters):
        return
    for node, parameter in zip(array.start.children, launch.kernel.parameters):
        inner = plain(node)
        if inner.kind != "UNARY_OPERATOR" or not program.text(inner).startswith("&"):
            continue
        given, wanted = class_of(inner.children[0].type), class_of(parameter.type)
        if given and wanted and given != wanted:
            yield Found(node, f"{program.text(inner)} is the address of {inner.children[0].type.spelling}, but "
                        f"{launch.kernel.name}'s parameter {parameter.name} is {parameter.type.spelling}",
                        "call warpsafe::launch, whose arguments have the kernel's types")


@launch_rule("C03", "a 64-bit argument for a 32-bit parameter")
def narrowed_argument(program, function, launch):
    for node in launch.arguments or ():
        if node.kind == "UNEXPOSED_EXPR" and node.type.get_canonical().kind.name in ("INT", "UINT") and node.children and \
                is_wide(node.children[0].type) and function.value(node) is None:
            yield Found(node, f"{program.text(node)} has 64 bits and {launch.kernel_name}'s parameter 32: the upper bits are "
                        "lost without a warning",
                        "give the kernel a std::size_t; warpsafe::launch does not compile this argument")


@launch_rule("C04", "a host pointer passed to a kernel")
def host_pointer(program, function, launch):
    if function.on_device or program.called("HostRegister", "HostGetDevicePointer"):
        return  # a kernel that launches another one has no host memory
    kernel = launch.kernel
    for place, node in enumerate(launch.arguments or ()):
        if node.type.get_canonical().kind.name != "POINTER" and plain(node).kind != "CALL_EXPR":
            continue
        if kernel and place < len(kernel.parameters) and kernel.parameters[place].name not in kernel.names:
            continue  # the kernel reads nothing through it
        why = host_memory(function, node)
        if why and not is_for_every_address(function, node):
            yield Found(node, f"{why}: this is host memory, which {launch.kernel_name} cannot read on the device",
                        "pass the view() of a warpsafe::DeviceBuffer; warpsafe::launch does not compile a raw pointer", "note" if is_runtime(program) else "")


def is_empty_body(cursor):
    """Whether a function does nothing, as far as its body is known here."""
    definition = cursor.get_definition()
    bodies = [child for child in definition.get_children() if child.kind.name == "COMPOUND_STMT"] if definition is not None else []
    return len(bodies) == 1 and not list(bodies[0].get_children())


def not_trivial(record, depth=4):
    """The class with a destructor or virtual functions that prevents a copy as bytes, or None."""
    declaration = record.get_canonical().get_declaration()
    if depth == 0 or declaration.kind.name not in ("CLASS_DECL", "STRUCT_DECL"):
        return None
    for child in declaration.get_children():
        kind = child.kind.name
        if kind == "DESTRUCTOR" and not child.is_default_method() and not is_empty_body(child) or kind == "CXX_METHOD" and child.is_virtual_method():
            return declaration.spelling
        if kind in ("FIELD_DECL", "CXX_BASE_SPECIFIER"):
            why = not_trivial(child.type, depth - 1)
            if why:
                return why
    return "std::" + declaration.spelling if re.match(r"std::(__\w+::)?(vector|basic_string|map|function|shared_ptr|unique_ptr)",
                                                     record.get_canonical().spelling) else None


def uses_only_data(function, parameter):
    """Whether a kernel reads nothing of an object but members that are copied well as bytes, and calls no function with it."""
    for use in function.node.all("DECL_REF_EXPR"):
        if use.target != parameter.cursor.hash:
            continue
        member = next((above for above in use.above() if above.kind not in ("UNEXPOSED_EXPR", "PAREN_EXPR")), None)
        to = member.cursor.referenced if member is not None and member.kind == "MEMBER_REF_EXPR" else None
        if to is None or to.kind.name != "FIELD_DECL" or not_trivial(to.type):
            return False
    return True


def of_kernels(program):
    return [function for function in program.functions if function.is_kernel]


@rule("C05", "an object with a destructor passed by value")
def by_value(program):
    for function in of_kernels(program):
        for parameter in function.parameters:
            if parameter.type.get_canonical().kind.name == "RECORD":
                why = not_trivial(parameter.type)
                if why:
                    yield Found(parameter, f"{parameter.name} is copied to the device as bytes, but {why} has a destructor or "
                                "virtual functions",
                                "pass a view: device_ptr, DeviceSpan, or a plain struct", # The host copies a container as a whole, and frees its copy. A class of the program may free what it does not own.
                                "note" if why.startswith("std::") and uses_only_data(function, parameter) else "")


def passed_at(program, function, place):
    """The arguments of a parameter of a kernel, in the launches that are seen."""
    return [launch.arguments[place] for each in program.functions for launch in all_launches(each)
            if launch.kernel_name == function.name and launch.arguments and len(launch.arguments) > place]


def is_reference_itself(node):
    """Whether a name or a call is a reference, whose object may be on the device."""
    to = plain(node).cursor.referenced
    kind = (to.result_type if plain(node).kind == "CALL_EXPR" else to.type) if to is not None else None
    return kind is not None and kind.kind.name == "LVALUEREFERENCE"


def passes_objects(program, function, place):
    """Whether a launch is seen that passes something other than the target of a pointer, or no launch is seen at all."""
    seen = passed_at(program, function, place)
    return not seen or any(not (plain(argument).kind == "UNARY_OPERATOR" and program.text(plain(argument)).startswith("*"))
                           for argument in seen)


def is_empty(program, function, place):
    """Whether a parameter refers to an object without members in each launch that is seen, such as a functor: nothing is read
    through its address."""
    kinds = [function.parameters[place].type.get_pointee().get_canonical()]
    if kinds[0].kind.name != "RECORD":  # a parameter of the template
        kinds = [plain(launch.arguments[place]).type.get_canonical() for each in program.functions for launch in all_launches(each)
                 if launch.kernel_name == function.name and launch.arguments and len(launch.arguments) > place]
    return bool(kinds) and all(kind.kind.name == "RECORD" and kind.get_size() == 1 and not list(kind.get_fields()) for kind in kinds)


@rule("C07", "a kernel that takes a reference")
def by_reference(program):
    for function in of_kernels(program):
        for place, parameter in enumerate(function.parameters):
            if parameter.type.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE") and passes_objects(program, function, place) and \
                    not allocates_itself(parameter.type.get_pointee()):
                seen = passed_at(program, function, place)
                unknown = bool(seen) and all(map(is_reference_itself, seen))
                yield Found(parameter, f"{parameter.name} is a reference: the kernel receives the address of a host object",
                            "pass it by value; warpsafe refuses this kernel", "note" if unknown or is_empty(program, function, place) else "")


@launch_rule("C08", "the stream in the slot of the shared memory")
def stream_as_bytes(program, function, launch):
    if launch.bytes is not None and launch.bytes.value is None:
        inner = plain(launch.bytes)
        if is_stream(inner.type) or re.search(r"stream", program.text(inner).lower()):
            yield Found(launch.bytes, f"{program.text(inner)} is passed as the bytes of shared memory",
                        "write <<<grid, block, 0, stream>>>, or call warpsafe::launch, which takes the stream first and by "
                        "type")


def waits_before_streams(function, launch):
    """Whether the function waits for the device behind a launch before it uses a stream: the launch prepares something."""
    for call in function.calls:
        if call.order <= launch.order or launch.node in call.above() or any(above is launch.node for above in call.above()):
            continue
        if "DeviceSynchronize" in call_name(call) or api(call_name(call)) in ("StreamCreate", "Memcpy"):
            return True
        if any(is_stream(argument.type) and plain(argument).kind == "DECL_REF_EXPR" for argument in call_arguments(call)):
            return False
    return False


def is_in_scope(variable, node):
    """Whether a node can name a local variable: it stands behind it, in the same block or inside of it."""
    block = next((above for above in variable.above() if above.kind in ("COMPOUND_STMT", "LAMBDA_EXPR")), None)
    return variable.order < node.order and (block is None or any(above is block for above in node.above()))


def in_other_branch(one, other):
    """Whether two nodes are in different branches of one `if`."""
    for above in one.above():
        if above.kind == "IF_STMT":
            branches = [next((child for child in above.children if any(node is each for each in child.walk())), None) for node in (one, other)]
            if None not in branches:
                return branches[0] is not branches[1]
    return False


def creates_blocking(function, streams):
    """Whether a function creates the streams with these names itself, without flags: the default stream waits for them."""
    made = [variable for variable in function.variables.values() if variable.node.name in streams]
    return {variable.node.name for variable in made} == set(streams) and all(variable.writes and all(any(
        api(call_name(above)) == "StreamCreate" for above in write.above() if above.kind == "CALL_EXPR") for write in variable.writes) for variable in made)


@launch_rule("C09", "the stream forgotten")
def stream_forgotten(program, function, launch):
    if not launch.on_default_stream:
        return
    streams = [p.name for p in function.parameters if is_stream(p.type) and p.name]
    streams += [v.node.name for v in function.variables.values() if is_stream(v.node.type) and is_in_scope(v.node, launch.node) and any(
        api(call_name(a)).startswith("StreamCreate") for w in v.writes for a in w.above() if a.kind == "CALL_EXPR")]
    # The function chooses: it launches the same kernel on its stream in the other branch.
    chooses = any(other.kernel_name == launch.kernel_name and not other.on_default_stream and in_other_branch(launch.node, other.node)
                  for other in all_launches(function))
    if streams and not chooses:
        settled = waits_before_streams(function, launch) or only_blocking_streams(program) or creates_blocking(function, streams)
        yield Found(launch.node, f"this launch runs on the default stream, but its function has the stream {streams[0]}",
                    f"write <<<grid, block, 0, {streams[0]}>>>, or call warpsafe::launch, which has no default stream",
                    "note" if settled else "")


@launch_rule("C10", "the dynamic shared memory forgotten")
def shared_forgotten(program, function, launch):
    if launch.kernel and launch.kernel.needs_dynamic_shared and launch.shared_bytes == 0:
        if program.called("LaunchKernelExC"):
            return
        yield Found(launch.node, f"{launch.kernel.name} uses dynamic shared memory, {launch.kernel.dynamic_shared.name}[], but "
                    "the launch passes 0 bytes",
                    "pass the bytes as the third number of <<<…>>>; with kernel<k, needs_shared<T>> warpsafe refuses a launch "
                    "without them")


@launch_rule("C11", "shared memory in elements instead of bytes")
def shared_elements(program, function, launch):
    if launch.bytes is None or launch.bytes.value is not None or not launch.kernel:
        return
    array = launch.kernel.dynamic_shared
    size = pointee_size(array.type) if array is not None else None
    if size in (None, 1):
        return
    node = function.resolve(launch.bytes)
    variable = function.variable(node)
    if variable is not None and any(next(each.all("CXX_UNARY_EXPR"), None) for each in [variable.start, *variable.writes] if each is not None):
        return  # one of its values has a sizeof
    words = " ".join(node.names()) + " " + " ".join(launch.bytes.names())
    if any(True for _ in node.all("CXX_UNARY_EXPR", "CALL_EXPR")) or re.search(
            r"byte|size|mem|shm|shared|sz", words.lower()) and not same_text(program, launch.bytes, launch.block):
        return
    factors, pending = [], [node]
    while pending:
        part = function.resolve(pending.pop())
        sides = operands(part, "*") or operands(part, "+") or operands(part, "<<")
        if sides:
            pending.extend(sides)
        factors.append(function.value(part))
        if part.kind in ("CXX_UNARY_EXPR", "CALL_EXPR", "CONDITIONAL_OPERATOR"):
            return
    if any(value and value % size == 0 for value in factors) or node.name == "<<":
        return
    if node.kind == "DECL_REF_EXPR" and node.cursor.referenced.kind.name == "PARM_DECL" and not re.search(
            r"^n|num|count|len|thread|block|elem", node.name.lower()):
        return  # the name suggests neither bytes nor a count
    yield Found(launch.bytes, f"{program.text(launch.bytes)} counts elements of {size} bytes, but a launch takes bytes: "
                f"{array.name} is too small",
                f"write {program.text(launch.bytes)} * sizeof({array.type.element_type.spelling}), or "
                "warpsafe::shared<T>(count)")


@rule("C17", "an argument that is too large")
def large_argument(program):
    for function in of_kernels(program):
        total = sum(max(p.type.get_size(), 0) for p in function.parameters)
        if total > 4096:
            yield Found(function.node, f"the parameters take {total} bytes; every CUDA accepts 4096, CUDA from 12.1 on 32764",
                        "put the large part in a buffer; warpsafe::launch counts the bytes at compile time",
                        "note" if total <= 32764 else "error")
