# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The launches of a file, in every spelling, and what the source shows of a kernel."""

import functools
import math
import re

from . import tree
from .function import api
from .index import text_of
from .tree import LOOPS, call_arguments, call_name, is_integer, operands, plain

PUSH = ("__cudaPushCallConfiguration", "__hipPushCallConfiguration", "cudaConfigureCall")
CALLED = ("LaunchKernel", "LaunchCooperativeKernel")
# Launches with a number for each axis: the function, three numbers of the grid, three of the block, bytes, stream.
NUMBERS = ("cuLaunchKernel", "cuLaunchCooperativeKernel", "hipModuleLaunchKernel", "hipModuleLaunchCooperativeKernel")
# Launches that take a struct: the position of its address, and of the kernel if it is an argument.
STRUCTS = {"cudaLaunchKernelEx": (0, 1), "cudaLaunchKernelExC": (0, 1), "hipLaunchKernelExC": (0, 1), "cuLaunchKernelEx": (0, 1),
           "cudaGraphAddKernelNode": (4, None), "hipGraphAddKernelNode": (4, None), "cuGraphAddKernelNode": (4, None),
           "cuGraphAddKernelNode_v2": (4, None), "cudaGraphKernelNodeSetParams": (1, None), "hipGraphKernelNodeSetParams": (1, None),
           "cudaGraphExecKernelNodeSetParams": (2, None), "hipGraphExecKernelNodeSetParams": (2, None)}
READS = re.compile(r"(std::)?(atoi|atol|atoll|strtou?ll?|stou?ll?|stoi)")  # numbers of the program's input
SIZES = ("dynamicSmemBytes", "sharedMemBytes")


class Kernel:
    """A kernel, as far as its source describes it."""

    def __init__(self, function):
        self.function, self.name = function, function.name
        self.parameters = function.parameters
        self.node, self.body = function.node, function.body

    @functools.cached_property
    def names(self):
        return self.body.names() if self.body else set()

    @functools.cached_property
    def strides(self):
        """Whether it reads the grid's size, and may therefore handle several items per thread."""
        return "gridDim" in self.names or "this_grid" in self.names or "num_threads" in self.names

    @functools.cached_property
    def loops(self):
        return any(True for _ in self.node.all(*LOOPS))

    @functools.cached_property
    def compares(self):
        return any(node.kind in ("IF_STMT", "CONDITIONAL_OPERATOR", "SWITCH_STMT") or node.name in
                   ("<", ">", "<=", ">=", "==", "!=", "&&", "||", "%") for node in self.body.walk())

    @functools.cached_property
    def guards(self):
        """Whether it compares an index that is computed from threadIdx or blockIdx."""
        return self._compares_index({"threadIdx", "blockIdx", "thread_rank"})

    @functools.cached_property
    def guards_items(self):
        """Whether it compares an index that is computed from blockIdx: it is made for a rest of the items."""
        return self._compares_index({"blockIdx", "thread_rank"})

    def _compares_index(self, indices):
        for _ in range(2):
            indices |= {node.name for node in self.node.all("VAR_DECL") if is_integer(node.type) and indices & node.names()}
        return any(node.name in ("<", ">", "<=", ">=") and any(map(indices.isdisjoint, map(tree.Node.names, node.children))) and indices & node.names()
                   for node in self.body.walk() if node.kind == "BINARY_OPERATOR")  # not of two indices

    @functools.cached_property
    def dynamic_shared(self):
        """The variable of dynamic shared memory, or None."""
        for node in self.node.all("VAR_DECL"):
            if self.is_shared(node) and node.type.kind.name == "INCOMPLETEARRAY":
                return node
        return None

    @functools.cached_property
    def needs_dynamic_shared(self):
        """Whether every instance uses the dynamic shared memory: at least one use is not in a branch that a template
        argument or the parameters alone decide."""
        array = self.dynamic_shared
        if array is None:
            return False
        open_names = {child.name for child in self.node.children if child.kind.startswith("TEMPLATE_")}
        given = {parameter.name for parameter in self.parameters}
        pending, seen = [array.cursor.hash], set()
        while pending:
            target = pending.pop()
            seen.add(target)
            for use in self.node.all("DECL_REF_EXPR"):
                if use.target != target:
                    continue
                if any(self._decided(above, use, open_names, given) for above in use.above()):
                    continue
                alias = next((above for above in use.above() if above.kind == "VAR_DECL"), None)
                if alias is None or alias.type.get_canonical().kind.name not in ("POINTER", "LVALUEREFERENCE"):
                    return True
                if alias.cursor.hash not in seen:
                    pending.append(alias.cursor.hash)
        return False

    @staticmethod
    def _decided(above, use, open_names, given):
        """Whether a branch around a use depends on names that are constants of an instance or of the program, or on arguments
        of the launch alone."""
        if above.kind not in ("IF_STMT", "CONDITIONAL_OPERATOR") or not above.children:
            return False
        test = above.children[0]
        inside_test = test.order <= use.order < above.children[1].order if len(above.children) > 1 else True
        names = test.names()
        return not inside_test and (bool(open_names & names) or test.value is not None or bool(names) and names <= given)

    @functools.cached_property
    def has_own_sizes(self):
        """Whether it takes pointers only, and computes with numbers of its own: it is written for one size."""
        return not {"blockDim", "gridDim"} & self.names and all(
            parameter.type.get_canonical().kind.name == "POINTER" for parameter in self.parameters) and any(
            (literal.value or 0) > 1 for literal in self.body.all("INTEGER_LITERAL"))

    @functools.cached_property
    def takes_work(self):
        """Whether its threads fetch their work from a counter, until none is left."""
        return any(call_name(call).startswith(("atomicAdd", "atomicInc", "atomicSub", "atomicDec")) for loop in self.node.all(*LOOPS)
                   for call in loop.all("CALL_EXPR"))

    @functools.cached_property
    def static_shared(self):
        """Bytes of shared memory that the kernel always has."""
        return sum(max(node.type.get_size(), 0) for node in self.node.all("VAR_DECL")
                   if self.is_shared(node) and node.type.kind.name != "INCOMPLETEARRAY")

    @staticmethod
    def is_shared(node):
        return any(child.kind == "CUDASHARED_ATTR" for child in node.children)

    @functools.cached_property
    def max_threads(self):
        """The first number of __launch_bounds__ if it is a literal, or None."""
        head = self.function.head
        found = re.search(rb"__launch_bounds__\s*\(\s*(\d+)\s*[,)]", head)
        return int(found.group(1)) if found else None

    @functools.cached_property
    def cluster(self):
        """The three numbers of __cluster_dims__; None if it has none, or if one is no constant of the kernel's file."""
        found = re.search(rb"\b(?:__)?cluster_dims(?:__)?\s*\(([^()]*)\)", self.function.head + self.function.first_head)
        values = [self._constant(word.decode(errors="replace")) for word in found[1].split(b",")] if found else [None]
        return None if None in values or len(values) > 3 else values + [1] * (3 - len(values))

    def _constant(self, text, depth=3):
        """The value of a literal, of a macro or a constant that the kernel's file defines once, or of a product of them."""
        text = text.strip().removeprefix("(").removesuffix(")").strip()
        if "*" in text:
            factors = [self._constant(part, depth) for part in text.split("*")]
            return None if None in factors else math.prod(factors)
        if re.fullmatch(r"\d+[uUlL]*", text):
            return int(text.rstrip("uUlL"))
        name = text.rpartition("::")[2]
        values = depth > 0 and re.fullmatch(r"[A-Za-z_]\w*", name) and {one or other for one, other in re.findall(
            rf"#[ \t]*define[ \t]+{name}[ \t]+(\S.*)|\bconst(?:expr)?\b[\w \t]*\b{name}\s*[={{]\s*([^;,{{}}]+)[;,}}]", text_of(self.function.cursor.location.file.name))}
        return self._constant(*values, depth - 1) if values and len(values) == 1 else None

    @functools.cached_property
    def max_threads_place(self):
        """The template parameter that __launch_bounds__ names, as its position, or None."""
        found = re.search(rb"__launch_bounds__\s*\(\s*(\w+)\s*[,)]", self.function.head)
        names = [child.name for child in self.node.children if child.kind.startswith("TEMPLATE_")]
        return names.index(found.group(1).decode()) if found and found.group(1).decode() in names else None


class Launch:
    """One launch: the nodes of its slots, None for a missing slot."""

    def __init__(self, function, node, form, callee, slots, arguments, axes=None):
        self.function, self.node, self.form, self.callee = function, node, form, callee
        self.axes = axes  # lists for grid and block, where no single expression has them
        self.in_graph = "Graph" in form
        self.grid, self.block, self.bytes, self.stream = (
            None if slot is None or slot.left_out else slot for slot in slots)
        self.arguments = arguments
        named = [n.name for n in callee.all("DECL_REF_EXPR", "OVERLOADED_DECL_REF", "MEMBER_REF_EXPR") if n.name]
        self.kernel_name = named[0] if named else "the kernel"
        self.order = node.order

    @functools.cached_property
    def kernel(self):
        """The Kernel, if its source is in this file or its includes and its name is unique; or None."""
        found = [Kernel(f) for f in self.function.program.kernels.get(self.kernel_name, [])]
        if self.arguments is not None and len(found) > 1:
            found = [k for k in found if len(k.parameters) == len(self.arguments)]
        return found[0] if len(found) == 1 and found[0].body else None

    @functools.cached_property
    def grid_axes(self):
        if self.axes is not None:
            return self.axes[0]
        return self.function.dims(self.grid) if self.grid else []

    @functools.cached_property
    def block_axes(self):
        if self.axes is not None:
            return self.axes[1]
        return self.function.dims(self.block) if self.block else []

    @functools.cached_property
    def block_values(self):
        """The block's constants: 1 for a missing axis, None for an unknown one."""
        return self._values(self.block_axes)

    @functools.cached_property
    def grid_values(self):
        """The grid's constants: 1 for a missing axis, None for an unknown one."""
        return self._values(self.grid_axes)

    def _values(self, axes):
        values = [self.function.value(axis) for axis in axes]
        if len(axes) == 1 and values[0] is None and "dim3" in plain(axes[0]).type.spelling:
            return [None, None, None]
        return (values + [1, 1, 1])[:3]

    @functools.cached_property
    def max_threads(self):
        """The first number of the kernel's __launch_bounds__, also if it is a template argument, or None."""
        if self.kernel is None or self.kernel.max_threads or self.kernel.max_threads_place is None:
            return self.kernel.max_threads if self.kernel else None
        for name in self.callee.all("DECL_REF_EXPR"):
            to = name.cursor.referenced
            if to is not None and to.get_num_template_arguments() > self.kernel.max_threads_place:
                value = to.get_template_argument_unsigned_value(self.kernel.max_threads_place)
                return value if 0 < value <= 1024 else None
        return None

    @property
    def on_default_stream(self):
        if self.axes is not None and self.stream is None:
            return False  # a node of a graph, or a struct whose stream is not seen
        return self.stream is None or self.function.value(self.stream) == 0 or plain(self.stream).kind in (
            "CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR")

    @property
    def shared_bytes(self):
        """Constant bytes of dynamic shared memory: 0 if the launch passes none, None if they are unknown."""
        if self.bytes is None:
            return 0 if self.axes is None else None
        return self.function.value(self.bytes)


def launches(function):
    found = []
    for node in function.calls:
        children = node.children
        config = children[1] if len(children) > 1 and children[1].kind == "CALL_EXPR" and \
            children[1].name in PUSH else None
        if config is not None:
            macro = re.search(rb"<<[ \t]*<", function.program.source[node.start:node.end]) is None
            slots = (call_arguments(config) + [None] * 4)[:4]
            found.append(Launch(function, node, "macro" if macro else "<<<>>>", children[0], slots, children[2:]))
        elif api(call_name(node)) in CALLED and len(children) >= 6:
            kernel, grid, block, _, size, stream = (children[1:] + [None])[:6]
            found.append(Launch(function, node, call_name(node), kernel, (grid, block, size, stream), None))
        elif call_name(node) in NUMBERS and len(children) >= 10:
            kernel, *numbers = children[1:]
            found.append(Launch(function, node, call_name(node), kernel, (numbers[0], numbers[3], numbers[6], numbers[7]), None,
                                (numbers[:3], numbers[3:6])))
        elif call_name(node) in STRUCTS:
            found += of_struct(function, node)
    return found


def members_of(function, variable):
    """The values written to a struct's members, by their path: `gridDim.x`. None for a path with several values."""
    record = variable.type.get_canonical()
    fields = [field.spelling for field in record.get_fields()]
    found = {}
    for node in function.node.walk():
        if node.kind == "VAR_DECL" and node.cursor.hash == variable.target:
            lists = [child for child in node.children if child.kind == "INIT_LIST_EXPR"]
            inner = [child for child in lists[-1].children] if lists else []
            if lists and all(child.kind != "MEMBER_REF" for entry in inner for child in entry.children):
                found.update(zip(fields, inner))
        is_write = node.kind == "BINARY_OPERATOR" and node.name == "=" or node.kind == "CALL_EXPR" and call_name(node) == "operator="
        sides = [child for child in node.children if child.cursor.kind.is_expression()] if is_write else []
        if node.kind == "CALL_EXPR" and len(sides) == 3:
            sides = [sides[0], sides[2]] if call_name(sides[1]) == "operator=" or sides[1].name == "operator=" else sides[1:]
        if len(sides) != 2:
            continue
        path, owner = [], plain(sides[0])
        while owner.kind == "MEMBER_REF_EXPR" and owner.children:
            path.insert(0, owner.name)
            owner = plain(owner.children[0])
        if path and owner.kind == "DECL_REF_EXPR" and owner.target == variable.target:
            key = ".".join(path)
            found[key] = None if key in found and "." in key else sides[1]
    return found


def of_struct(function, node):
    """The launch of a call that takes its numbers from a struct of this function; none if it is not seen."""
    place, kernel_place = STRUCTS[call_name(node)]
    arguments = call_arguments(node)
    if len(arguments) <= place:
        return []
    address = plain(arguments[place])
    variable = base_of_struct(function, address)
    if variable is None:
        return []
    members = members_of(function, variable)
    axes = []
    for what in ("gridDim", "blockDim"):
        whole = members.get(what)
        own = function.dims(whole) if whole is not None else []
        own = own if whole is None or whole.kind != "INIT_LIST_EXPR" or whole.children else []
        for number, letter in enumerate("xyz"):
            single = members.get(f"{what}.{letter}", members.get(what + letter.upper()))
            if single is not None:
                own = own + [single] * (number + 1 - len(own))
                own[number] = single
        axes.append(own)
    kernel = arguments[kernel_place] if kernel_place is not None and len(arguments) > kernel_place else members.get("func")
    size = next((members[name] for name in SIZES if members.get(name) is not None), None)
    first = [own[0] if own else None for own in axes]
    launch = Launch(function, node, call_name(node), kernel if kernel is not None else node, (*first, size, members.get("stream")), None,
                    tuple(axes))
    return [launch]


def base_of_struct(function, address):
    """The struct variable that a call takes by its address or by a reference."""
    inner = plain(address.children[0]) if address.kind == "UNARY_OPERATOR" and address.children else address
    if inner.kind == "DECL_REF_EXPR" and inner.type.get_canonical().kind.name == "RECORD":
        return inner
    return None


def signed_terms(function, node, sign=1):
    """The terms of a sum, each with its sign."""
    node = function.resolve(node)
    for operator, factor in (("+", 1), ("-", -1)):
        sides = operands(node, operator)
        if sides:
            return signed_terms(function, sides[0], sign) + signed_terms(function, sides[1], sign * factor)
    return [(sign, node)]


class RoundUp:
    """A division that accounts for the remainder: `(n + B - 1) / B` in any order, `(n - 1) / B + 1`, or `n / B + (n % B != 0)`."""

    def __init__(self, node, count, block, total, kind=None):
        self.node, self.count, self.block = node, count, block
        self.total = total  # the sum that can overflow, or None
        self.kind = kind or (total.type.get_canonical() if total is not None else None)  # the type of the sum


def round_up(function, axis, depth=2):
    """The RoundUp that an expression is, also through a function that returns one; or None."""
    node = function.resolve(axis)
    one = operands(node, "+")
    if one:
        for division, other in (one, one[::-1]):
            inner = function.resolve(division)
            halves = operands(inner, "/") or operands(inner, ">>")
            if halves and function.value(other) == 1:
                terms = signed_terms(function, halves[0])
                if len(terms) == 2 and any(sign < 0 and function.value(term) == 1 for sign, term in terms):
                    return RoundUp(node, terms[0][1], halves[1], None)
            if operands(inner, "/") and is_one_for_rest(function, other, halves):
                return RoundUp(node, halves[0], halves[1], None)
    halves = operands(node, "/") or operands(node, ">>")
    if halves:
        return round_up_of_sum(function, node, *halves)
    if node.kind == "CALL_EXPR" and depth:
        return round_up_of_call(function, node, depth)
    return None


def is_one_for_rest(function, node, halves):
    """Whether a number is 1 if a division has a remainder, and else 0: `n % B != 0`, or `n % B ? 1 : 0`."""
    node = function.resolve(node)
    test = node
    if node.kind == "CONDITIONAL_OPERATOR" and len(node.children) == 3:
        test = plain(node.children[0])
        if [function.value(arm) for arm in node.children[1:]] != ([0, 1] if test.name == "==" else [1, 0]):
            return False
    rest = operands(test, "!=") or operands(test, ">") or operands(test, "==")
    rest = operands(plain(rest[0]), "%") if rest and function.value(rest[1]) == 0 and (test is not node or test.name != "==") else operands(test, "%") if test is not node else None
    return bool(rest) and all(same_text(function.program, one, other) for one, other in zip(rest, halves))


def round_up_of_sum(function, node, top, bottom):
    terms = signed_terms(function, top)
    if len(terms) < 2:
        return None
    block = function.value(bottom)
    block = 1 << block if node.name == ">>" and block is not None and block < 32 else block
    constant = sum(sign * function.value(term) for sign, term in terms if function.value(term) is not None)
    open_terms = [(sign, term) for sign, term in terms if function.value(term) is None]
    program = function.program
    blocks = [term for sign, term in open_terms if sign > 0 and block is None and
              same_text(program, term, function.resolve(bottom))]
    counts = [term for sign, term in open_terms if sign > 0 and not any(term is each for each in blocks)]
    if any(sign < 0 for sign, _ in open_terms) or len(counts) != 1:
        return None
    if block is not None and constant == block - 1 or blocks and constant == -1:
        return RoundUp(node, counts[0], bottom, function.resolve(top))
    return None


def round_up_of_call(function, node, depth):
    cursors = function.program.bodies.get(call_name(node), ())
    for cursor in cursors:
        callee = function.program.function(cursor)
        returns = [child for child in callee.node.all("RETURN_STMT") if child.children]
        if len(returns) != 1:
            continue
        inner = round_up(callee, returns[0].children[0], depth - 1)
        if inner is not None:
            by_name = dict(zip((parameter.name for parameter in callee.parameters), call_arguments(node)))
            count, block = (by_name.get(plain(part).name) for part in (inner.count, inner.block))
            if block is None and inner.block.value is not None:
                block = inner.block  # a constant of the callee
            kind = type_in_instance(callee, inner.total, node.cursor.referenced) if inner.total is not None else None
            return RoundUp(node, count or node, block or node, inner.total, kind)
    return None


def type_in_instance(callee, total, instance):
    """The type of a sum in a template's instance: that of the widest term, of an unsigned one before a signed one."""
    given = {} if instance is None else {parameter.cursor.hash: each.type.get_canonical() for parameter, each in zip(callee.parameters, instance.get_arguments() or ())}
    kinds = [given.get(node.target) or node.type.get_canonical() for node in total.walk() if node.cursor.kind.is_expression()]
    kinds = [kind.get_pointee().get_canonical() if kind.kind.name == "LVALUEREFERENCE" else kind for kind in kinds]
    own = total.type.get_canonical()
    return own if is_integer(own) else max(filter(is_integer, kinds), key=lambda kind: (kind.get_size(), kind.kind.name.startswith("U")), default=own)


def rounded_up(function, node):
    """Whether an axis of a grid is a division that accounts for the remainder."""
    if round_up(function, node) is not None:
        return True
    node = function.resolve(node)
    sides = operands(node, "/") or operands(node, ">>")
    if not sides:
        return False
    top = function.resolve(sides[0])
    return top.kind == "BINARY_OPERATOR" and top.name in ("+", "-") or top.kind == "CALL_EXPR" and not READS.fullmatch(
        call_name(top)) and bool(call_arguments(top))  # x.size() rounds nothing


def same_text(program, one, other):
    first, second = (re.sub(r"\s", "", program.text(plain(node))) for node in (one, other))
    return first == second != ""


def is_of_caller(function, node):
    """Whether an expression is a parameter of the function or a member of one: its value is the caller's choice."""
    node = function.resolve(node)
    while node.kind == "MEMBER_REF_EXPR" and node.children:
        node = plain(node.children[0])
    return node.kind == "DECL_REF_EXPR" and any(parameter.cursor.hash == node.target for parameter in function.parameters)
