# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Row C18: programmatic dependent launch. A kernel that may begin before its predecessor has ended, and what it does
before it waits. The kernels are read as the device compiles them, because the wait is often inside `#if __CUDA_ARCH__`."""

import itertools
import re

from ..launches import launches
from ..registry import Found, rule
from ..tree import LOOPS, base_variable, call_arguments, call_name, plain

WAITS, TRIGGERS = {"cudaGridDependencySynchronize"}, {"cudaTriggerProgrammaticLaunchCompletion"}
WORDS = re.compile(rb"programmaticStreamSerializationAllowed|GridDependencySynchronize|TriggerProgrammatic|griddepcontrol")
LOADS = re.compile(r"^(__ldg|__ldc[agsv]|__ldlu|atomic\w+)$")
BARRIERS = {"__syncthreads", "__syncthreads_count", "__syncthreads_or", "__syncthreads_and"}
OF_A_THREAD = re.compile(r"threadIdx|(^|_)(tid|lane|warp|thread)(_|id|idx|$)", re.IGNORECASE)
SWITCH = re.compile(r"pdl|gdc|grid_?dep|programmatic|dependent", re.IGNORECASE)
MOST_PATHS, DEEPEST_CALL = 256, 4
MOST_WORK = 500000  # events in lists; a kernel with more is not read


class TooLarge(Exception):
    """A kernel has too many paths to list them."""


class Event:
    """What a kernel does at a node: wait, trigger, barrier, some (other threads of the block wait), read, write."""

    def __init__(self, what, node, key=None):
        self.what, self.node, self.key = what, node, key


class Reader:
    """Lists a kernel's paths, each a list of events. Loops run once, or twice if they wait or trigger in an iteration of
    their own; calls of functions in the source are followed."""

    def __init__(self, program):
        self.program = program
        self.left = MOST_WORK
        self.rounds = {}  # the variables of the loops around a statement -> whether it is their first round

    def paths(self, function):
        """The paths of a kernel; none if it is too large."""
        self.left = MOST_WORK
        self.rounds.clear()
        try:
            return self.whole(function)
        except TooLarge:
            return []

    def whole(self, function):
        return self.body(function, {p.cursor.hash: p.name for p in function.parameters}, 0) if function.body else []

    def body(self, function, keys, depth):
        # What a constructor initialises comes before its body.
        first = [c for c in function.node.children if c.cursor.kind.is_expression()] if function.node.kind == "CONSTRUCTOR" else []
        paths = self.join(first, function, keys, depth)
        return [path + more for path in paths for more, _ in self.run(function.body, function, keys, depth)][:MOST_PATHS]

    def run(self, node, function, keys, depth):
        """The paths through a statement, each with whether it returns from the function."""
        if node.kind == "RETURN_STMT":
            return [(path, True) for path in self.evaluate(node, function, keys, depth)]
        if node.kind == "IF_STMT":
            return self.branch(node, function, keys, depth)
        if node.kind == "FOR_STMT":
            return self.loop(node, function, keys, depth)
        if node.kind in LOOPS or node.kind in ("COMPOUND_STMT", "CXX_TRY_STMT", "SWITCH_STMT", "CASE_STMT", "DEFAULT_STMT"):
            return self.sequence(node.children, function, keys, depth)
        return [(path, False) for path in self.evaluate(node, function, keys, depth)]

    def sequence(self, nodes, function, keys, depth):
        paths = [([], False)]
        for node in nodes:
            if all(ended for _, ended in paths):
                break
            following = self.run(node, function, keys, depth)
            paths = list(itertools.islice(itertools.chain.from_iterable(
                [(path, True)] if ended else ((path + more, end) for more, end in following) for path, ended in paths),
                MOST_PATHS))
        return paths

    def loop(self, node, function, keys, depth):
        variables = [v for v in node.children[0].all("VAR_DECL")] if node.children[0].kind == "DECL_STMT" else []
        own = {v.cursor.hash for v in variables}
        chooses = any(used.target in own for inner in node.all("IF_STMT") for used in inner.children[0].all("DECL_REF_EXPR"))
        paths = [([], False)]
        for first in (True, False) if chooses else (True,):
            self.rounds.update((variable, first) for variable in own)
            following = self.sequence(node.children, function, keys, depth)
            paths = [(path + more, end) for path, ended in paths if not ended for more, end in following][:MOST_PATHS] + \
                [(path, True) for path, ended in paths if ended]
        for variable in own:
            self.rounds.pop(variable, None)
        return paths

    def in_this_round(self, condition, function):
        """Whether a condition on the variable of a loop holds: in the first round by its value, in later ones if it did
        not. None if it is no such condition."""
        condition = plain(condition)
        used = [n for n in condition.all("DECL_REF_EXPR") if n.target in self.rounds]
        if not used:
            return None
        start = function.variables[used[0].target].start if used[0].target in function.variables else None
        start = function.value(start) if start is not None else None
        sides = condition.children if condition.kind == "BINARY_OPERATOR" and len(condition.children) == 2 else []
        values = [start if plain(side).target == used[0].target else function.value(side) for side in sides]
        compare = {"==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, ">": int.__gt__, "<=": int.__le__, ">=": int.__ge__}
        if len(used) == 1 and condition.name in compare and None not in values:
            return compare[condition.name](*values) == self.rounds[used[0].target]
        return None

    def branch(self, node, function, keys, depth):
        condition, *sides = node.children
        before = self.evaluate(condition, function, keys, depth)
        sides = [self.run(side, function, keys, depth) for side in sides[:2]]
        if len(sides) == 1:
            sides.append([([], False)])
        waits = [any(event.what == "wait" for path, _ in side for event in path) for side in sides]
        acts = [any(event.what in ("wait", "trigger") for path, _ in side for event in path) for side in sides]
        in_round = self.in_this_round(condition, function)
        if acts[0] != acts[1] and in_round is not None:
            sides = [sides[0] if in_round else sides[1]]
        elif acts[0] != acts[1] and is_switch(condition, function):
            sides = [sides[0] if acts[0] else sides[1]]
        elif waits[0] != waits[1] and is_of_a_thread(condition, function):
            lacking = 1 if waits[0] else 0
            sides[lacking] = [([Event("some", node)] + path, ended) for path, ended in sides[lacking]]
        return [(first + path, ended) for first in before for side in sides for path, ended in side][:MOST_PATHS]

    def evaluate(self, node, function, keys, depth):
        """The paths through an expression or a declaration, in the order of evaluation."""
        kind = node.kind
        if kind == "ASM_STMT" or kind == "UNKNOWN":
            words = " ".join(token.spelling for token in node.cursor.get_tokens()) if kind == "ASM_STMT" else ""
            found = [Event("wait", node)] if "griddepcontrol.wait" in words else []
            found += [Event("trigger", node)] if "griddepcontrol.launch_dependents" in words else []
            return [found]
        if kind == "LAMBDA_EXPR":
            return [[]]
        if kind == "CALL_EXPR":
            return self.call(node, function, keys, depth)
        if kind == "BINARY_OPERATOR" and node.name == "=" or kind == "COMPOUND_ASSIGNMENT_OPERATOR":
            left, right = node.children[0], node.children[-1]
            paths = self.join([right] + list(plain(left).children), function, keys, depth)
            key = accessed(plain(left), function, keys)
            kinds = () if key is None else ("write",) if kind == "BINARY_OPERATOR" else ("read", "write")
            return [path + [Event(what, left, key) for what in kinds] for path in paths]
        paths = self.join(node.children, function, keys, depth)
        key = accessed(node, function, keys)
        return paths if key is None or is_address(node) else [path + [Event("read", node, key)] for path in paths]

    def join(self, nodes, function, keys, depth):
        paths = [[]]
        for node in nodes:
            more = self.evaluate(node, function, keys, depth) if not node.kind.endswith("_STMT") or node.kind == "ASM_STMT" \
                else [path for path, _ in self.run(node, function, keys, depth)]
            paths = [path + other for path in paths for other in more][:MOST_PATHS]
            self.left -= 1 + sum(map(len, paths))
            if self.left < 0:
                raise TooLarge
        return paths

    def call(self, node, function, keys, depth):
        name, arguments = call_name(node), call_arguments(node)
        paths = self.join(node.children, function, keys, depth)
        if name in WAITS or name in TRIGGERS or name in BARRIERS:
            what = "wait" if name in WAITS else "trigger" if name in TRIGGERS else "barrier"
            return [path + [Event(what, node)] for path in paths]
        if LOADS.match(name):
            pointers = [key_of(argument, function, keys) for argument in arguments[:1]]
            whats = ("read", "write") if name.startswith("atomic") else ("read",)
            return [path + [Event(what, node, key) for key in pointers if key for what in whats] for path in paths]
        constructs = node.cursor.referenced is not None and node.cursor.referenced.kind.name == "CONSTRUCTOR"
        if constructs:
            arguments = [child for child in node.children if child.cursor.kind.is_expression()]
        inside = self.called(name, arguments) if depth < DEEPEST_CALL else None
        if inside is None:
            return paths
        given = {p.cursor.hash: key_of(argument, function, keys) for p, argument in zip(inside.parameters, arguments)}
        given = {parameter: key for parameter, key in given.items() if key is not None}
        # What happens inside is reported at the call.
        bodies = [[Event(event.what, node, event.key) for event in path] for path in self.body(inside, given, depth + 1)]
        return [path + body for path in paths for body in bodies][:MOST_PATHS]

    def called(self, name, arguments):
        """The function with that name and number of parameters, if its body is in the source and it is the only one."""
        found = [self.program.function(cursor) for cursor in self.program.bodies.get(name, [])]
        found = [one for one in found if one.body and not one.is_kernel and len(one.parameters) == len(arguments)]
        return found[0] if len(found) == 1 else None


def key_of(node, function, keys, depth=8):
    """The kernel's parameter, or its member, behind a pointer or an object: `x`, `params.x`; or None."""
    node = plain(node)
    if node.kind == "DECL_REF_EXPR":
        if node.target in keys:
            return keys[node.target]
        variable = function.variables.get(node.target)
        if variable is None or variable.start is None or not depth:
            return None
        return key_of(variable.start, function, keys, depth - 1)
    if node.kind == "MEMBER_REF_EXPR" and node.children:
        owner = key_of(node.children[0], function, keys, depth)
        return None if owner is None else f"{owner}.{node.name}"
    if node.kind == "CALL_EXPR" and len(node.children) == 1:  # a copy
        return key_of(node.children[0], function, keys, depth)
    inner = [child for child in node.children if child.cursor.kind.is_expression()]
    if node.kind == "BINARY_OPERATOR" and node.name in ("+", "-") or node.kind in ("ARRAY_SUBSCRIPT_EXPR", "UNARY_OPERATOR"):
        return key_of(inner[0], function, keys, depth) if inner else None
    return None


def accessed(node, function, keys):
    """The memory that a node itself accesses: an element, what a pointer points to; or None."""
    if not node.children:
        return None
    if node.kind == "ARRAY_SUBSCRIPT_EXPR" or node.kind == "UNARY_OPERATOR" and is_dereference(node):
        return key_of(node.children[0], function, keys)
    if node.kind == "MEMBER_REF_EXPR" and plain(node.children[0]).type.get_canonical().kind.name == "POINTER":
        return key_of(node.children[0], function, keys)
    return None


def is_dereference(node):
    below = node.children[0].type.get_canonical()
    own = node.type.get_canonical()
    return below.kind.name == "POINTER" and own == below.get_pointee() or \
        below.kind.name in ("DEPENDENT", "UNEXPOSED") and node.name == "*" or \
        below.kind.name == "POINTER" and node.name == "*"


def is_address(node):
    """Whether an element is only named to take its address."""
    above = node.parent
    while above is not None and above.kind in ("PAREN_EXPR", "UNEXPOSED_EXPR"):
        above = above.parent
    return above is not None and above.kind == "UNARY_OPERATOR" and above.name == "&"


def words_of(node, function, depth=4):
    """The names in an expression, and in the initial values of its variables."""
    names = set(node.names())
    for used in node.all("DECL_REF_EXPR"):
        variable = function.variables.get(used.target)
        if variable is not None and variable.start is not None and depth:
            names |= words_of(variable.start, function, depth - 1)
    return names


def is_of_a_thread(condition, function):
    return any(OF_A_THREAD.search(name) for name in words_of(condition, function))


def is_switch(condition, function):
    """Whether a condition turns dependent launch on or off, and so does not tell threads or data apart."""
    names = words_of(condition, function)
    if any(SWITCH.search(name) for name in names):
        return True
    used = [n.cursor.referenced for n in condition.all("DECL_REF_EXPR")]
    return all(to is not None and to.kind.name == "TEMPLATE_NON_TYPE_PARAMETER" for to in used)


def waited(path):
    """The number of the event that makes the path's thread wait, or None: a wait, or a barrier with a thread that waits."""
    some = False
    for number, event in enumerate(path):
        if event.what == "wait" or event.what == "barrier" and some:
            return number
        some = some or event.what == "some"
    return None


class Step:
    """One launch of a host function."""

    def __init__(self, node, kernel, arguments, dependent):
        self.node, self.kernel, self.arguments, self.dependent = node, kernel, arguments, dependent


def is_dependent(function, config, assignments):
    """Whether a launch's configuration has the attribute."""
    if not assignments:
        return False
    found = base_variable(config)
    variable = function.variables.get(found.target) if found is not None else None
    if variable is None or variable.node.kind == "PARM_DECL" or variable.start is not None and \
            plain(variable.start).children:
        return True
    return "attrs" in variable.members


def steps(program, function):
    """A host function's launches of kernels in the source, in their order."""
    assignments = [node for node in function.node.all("BINARY_OPERATOR") if sets_attribute(node, function)]
    found = []
    for launch in launches(function):
        if launch.kernel is not None and call_name(launch.node) != "cudaLaunchKernelEx":  # these follow, with their attributes
            found.append(Step(launch.node, launch.kernel.function, launch.arguments or [], False))
    for call in function.calls:
        slots = call_arguments(call)
        if call_name(call) != "cudaLaunchKernelEx" or len(slots) < 2:
            continue
        kernel = kernel_in(program, slots[1], len(slots) - 2)
        if kernel is not None:
            before = [node for node in assignments if node.order < call.order]
            found.append(Step(call, kernel, slots[2:], is_dependent(function, slots[0], before)))
    return sorted(found, key=lambda step: step.node.order)


def kernel_in(program, node, count):
    """The kernel that an argument names, if its source is here and there is one with so many parameters; or None."""
    for name in node.all("DECL_REF_EXPR", "OVERLOADED_DECL_REF"):
        found = [k for k in program.kernels.get(name.name, []) if k.body and len(k.parameters) == count]
        named = name.cursor.referenced
        definition = named.get_definition() if named is not None else None
        same = [k for k in found if definition is not None and k.cursor == definition]
        if len(same or found) == 1:
            return (same or found)[0]
    return None


def sets_attribute(node, function):
    left = node.children[0] if node.children else None
    return node.name == "=" and left is not None and left.kind == "MEMBER_REF_EXPR" and \
        left.name == "programmaticStreamSerializationAllowed" and function.value(node.children[1]) != 0


def variable_behind(function, step, key):
    """The host's variable behind a parameter of the launched kernel, or behind a member of it; or None."""
    name, *members = key.split(".")
    names = [p.name for p in step.kernel.parameters]
    if name not in names or names.index(name) >= len(step.arguments):  # a default argument
        return None
    found = base_variable(step.arguments[names.index(name)])
    if found is not None and members:
        variable = function.variables.get(found.target)
        values = variable.members.get(members[0], []) if variable is not None else []
        found = base_variable(values[-1]) if values else None
    return found


def triggers_first(path):
    """Whether the kernel after this one may begin before this one has waited."""
    acts = [event.what for event in path if event.what in ("wait", "trigger")]
    return acts[:1] == ["trigger"]


def used_by(function, step, paths, what):
    """The host's variables whose memory a launch reads or writes, as hashes."""
    keys = {event.key for path in paths for event in path if event.what == what and event.key}
    found = [variable_behind(function, step, key) for key in keys]
    return {node.target for node in found if node is not None}


@rule("C18", "a dependent launch of a kernel that uses its input before it waits")
def dependent(program):
    if not WORDS.search(program.source):
        return
    program = program.device_view()
    if program is None:
        return  # a wait may be in what is missing
    reader = Reader(program)
    known = {}

    def paths_of(function):
        if function.cursor.hash not in known:
            known[function.cursor.hash] = reader.paths(function)
        return known[function.cursor.hash]

    def waits(function):
        """Whether a kernel waits; one that could not be read is taken to."""
        paths = paths_of(function)
        return not paths or any(event.what == "wait" for path in paths for event in path)

    kernels = [kernel for same in program.kernels.values() for kernel in same]
    launched = False
    for function in program.functions:
        all_steps = steps(program, function)
        for number, step in enumerate(all_steps):
            if not step.dependent:
                continue
            launched = True
            before = all_steps[:number]
            if not waits(step.kernel):
                yield from never(step, before, paths_of)
            else:
                yield from early(program, function, step, before, paths_of, waits)
    for kernel in kernels:
        if kernel.cursor.location.file and kernel.cursor.location.file.name == program.file:
            yield from one_path(program, kernel, paths_of(kernel))
    if launched or not kernels or any(waits(kernel) for kernel in kernels):
        return
    for function in program.functions:
        for node in function.node.all("BINARY_OPERATOR"):
            if sets_attribute(node, function) and function.value(node.children[1]):
                yield Found(node, "the kernel may start before its input is written, and no kernel in this file waits for it",
                            "call cudaGridDependencySynchronize() in the kernel; warpsafe::dependent_launch requires a kernel "
                            "that waits")


def never(step, before, paths_of):
    """A launch of a kernel that does not wait, and the trigger of the kernel before it."""
    paths = paths_of(step.kernel)
    if not any(event.key for path in paths for event in path):
        return
    yield Found(step.node, f"{step.kernel.name} may start before the kernel before it has ended, and neither it nor "
                "the functions that it calls wait, as compiled with this file's flags",
                "call cudaGridDependencySynchronize() in it before the first use of global memory, or launch it without the "
                "attribute")
    yield from trigger(step, before, paths_of)


def trigger(step, before, paths_of):
    if not before:
        return
    for path in paths_of(before[-1].kernel):
        at = next((n for n, event in enumerate(path) if event.what == "trigger"), None)
        late = [event for event in path[at:] if event.what == "write"] if at is not None else []
        if late:
            yield Found(path[at].node, f"{step.kernel.name} does not wait before it uses memory, and may start from here on, before "
                        f"{before[-1].kernel.name} has written {late[-1].key}",
                        f"let {step.kernel.name} wait first; or call __syncthreads() and trigger after the last write, which hides "
                        "the missing wait and makes no write visible")
            return


def early(program, function, step, before, paths_of, waits):
    """Accesses before the wait to what a kernel writes that may still run."""
    written, still_read = set(), set()
    for earlier in reversed(before):
        paths = paths_of(earlier.kernel)
        written |= used_by(function, earlier, paths, "write")
        if any(event.what == "trigger" for path in paths for event in path):
            still_read |= used_by(function, earlier, paths, "read")
        if not earlier.dependent or waits(earlier.kernel) and not any(triggers_first(path) for path in paths):
            break
    told = set()
    for path in paths_of(step.kernel):
        end = waited(path)
        for event in path[:end]:
            behind = variable_behind(function, step, event.key) if event.key and event.key not in told else None
            too_early = written if event.what == "read" else written | still_read
            if end is None or behind is None or behind.target not in too_early:
                continue
            told.add(event.key)
            verb = "reads" if event.what == "read" else "writes"
            does = "writes" if behind.target in written else "may still read"
            yield Found(event.node, f"{step.kernel.name} {verb} {event.key} before it waits, and a kernel launched before it {does} it",
                        "move cudaGridDependencySynchronize() before this access")
    if told:
        yield from trigger(step, before, paths_of)


def one_path(program, kernel, paths):
    """An access on a path that never waits, to memory that other paths access after their wait."""
    after = {event.key for path in paths if waited(path) is not None for event in path[waited(path):] if event.key}
    told = set()
    for path in paths:
        end = waited(path)
        some = next((n for n, event in enumerate(path) if event.what == "some"), None)
        if end is None:
            unordered = path
        elif path[end].what == "barrier":
            unordered = path[some:end]  # while other threads of the block wait
        else:
            continue
        for event in unordered:
            if event.key in after and event.key not in told:
                told.add(event.key)
                yield Found(event.node, f"{kernel.name} uses {event.key} on a path that never waits, and waits for it on another",
                            "call cudaGridDependencySynchronize() before the paths diverge, or on both")
                break
