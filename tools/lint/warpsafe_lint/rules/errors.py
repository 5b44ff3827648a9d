# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Parts D and G of the catalogue: errors, and what a program does to its environment."""

import dataclasses
import functools
import math
import os
import re

from .. import index
from ..function import api, is_look
from ..launches import round_up
from ..libclang import written_at
from ..lines import lines_of
from ..registry import Found, all_launches, function_rule, rule
from ..sizes import largest
from ..tree import base_variable, call_arguments, call_name, is_dropped, is_loop, plain
from .evidence import is_runtime, of_size
from .growth import Source, source_of

ERRORS = ("cudaError_t", "hipError_t", "cudaError", "CUresult", "cublasStatus_t", "hipblasStatus_t", "rocblas_status",
          "cudnnStatus_t", "cufftResult", "cusparseStatus_t", "curandStatus_t", "cusolverStatus_t")
LAUNCH_ERRORS = re.compile(r"^(cuda|hip)Error(InvalidConfiguration|LaunchOutOfResources|LaunchFailure|InvalidValue|"
                           r"InvalidDeviceFunction|CooperativeLaunchTooLarge|IllegalAddress|LaunchTimeout|LaunchTimeOut)$")


def is_error(kind_of):
    return kind_of.spelling.replace("enum ", "").replace("const ", "") in ERRORS


def is_statement(program, call):
    """Whether the source has a call where a statement begins. The compiler drops a macro or a function around it that it does
    not know, because the header is missing: `CHECK(cudaGetLastError())` is then a bare call in the tree."""
    if program.complete:
        return True
    name, _, _, place = written_at(call.cursor.extent.start)
    if name != program.file:
        return False
    before = program.code[max(place - 400, 0):place].rstrip()
    written = program.source[place:place + 200].decode(errors="replace").lstrip(":")
    if not re.match(rf"(\w+::)*{re.escape(call_name(call))}\b", written):
        return False  # a macro writes it, and what the macro has around it is unknown
    return before == b"" or before[-1:] in b";{}):" or re.search(rb"\b(else|do)$", before) is not None


# Calls of CUB and Thrust that launch kernels. They read the last error for their own status or exception.
LIBRARIES = re.compile(r"(::)?(?:(hip)?cub::Device\w+(<[^()]*>)?::\w+|rocprim::\w+|(thrust::)(sort|stable_sort|reduce|transform|exclusive_scan|inclusive_scan|unique|copy_if|"
                       r"remove_if|partition|for_each|min_element|max_element|count|sequence|fill|inner_product|adjacent_difference|generate|tabulate|gather|scatter|"
                       r"replace|minmax_element)\w*)\s*[<(]")


def peeks(program, call):
    """Whether a call of CUB, whose status is kept, or of Thrust reads the last error."""
    found = LIBRARIES.match(program.text(call))
    return found is not None and (found[4] is not None or not is_dropped(call))


@functools.lru_cache(maxsize=1)
def peekers(program):
    """The functions of a file that call CUB or Thrust so."""
    return frozenset(function.name for function in program.functions if any(peeks(program, call) for call in function.calls))


def reads_error(program, function, call):
    """Whether a call of a function reads the last error, directly or further down."""
    return function.looks(call) or peeks(program, call) or program.call_reaches(call, peekers(program).__contains__)


def looks_at_end(program, node, variable):
    """Whether the destructor of a local variable reads the last error behind a launch or a call."""
    record = variable.type.get_canonical()
    destructor = "~" + record.get_declaration().spelling.partition("<")[0]
    block = next((above for above in variable.above() if above.kind == "COMPOUND_STMT"), None)
    return record.kind.name == "RECORD" and destructor in program.bodies and program.reaches(destructor, is_look) and (
        variable.order > node.order or block is None or any(above is block for above in node.above()))


def looked_at(program, function, node):
    """Whether a function reads the last error behind a launch or a call. A line that the compiler dropped, because a header is
    missing, counts if it reads like a check by its name. In a loop around both, the next turn reads the error."""
    loops = [above for above in node.above() if is_loop(above)]
    if any((call.order > node.order or any(loop in call.above() for loop in loops)) and reads_error(program, function, call) and
           not (call.order < node.order and is_dropped(call)) for call in function.calls):
        return True
    if any(looks_at_end(program, node, variable) for variable in function.node.all("VAR_DECL") if variable.order not in function.never):
        return True
    if program.complete:
        return False
    rest = index.running(program.source[node.end:function.node.end].decode(errors="replace"))
    return re.search(r"\b\w*(error|check|assert|last|CubDebug)\w*\s*[(;]", rest, re.I) is not None


def callers_look(program, function, depth=4):
    """Whether the last error is read after every call of a function, in its caller or further up, also in other files of the
    tree. Returns true for a function that is passed as a pointer, because its callers are unknown."""
    for user in program.functions:
        for call in user.calls:
            if any(plain(argument).kind == "DECL_REF_EXPR" and plain(argument).name == function.name
                   for argument in call_arguments(call)):
                return True
    callers = program.callers(function.name)
    if callers:
        return depth > 0 and all(looked_at(program, caller, call) or callers_look(program, caller, depth - 1)
                                 for caller, call in callers)
    # Nobody calls main, but the text of another file's main may look like a call.
    return function.name != "main" and index.of_file(program.file).callers_look(function.name, os.path.realpath(program.file), local=function.is_local)


def functor_is_checked(program, function):
    """Whether a member function belongs to a class that a function of this file names, as a template argument or an object,
    before it reads the last error: the call of the member is inside of a template."""
    owner = function.cursor.semantic_parent
    if owner is None or owner.kind.name not in ("STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE") or not owner.spelling:
        return False
    for user in program.functions:
        text = program.source[user.node.start:user.node.end]
        place = text.find(owner.spelling.encode())
        if user.cursor.semantic_parent != owner and place >= 0 and any(
                call.start > user.node.start + place and user.looks(call) for call in user.calls):
            return True
    return False


def in_passed_lambda(launch):
    """Whether a launch stands in a lambda that is an argument of a call."""
    for above in launch.node.above():
        if above.kind != "LAMBDA_EXPR":
            continue
        inner, outer = above, above.parent
        while outer is not None and outer.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR"):
            inner, outer = outer, outer.parent
        if outer is not None and outer.kind == "CALL_EXPR" and any(argument is inner for argument in call_arguments(outer)) and \
                call_name(outer) != "operator()":
            return True
    return False


def unseen_launches(program, function):
    """The launches of a function whose status nobody reads: not it, its callers, or a caller in another file of the tree."""
    if function.on_device:
        return []
    unseen = []
    for launch in all_launches(function):
        if launch.in_graph or in_passed_lambda(launch):
            continue  # the graph's launch has the status; who calls the lambda may read it
        if launch.form not in ("<<<>>>", "macro"):
            # The runtime keeps the error of its launches for cudaGetLastError; that of the driver's is in the status alone.
            kept = api(launch.form) and looked_at(program, function, launch.node)
            if not kept and is_dropped(launch.node) and is_statement(program, launch.node):
                unseen.append(launch)
        elif not looked_at(program, function, launch.node):
            unseen.append(launch)
    if not unseen or callers_look(program, function) or functor_is_checked(program, function):
        return []
    if any(call.kind == "CALL_EXPR" and is_launch_wrapper(call) for launch in unseen[:1] for call in launch.node.above()):
        return []
    return unseen


ROWS = 65535 * 32
ITEMS_OF_PART = 1024 * 256  # items that a block of one thread for each 256 of them has
FEW = re.compile(r"(?i)width|height|batch|(im(g|age)|mat|src|dst|frame|pic)\w*(\.|->)(row|col)s")
LARGEST_SHARED = 232448  # bytes, from compute capability 9.0 on
MODEL = re.compile(r"(?i)heads?_|_heads?|[a-z]Head|^n?heads?|layer|beam|channel")
SIDE = re.compile(r"[wWhH]|\w*([wW]idth|[hH]eight)\w*")
SMALL_KERNEL = 600  # nodes of a body; a thread then seldom needs more than the 64 registers that a block of 1024 leaves it


GROUPS = {"sync", "this_grid", "this_thread_block", "thread_rank", "grid_group", "thread_block"}  # of cooperative groups, which need few


def is_small(program, kernel):
    """Whether a kernel is too small to need many registers: a short body without arrays of its own and calls of the program."""
    nodes = list(kernel.body.walk())
    called = {call_name(node) for node in nodes if node.kind == "CALL_EXPR"} - GROUPS
    return len(nodes) < SMALL_KERNEL and not any(name in program.bodies for name in called) and not any(
        node.type.kind.name == "CONSTANTARRAY" and not kernel.is_shared(node) for node in nodes if node.kind == "VAR_DECL")


def open_size(launch):
    """The first size of a launch that may be too large for a device, what it is called, and the Source that decides it; one that
    grows goes first. None if every device accepts the launch. A block of 256 threads fits whatever registers the kernel takes,
    because a thread has at most 255 of 65536; hipcc compiles each kernel for 1024."""
    function, kernel = launch.function, launch.kernel
    small = kernel and (is_small(function.program, kernel) or function.program.language == "hip")
    most = launch.max_threads or (1024 if small else 256)
    static = kernel.static_shared if kernel else 0
    limits = {"grid.x": 2**31 - 1, "grid.y": 65535, "grid.z": 65535, "block": most, "shared memory": 49152 - static}
    found = [(name, Source(str(size), values=(size,)) if size is not None else source_of(function, axis)) for name, axis, size in zip(
        limits, launch.grid_axes, map(function.value, launch.grid_axes)) if not fits(function, axis, limits[name])]
    # Few programs have counts of 2^31 blocks along x, images or batches of 65536 items, or matrices with more rows than a grid has in blocks of 32. Where
    # only a name says that a side of a matrix is a count, it may be that of a model, or one of a few. A volume has few layers.
    square = is_square(function, launch.grid_axes)
    sides = dict(zip(limits, launch.grid_axes)) if launch.grid_axes and function.value(launch.grid_axes[0]) is None else {}
    sources = dict(found)
    open_axes = [axis for axis in launch.grid_axes if function.value(axis) is None]
    few = {name for name, axis in sides.items() if name == "grid.z" and len(open_axes) == 3 or any(map(SIDE.fullmatch, axis.names())) or sources.get(name) and sources[name].named or
           fits(function, axis, limits[name], ROWS)} | {"grid.x"}
    # A name alone does not say that a matrix has more rows than a grid in blocks of 32, or a volume more than a grid.
    few |= {name for name, source in found if source and source.named and name == "grid.y" and (
        len(open_axes) == 3 or fits(function, launch.grid_axes[1], limits[name], ROWS))}
    found = [(name, dataclasses.replace(source, grows=False) if source and (square or name in few or FEW.search(source.text)) else source)
             for name, source in found]
    threads = [function.value(axis) for axis in launch.block_axes]
    bounded = compares_threads(launch)
    for axis, size in zip(launch.block_axes, threads):
        if not fits(function, axis, most) and not (bounded and size is None):
            source = Source(f"{size} threads", values=(size,)) if size is not None else source_of(function, axis)
            part = source is not None and source.named and fits(function, axis, most, ITEMS_OF_PART)
            found.append(("block", dataclasses.replace(source, grows=False) if part else source))
    if None not in threads and math.prod(threads) > most and not found:
        found.append(("block", Source(f"{math.prod(threads)} threads", values=(math.prod(threads),))))
    if launch.bytes is not None and not fits(function, launch.bytes, limits["shared memory"]) and not is_raised(function.program):
        size = launch.shared_bytes
        raised = any(api(call_name(call)) == "FuncSetAttribute" for call in function.calls)
        if size is None or size > (LARGEST_SHARED if raised else 0):  # a dropped call raises it too, on the devices that have it
            source = Source(f"{size} bytes", values=(size,)) if size is not None else source_of(function, launch.bytes)
            # A number that only its name calls a count may be that of bins, classes or dimensions.
            found.append(("shared memory", dataclasses.replace(source, grows=False) if source is not None and source.named else source))
    if not launch.grid_axes or not launch.block_axes or launch.bytes is None and launch.shared_bytes is None:
        found.append(("launch", Source("a struct")))
    # A model's heads and layers are few and small.
    found = [(name, dataclasses.replace(source, grows=False) if source and (MODEL.search(source.text) or kernel and kernel.has_own_sizes) else source)
             for name, source in found]
    found = [(name, source or Source("a product")) for name, source in found
             if source is None or source.most is None or source.most > limits[name]]
    # A number of a caller that no device accepts.
    limits["block"] = launch.max_threads or 1024
    found = [(name, dataclasses.replace(source, grows=True) if source.most and source.most > limits[name] else source) for name, source in found]
    return next((each for each in found if each[1].grows and each[1].read), next((each for each in found if each[1].grows), found[0] if found else None))


def compares_threads(launch):
    """Whether the function compares the product of the block's axes, or a variable that has it, with another number than 0 or 1."""
    function, block = launch.function, base_variable(launch.block) if launch.block is not None else None
    if block is None:
        return False

    def has_product(node):
        variable = function.variable(node)
        given = [node, *([variable.start] if variable is not None and variable.start is not None else []), *(variable.writes if variable is not None else [])]
        return any(part.name == "*" and part.kind == "BINARY_OPERATOR" and all(
            any(name.target == block.target for name in side.all("DECL_REF_EXPR")) for side in part.children) for each in given for part in each.walk())

    return any(has_product(side) and function.value(other) not in (0, 1)
               for test in function.node.all("BINARY_OPERATOR") if test.name in ("<", ">", "<=", ">=") and len(test.children) == 2
               for side, other in (test.children, test.children[::-1]))


def is_square(function, axes):
    """Whether one count, divided, is both sides of a grid: the items of a side of 65536 blocks fit no memory."""
    sources = [source_of(function, axis) for axis in axes[:2]]
    divided = function.resolve(axes[1]) if len(axes) > 1 else None
    return divided is not None and None not in sources and sources[0].text == sources[1].text and (
        divided.name in ("/", ">>") or round_up(function, divided) is not None)


def fits(function, node, limit, count=None):
    """Whether no value of a size exceeds a limit, by its constants, its divisions and its type, if each name is at most a count."""
    most = largest(function, node, count=count)
    return most is not None and 0 <= most <= limit


def is_raised(program):
    """Whether the file asks for more dynamic shared memory, with a call whose status is kept: it then says that the size is refused."""
    return any(api(call_name(call)) == "FuncSetAttribute" and not is_dropped(call) for function in program.functions for call in function.calls)


def is_measured(function, launch):
    """Whether an earlier call of the function receives the variables of grid and block, and checks them by its name."""
    sizes = {name.target for node in (launch.grid, launch.block) if node is not None for name in node.all("DECL_REF_EXPR")
             if function.variable(name) is not None}
    return len(sizes) == 2 and any(
        call.order < launch.order and re.search(r"(?i)check|valid|verify|limit", call_name(call)) and
        sizes <= {node.target for argument in call_arguments(call) for node in argument.all("DECL_REF_EXPR")} for call in function.calls)


def refused(launch):
    """Whether the size of a launch is a reason to refuse it, the words that say which, and the form of the finding: "" for the
    severity if the launch can be refused, "note" if that is not known or does not happen."""
    found = open_size(launch)
    if is_measured(launch.function, launch) or found is None:
        return "note", "", ""
    name, source = found
    if source.grows:
        if source.most:
            form = "constant" if re.fullmatch(r"\d+ (threads|bytes)", source.text) else ""
        else:
            form = ("grid input" if name.startswith("grid") else "input") if source.read else ""
        return "", f"; its {name} comes from {source.text}, which " + ("is larger than the limit" if source.most else "has no upper limit here"), form
    return "note", f"; what the largest {name} is, which comes from {source.text}, is not known here", ""


@rule("D01", "a launch whose result nobody reads")
def unchecked(program):
    # One finding per file: a program that does not check one launch seldom checks the others. A launch that returns its
    # status has a finding and a remedy of its own.
    for function in program.functions:
        for launch in unseen_launches(program, function):
            severity, why, form = refused(launch)
            other = of_size(function, launch) if severity != "note" else ""  # one mistake of one launch, which that row names
            if other:
                why = f"{why} ({other.split()[0]})"
            returns = launch.form not in ("<<<>>>", "macro")
            yield Found(launch.node, f"no code checks the launch of {launch.kernel_name}: if a launch is refused, its kernel does not run, and the program goes on{why}",
                        f"check the status that {launch.form} returns, or call warpsafe::launch" if returns else
                        "write warpsafe::launch(…).value(), or without warpsafe call cudaGetLastError() right after the launch "
                        "(--fix-cuda does it)", severity, kind=launch.form if returns else "<<<>>>", form=form, instead=other)


def is_launch_wrapper(call):
    return "launch" in call_name(call).lower()


def handled_before(function, call):
    """Whether the preceding runtime call's status is checked: then the cleared error is that call's."""
    before = [c for c in function.calls if c.order < call.order and (api(call_name(c)) or function.looks(c))]
    if before and function.looks(before[-1]) and not (is_dropped(before[-1]) and api(call_name(before[-1]))) and not any(
            before[-1].order < launch.order < call.order for launch in all_launches(function)):
        return True  # the error has been read
    return bool(before) and api(call_name(before[-1])) != "GetLastError" and not is_dropped(before[-1]) and not any(
        launch.order > before[-1].order and launch.order < call.order for launch in all_launches(function))


def after_failure(call):
    """Whether a call stands in a branch that a status decides: it then clears an error that the program has handled."""
    for above in call.above():
        if above.kind == "IF_STMT" and above.children and any(
                is_error(inner.type) or re.search(r"(?i)err|stat(e|us)|result|ret|rc\b", inner.name)
                for inner in above.children[0].walk() if inner.cursor.kind.is_expression()):
            return call.order > above.children[0].order
    return False


def clears_on_purpose(program, function, call):
    """Whether a comment beside the call says so, or the function reads the last error again afterwards."""
    lines = lines_of(program.source.decode(errors="replace"))
    line = call.cursor.location.line
    # A comment for this tool silences a row by itself, and only the row that it names.
    first = line - 1  # of the comment above the call
    while first > 0 and re.match(r"\s*(//|/?\*)", lines[first - 1]):
        first -= 1
    beside = " ".join(re.sub(r"(//|/\*)\s*warpsafe-lint:.*", "", each) for each in lines[min(first, max(line - 2, 0)):line])
    return re.search(r"(//|/\*).*\b(clear|reset|ignore|swallow|discard|drop|sticky|flush|drain|consume|eat)", beside, re.I) is not None or any(
        later.order > call.order and function.looks(later) and not (is_dropped(later) and is_error(later.type)) for later in function.calls)


def clears_peers(function, call):
    """Whether the call before is the one that gives access to another device: it fails where a program has the access already."""
    before = [api(call_name(each)) for each in function.calls if each.order < call.order and api(call_name(each))]
    return bool(before) and before[-1] == "DeviceEnablePeerAccess"


# What a runtime call is named that only asks, or that fails for no number of a program.
QUESTIONS = re.compile(r"(?:\w*Get(?!LastError)\w*|Occupancy\w*|\w*Query|\w*ThreadExchange\w*|ProfilerSt\w+|\w*DeviceCanAccessPeer)")


def hides_error(function, call):
    """Whether a call whose error nobody reads may clear one: of the callers, if the function has no launch before it; else of a
    launch that a device can refuse, or of a call of the runtime that can fail and whose status is dropped."""
    loops = [above for above in call.above() if is_loop(above)]

    def is_before(node):
        return node.order < call.order or any(loop in node.above() for loop in loops)

    def can_fail(other):
        name = call_name(other)
        return api(name) and is_dropped(other) and not is_look(name) and not QUESTIONS.fullmatch(api(name))

    before = [launch for launch in all_launches(function) if is_before(launch.node)]
    return not before or any(refused(launch)[0] == "" for launch in before) or any(is_before(other) and can_fail(other) for other in function.calls)


@rule("D03", "clearing another component's error")
def swallowed(program):
    for function in program.functions:
        for call in function.calls:
            if api(call_name(call)) == "GetLastError" and is_dropped(call) and is_statement(program, call) and \
                    not handled_before(function, call) and not after_failure(call):
                harmless = clears_on_purpose(program, function, call) or clears_peers(function, call) or not hides_error(function, call)
                yield Found(call, f"the result of {call_name(call)}() is dropped, which clears an earlier error",
                            "check the call that may fail; warpsafe's launch reports its own status and clears nothing", "note" if harmless else "")


def ends_itself(program, name):
    """Whether a function that returns a status ends the program, asserts or throws if there is an error."""
    if program.reaches(name, lambda word: fails(word) or word in ("__assert_fail", "__assertfail", "__assert", "_wassert")):
        return True
    return any(next(program.function(cursor).node.all("CXX_THROW_EXPR"), None) is not None for cursor in program.bodies.get(name, ()))


def always_succeeds(program, name):
    """Whether a function returns nothing but the vendor's code for success."""
    found = [plain(child) for cursor in program.bodies.get(name, ()) for node in program.function(cursor).node.all("RETURN_STMT") for child in node.children]
    return bool(found) and all(re.search(r"(?i)success$", node.name) and node.kind == "DECL_REF_EXPR" for node in found)


def only_asks(program, name, depth=3):
    """Whether a function calls of the runtime nothing but what asks for a property, and so fails only after an earlier error."""
    functions = [program.function(cursor) for cursor in program.bodies.get(name, ())]
    asking = [call_name(call) for function in functions for call in function.calls if is_error(call.type) or api(call_name(call))]
    return depth > 0 and bool(asking) and not any(map(all_launches, functions)) and all(
        QUESTIONS.fullmatch(api(each)) or only_asks(program, each, depth - 1) for each in asking)


ASKS = re.compile(r"cu[A-Z]\w*Get[A-Z]\w*")  # a call of the driver that asks, in a program that has it itself


def asks_for_size(function, call):
    """Whether a call passes no memory but a variable for a size, as the first call of CUB's functions does."""
    given = [plain(argument) for argument in call_arguments(call) if not argument.left_out]
    return len(given) > 1 and is_null(function, given[0]) and (
        re.search(r"(?i)size|bytes", " ".join(given[1].names())) is not None) and function.value(given[1]) is None


def is_null(function, node):
    node = function.resolve(node)
    return node.kind in ("CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR") or node.kind == "INTEGER_LITERAL" and node.value == 0


ARCHITECTURE = re.compile(r"(?i)(sm|ptx)_?(version|arch)|\w*cuda_?arch\w*|(cc_?)?major|compute_?cap\w*|arch")
OLDEST = {1: 5, 2: 50, 3: 500}  # CUDA 12 runs on compute capability 5.0 and later, which programs write as 5, 50 or 500


def for_old_gpu(function, call):
    """Whether a call stands in a branch for GPUs that CUDA no longer supports."""
    inner = call
    for above in call.above():
        if above.kind == "IF_STMT" and len(above.children) > 1 and inner is not above.children[0]:
            test = plain(above.children[0])
            bound = function.value(test.children[1]) if test.name in ("<", "<=", ">=", ">") and len(test.children) == 2 else None
            oldest = OLDEST.get(len(str(bound))) if bound is not None else None
            if oldest and any(map(ARCHITECTURE.fullmatch, test.children[0].names())):
                if test.name in ("<", "<=") and inner is above.children[1] and bound <= oldest - (test.name == "<="):
                    return True
                if test.name in (">", ">=") and inner is above.children[-1] is not above.children[1] and bound <= oldest - (test.name == ">"):
                    return True
        inner = above
    return False


def is_said(program, name):
    """Whether a function that returns a status prints something if there is an error, so that the user learns of it."""
    prints = ("printf", "fprintf", "perror", "puts", "fputs", "operator<<", "print", "println")
    for cursor in program.bodies.get(name, ()):
        for node in program.function(cursor).node.all("IF_STMT"):
            if len(node.children) > 1 and any(is_error(inner.type) for inner in node.children[0].walk() if inner.cursor.kind.is_expression()) and any(
                    call_name(call) in prints or re.search(r"(?i)log|warn|error", call_name(call)) and not api(call_name(call))
                    for branch in node.children[1:] for call in branch.all("CALL_EXPR")):
                return True
    return False


ASSERTS = re.compile(rb"\b(assert|(ASSERT|EXPECT)_\w+|REQUIRE|CHECK_(EQ|NE|LT|LE|GT|GE|NEAR))\s*\(")


def asserts_later(program, function, call):
    """Whether a test asserts something behind a dropped call: a call that fails is found there."""
    return ASSERTS.search(program.source[call.end:function.node.end]) is not None


def is_found_later(program, function, call):
    """Whether the last error is read behind a dropped call, which then has it. A function that reads it itself has cleared it."""
    return is_runtime_error(call.type) and not program.call_reaches(call, is_look) and (
        looked_at(program, function, call) or callers_look(program, function))


def is_runtime_error(kind_of):
    return kind_of.spelling.replace("enum ", "").replace("const ", "") in ("cudaError_t", "cudaError", "hipError_t")


@rule("D08", "a wrapper's result dropped")
def dropped(program):
    found, harmless = {}, set()
    for function in program.functions:
        if function.node.kind == "DESTRUCTOR" or function.on_device:
            continue  # which cannot return it, and must not throw; or a kernel, which has nobody to tell
        for call in function.calls:
            name = call_name(call)
            if name in program.bodies and is_error(call.type) and is_dropped(call) and is_statement(program, call) and \
                    not ends_itself(program, name) and not always_succeeds(program, name) and \
                    not after_failure(call) and not asks_for_size(function, call) and not for_old_gpu(function, call):  # the branch has an error already
                found.setdefault(name, []).append(call)
                if is_found_later(program, function, call) or asserts_later(program, function, call):
                    harmless.add(call)
    for name, calls in found.items():
        all_harmless = is_runtime(program) or ASKS.fullmatch(name) or QUESTIONS.fullmatch(api(name)) or only_asks(program, name) or is_said(program, name)
        for call in calls:
            yield Found(call, f"{name} returns {call.type.spelling}, and the result is dropped",
                        "return warpsafe::result<void>, which the compiler does not let a caller drop",
                        "note" if all_harmless or call in harmless else "", kind=name)


def fails(name):
    return name in ("exit", "abort", "terminate", "_exit", "quick_exit")


@rule("D09", "throwing or ending the program from a destructor")
def destructor(program):
    for function in program.functions:
        if function.node.kind != "DESTRUCTOR":
            continue
        calls = [c for c in function.calls if api(call_name(c)) or call_name(c).startswith(("cublas", "cudnn", "cufft", "rocblas"))]
        if not calls:
            continue
        # What a `try` in the destructor catches does not leave it.
        throws = next((throw for throw in function.node.all("CXX_THROW_EXPR") if not any(
            above.kind == "CXX_TRY_STMT" and above.children and throw.order < above.children[1].order for above in throw.above())), None)
        ends = next((c for c in function.calls if fails(call_name(c))), None)
        if ends is None:
            # The checking function that receives a call's status.
            ends = next((above for c in calls for above in c.above()
                         if above.kind == "CALL_EXPR" and program.reaches(call_name(above), fails)), None)
        found = throws or ends
        if found is not None:
            # A program that ends itself at an error has ended at the first one in most cases. An exception ends any program.
            yield Found(found, f"{function.name} ends the program if {call_name(calls[0])} fails, which happens while the "
                        "program is torn down: the first error is lost",
                        "add a close() that returns the status, and ignore it in the destructor", "" if throws else "note", kind=function.name)  # one for all specialisations


def main_returns_truth(program):
    """Whether main returns a variable of type bool, such as `success`: the program's 0 then says failure."""
    returned = (plain(child) for function in program.functions if function.name == "main"
                for node in function.node.all("RETURN_STMT") for child in node.children)
    return any(value.kind == "DECL_REF_EXPR" and value.type.get_canonical().kind.name == "BOOL" and not re.search(r"(?i)fail|err|bad|wrong", value.name)
               for value in returned)


@rule("D10", "an error written to a log, and success returned")
def success_all_the_same(program):
    found = []
    if main_returns_truth(program):
        return
    for function in program.functions:
        for node in function.node.all("IF_STMT"):
            if len(node.children) < 2:
                continue
            test = node.children[0]
            if not any(is_error(inner.type) for inner in test.walk() if inner.cursor.kind.is_expression()):
                continue
            if any(inner.name == "==" for inner in test.walk()) or test.kind == "UNARY_OPERATOR":
                continue
            for call in node.children[1].all("CALL_EXPR"):
                if call_name(call) in ("exit", "_exit") and call_arguments(call) and call_arguments(call)[0].value == 0:
                    found.append(call)
    for call in found:
        yield Found(call, "the program finds the error, and exits with 0, success",
                    "call exit(EXIT_FAILURE), or return the error as a warpsafe::result", kind="exit")  # most come from a macro around every call


@rule("D11", "comparing with a vendor's code for a launch")
def vendor_code(program):
    for function in program.functions:
        for node in function.node.all("BINARY_OPERATOR"):
            if node.name in ("==", "!="):
                for side in node.children:
                    inner = plain(side)
                    if inner.kind == "DECL_REF_EXPR" and LAUNCH_ERRORS.match(inner.name):
                        yield Found(node, f"{inner.name}: the code for one mistake differs by vendor and release",
                                    "compare with Errc, which is the same everywhere: error.code() == Errc::…")
        for case in function.node.all("CASE_STMT"):
            inner = plain(case.children[0]) if case.children else None
            if inner is not None and inner.kind == "DECL_REF_EXPR" and LAUNCH_ERRORS.match(inner.name) and not any(
                    n.kind == "RETURN_STMT" and any(True for _ in n.all("STRING_LITERAL")) for n in case.walk()):
                yield Found(case, f"{inner.name}: the code for one mistake differs by vendor and release",
                            "compare with Errc, which is the same everywhere")


SWITCHES = {"CUDA_LAUNCH_BLOCKING": "G01", "HIP_LAUNCH_BLOCKING": "G02", "AMD_SERIALIZE_KERNEL": "G02",
            "HSA_OVERRIDE_GFX_VERSION": "G09"}


def environment(row):
    def find(program):
        for function in program.functions:
            for call in function.calls:
                if call_name(call) in ("setenv", "putenv", "_putenv", "SetEnvironmentVariableA"):
                    for literal in call.all("STRING_LITERAL"):
                        word = re.split(r"[=\"]", literal.name.strip('"'))[0]
                        if SWITCHES.get(word) == row:
                            yield Found(call, f"the program sets {word} for all its users",
                                        "leave it to the environment; warpsafe's errors say when it is set")
                            break
    return find


rule("G01", "CUDA_LAUNCH_BLOCKING left on")(environment("G01"))
rule("G02", "a blocking mode that hides a race")(environment("G02"))
rule("G09", "an architecture override")(environment("G09"))


@function_rule("D12", "one check after several launches", by_default=False)
def one_check(program, function):
    found = [] if function.on_device else all_launches(function)
    for first, second in zip(found, found[1:]):
        if first.form == second.form == "<<<>>>" and not any(
                function.looks(call) for call in function.calls_between(first.order, second.order)) and \
                looked_at(program, function, second.node):
            yield Found(first.node, f"the check after {second.kernel_name} cannot tell its error from {first.kernel_name}'s",
                        "write warpsafe::launch(…).value() for each launch")
