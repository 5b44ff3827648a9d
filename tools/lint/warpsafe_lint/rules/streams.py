# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part E of the catalogue, and G04: streams, events, captures and library handles."""

import os
import re

from .. import index
from ..function import api
from ..host_memory import may_be_pinned
from ..launches import same_text
from ..registry import Found, all_launches, function_rule, rule
from ..tree import base_variable, call_arguments, call_name, is_loop, plain

# Function that creates a handle -> function that sets its stream. (cublasLt takes the stream with each call.)
LIBRARIES = (
    (r"cublasCreate(_v2)?$", r"cublasSetStream"), (r"cublasXtCreate$", r"^$"), (r"hipblasCreate$", r"hipblasSetStream"),
    (r"rocblas_create_handle$", r"rocblas_set_stream"), (r"cusparseCreate$", r"cusparseSetStream"),
    (r"hipsparseCreate$", r"hipsparseSetStream"), (r"cusolver(Dn|Sp)Create$", r"cusolver(Dn|Sp)SetStream"),
    (r"cudnnCreate$", r"cudnnSetStream"), (r"miopenCreate$", r"miopen(SetStream|CreateWithStream)"),
    (r"curandCreateGenerator$", r"curandSetStream"), (r"cufft(Plan\w+|Create)$", r"cufftSetStream"),
    (r"hipfft(Plan\w+|Create)$", r"hipfftSetStream"),
)
SETS = r"(cublas|hipblas|cusparse|hipsparse|cusolver(Dn|Sp)|cudnn|miopen|curand|cufft|hipfft)SetStream(_v2)?$|rocblas_set_stream$"
DESTROYS = r"(cublas|hipblas|cusparse|hipsparse|cusolver(Dn|Sp)|cudnn|miopen)Destroy(_v2)?$|rocblas_destroy_handle$|" \
           r"curandDestroyGenerator$|cufftDestroy$"


NON_BLOCKING = ("StreamCreateWithFlags", "StreamCreateWithPriority")


def uses_streams(program):
    """Whether the program creates or receives a stream other than the default stream."""
    return any(not launch.on_default_stream for function in program.functions for launch in all_launches(function)) or \
        any(api(name).startswith("StreamCreate") for name in program.all_names)


def may_not_block(program):
    """Whether a file of the program creates streams for which the default stream does not wait."""
    return any(api(name) in NON_BLOCKING for name in program.all_names) or index.of_file(program.file).calls(
        f"^(cuda|hip)({'|'.join(NON_BLOCKING)})$", program.file)


def only_blocking_streams(program):
    """Whether the program, or its part in the file's folder, creates its streams itself, and all of them wait for the default stream, and it for them."""
    tree, folder = index.of_file(program.file), os.path.dirname(os.path.realpath(program.file))
    created = any(api(name) == "StreamCreate" for name in program.all_names) or tree.calls("^(cuda|hip)StreamCreate$", program.file)
    return created and (not may_not_block(program) or tree.calls("^(cuda|hip)StreamCreate$", program.file, folder) and not tree.calls(
        f"^(cuda|hip)({'|'.join(NON_BLOCKING)})$", program.file, folder))


def handle_type(call):
    """The type of the handle that a call creates: the target of its first pointer."""
    arguments = call_arguments(call)
    kind = plain(arguments[0]).type if arguments else None
    pointee = kind.get_pointee() if kind is not None and kind.get_canonical().kind.name == "POINTER" else None
    return (pointee.spelling if pointee is not None and pointee.spelling else "the handle's type").replace("struct ", "")


@rule("E01", "a library handle left on the default stream")
def handle_without_stream(program):
    if not uses_streams(program):
        return
    for function in program.functions:
        for call in function.calls:
            for makes, sets in LIBRARIES:
                if re.match(makes, call_name(call)) and sets != "^$" and not any(re.match(sets, n) for n in program.all_names) and \
                        not index.of_file(program.file).calls(f"^({sets})", program.file):
                    setter = re.sub(r"\(Dn\|Sp\)", "Sp" if "Sp" in call_name(call) else "Dn", sets).split("(miopen")[0]
                    setter = "miopenSetStream" if setter.startswith("miopen") else setter
                    yield Found(call, f"{call_name(call)} creates a handle that receives no stream in this program, and other "
                                "work here runs on a stream",
                                f"call {setter}(handle, stream), or write StreamBound<{handle_type(call)}>::create(stream)",
                                # The default stream waits for all streams but the non-blocking ones.
                                "" if may_not_block(program) else "note")


def variable_of(node):
    base = base_variable(node)
    return base.target if base is not None else None


@function_rule("E03", "the stream destroyed before its users")
def destroyed_first(program, function):
    bound = {}
    for call in function.calls:
        name, arguments = call_name(call), call_arguments(call)
        if re.match(SETS, name) and len(arguments) == 2:
            bound[variable_of(arguments[0])] = variable_of(arguments[1])
    for call in function.calls:
        if api(call_name(call)) != "StreamDestroy":
            continue
        stream = variable_of(call)
        for later in function.calls:
            if later.order > call.order and re.match(DESTROYS, call_name(later)) and stream is not None and \
                    bound.get(variable_of(later)) == stream:
                yield Found(call, f"the stream is destroyed before its handle ({call_name(later)})",
                            "use StreamBound<Handle>, which keeps its stream alive",
                            # A library that only frees what the handle has seldom needs the stream.
                            "note")
                break


@function_rule("E04", "a handle's stream switched while work is pending")
def switched(program, function):
    for call in function.calls:
        if call_name(call) in ("rocblas_set_stream", "hipblasSetStream") and any(map(is_loop, call.above())):
            yield Found(call, "this loop switches the stream of a handle, and rocBLAS has one workspace for all streams of a "
                        "handle",
                        "use one handle per stream; StreamBound::rebind orders the streams")


SYNC_COPIES = ("Memcpy", "Memset", "Memcpy2D", "MemcpyToSymbol")


@function_rule("E08", "a copy on the null stream beside a non-blocking one")
def null_stream_copy(program, function):
    streams = {}
    for call in function.calls:
        arguments = call_arguments(call)
        if api(call_name(call)) in ("StreamCreateWithFlags", "StreamCreateWithPriority") and len(arguments) > 1 and \
                function.value(arguments[1]) == 1:
            streams[variable_of(arguments[0])] = call
    if not streams:
        return
    for launch in all_launches(function):
        stream = variable_of(launch.stream) if launch.stream is not None else None
        if stream not in streams:
            continue
        taken = {variable_of(a) for a in launch.arguments or ()} - {None}
        for call in function.calls:
            arguments = call_arguments(call)
            if api(call_name(call)) not in SYNC_COPIES or call.order > launch.order or not arguments or \
                    variable_of(arguments[0]) not in taken:
                continue
            if api(call_name(call)) == "Memcpy" and function.value(arguments[-1]) != 1:
                continue
            if any(is_barrier(function, c) for c in function.calls_between(call.order, launch.order)):
                continue
            # A copy from page-locked memory has ended when it returns.
            source = base_variable(arguments[1]) if api(call_name(call)) == "Memcpy" else None
            ended = source is not None and may_be_pinned(program, function, source)
            yield Found(call, f"{call_name(call)} runs on the null stream and {launch.kernel_name} on a non-blocking one: "
                        "nothing orders them",
                        f"call {call_name(call)}Async on that stream; every copy of warpsafe takes a stream", "note" if ended else "")
        return


def is_barrier(function, call):
    return function.program.reaches(call_name(call), orders_streams)


def orders_streams(name):
    return "ynchronize" in name or api(name) in ("StreamWaitEvent",)


BREAKS = {"DeviceSynchronize", "StreamSynchronize", "EventSynchronize", "Malloc", "Free", "MallocHost", "HostAlloc",
          "StreamQuery", "EventQuery", "MallocManaged", "EventElapsedTime"}


def captures(function):
    """Pairs of calls that begin and end a capture."""
    begin = None
    for call in function.calls:
        name = api(call_name(call))
        if name == "StreamBeginCapture":
            begin = call
        elif name == "StreamEndCapture" and begin is not None:
            yield begin, call
            begin = None


def mode_is_relaxed(function, begin):
    arguments = call_arguments(begin)
    return len(arguments) > 1 and function.value(arguments[1]) == 2


@function_rule("E13", "legacy-stream work while another stream captures")
def legacy_in_capture(program, function):
    for begin, end in captures(function):
        for launch in all_launches(function):
            if begin.order < launch.order < end.order and launch.on_default_stream:
                yield Found(launch.node, f"{launch.kernel_name} is launched on the default stream between the begin and end of "
                            "a capture: it is refused, or missing in the graph",
                            "launch it on the stream that captures")
        for call in function.calls_between(begin.order, end.order):
            if api(call_name(call)) in ("Memcpy", "Memset", "Memcpy2D"):
                yield Found(call, f"{call_name(call)} runs on the default stream while another stream captures",
                            f"call {call_name(call)}Async on the stream that captures")


def breaks(function, begin, call):
    """Whether a call may not stand between the begin and end of a capture: a wait or a query only if it is for the stream that captures,
    or for an event that the capture has recorded. A relaxed capture permits what allocates and frees."""
    name, arguments = api(call_name(call)), call_arguments(call)
    if name not in BREAKS or mode_is_relaxed(function, begin) and ("alloc" in name.lower() or name == "Free"):
        return False
    if name in ("StreamSynchronize", "StreamQuery"):
        return bool(arguments) and same_text(function.program, arguments[0], call_arguments(begin)[0])
    if name.startswith("Event"):
        recorded = [c for c in function.calls_between(begin.order, call.order) if api(call_name(c)) == "EventRecord" and call_arguments(c)]
        return any(same_text(function.program, argument, call_arguments(c)[0]) for argument in arguments for c in recorded)
    return True


@function_rule("G04", "a synchronisation or allocation during a capture")
def breaks_capture(program, function):
    for begin, end in captures(function):
        for call in function.calls_between(begin.order, end.order):
            if breaks(function, begin, call):
                yield Found(call, f"{call_name(call)} is called between the begin and end of a capture: the whole graph is lost",
                            "call it before the begin or after the end; warpsafe refuses it during a capture")


@rule("E14", "a host callback that calls the API")
def callback(program):
    for function in program.functions:
        for call in function.calls:
            if api(call_name(call)) not in ("LaunchHostFunc", "StreamAddCallback") or len(call_arguments(call)) < 3:
                continue
            target = plain(call_arguments(call)[1])
            inside = list(target.all("CALL_EXPR"))
            for name in target.names():
                for cursor in program.bodies.get(name, ()):
                    inside += program.function(cursor).calls
            wrong = next((c for c in inside if api(call_name(c)) and not api(call_name(c)).startswith("GetError")), None)
            if wrong is not None:
                yield Found(call, f"the callback calls {call_name(wrong)}, which is not permitted there and may deadlock",
                            "set a flag in the callback, and make the call in the waiting thread")


@function_rule("E15", "times from events without timing, or that have not ended")
def event_times(program, function):
    untimed, recorded = {}, {}
    for call in function.calls:
        name, arguments = api(call_name(call)), call_arguments(call)
        if name == "EventCreateWithFlags" and len(arguments) == 2 and (function.value(arguments[1]) or 0) & 2:
            untimed[variable_of(arguments[0])] = call
        elif name == "EventRecord" and arguments:
            recorded[variable_of(arguments[0])] = call
        elif name == "EventElapsedTime" and len(arguments) == 3:
            for event in arguments[1:]:
                if variable_of(event) in untimed and variable_of(event) is not None:
                    yield Found(call, f"{program.text(event)} was created without timing",
                                "call stream.record_timed(), which returns a timed event")
            stop = recorded.get(variable_of(arguments[2]))
            if stop is not None and not any(function.waits(c) for c in function.calls_between(stop.order, call.order)):
                yield Found(call, f"nothing waits for {program.text(arguments[2])} between its record and this call: the time "
                            "is not available yet",
                            "call cudaEventSynchronize first; warpsafe's elapsed takes only completed events")
