# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What decides a size of a launch: a count of the data or the program's input, which may grow without a limit, or something
that the source does not show, such as the choice of a caller."""

import dataclasses
import math
import operator
import re

from .. import index
from ..launches import round_up
from ..tree import base_variable, call_arguments, call_name, is_integer, plain


@dataclasses.dataclass(frozen=True)
class Source:
    """What decides a size: as the source writes it, and whether it grows with the data or the program's input. `values` are all
    that it can be, if the callers of a function show them, else empty. `named`: only a name says that it is a count. `read`: the
    source shows that the program reads it, from its arguments or its input."""

    text: str
    grows: bool = False
    values: tuple = ()
    named: bool = False
    read: bool = False

    @property
    def most(self):
        return max(self.values, default=None)


# Names of counts of the data, and words of the names of a launch's own numbers.
COUNT = re.compile(r"(?:[a-z]+_)?(?:[nmkNMK]|[Nn]um[A-Z_]\w*|[nN]_\w+|[nN](?:of)?[A-Z]\w*|nb_?[A-Za-z]\w*|num\w+|len|length|count|cnt|size|sz|"
                   r"(?:n?(?:rows?|cols?|columns?|width|height|points?|vertices|particles|atoms|elements|items|samples|nodes|edges|batch(?:es)?)))_?|"
                   r"\w+(?:_|(?=[A-Z]))(?:count|Count|size|Size|len|Len|length|Length|num|Num|cnt|rows?|Rows?|cols?|Cols?)_?|\w+(?:length|count)_?")
OWN = re.compile(r"(?i)block|blc?k|thread|grid|warp|wave|tile|group|tpb|bdim|gdim|dim3|lane|chunk|shared|smem|stream|device|gpu|sm_?count|proc|kernel|"
                 r"channel|bits?(_|$)|byte|max|limit|window|radius|filter")
MEMBERS = ("size", "length", "numel", "rows", "cols", "count", "Size", "Length", "Count")
READERS = re.compile(r"(std::)?(atoi|atol|atoll|strtol|strtoul|strtoull|stoi|stol|stoul|stoull|scanf|fscanf|sscanf|getenv|from_chars)")
INPUTS = re.compile(r"\b(atoi|atoll?|strtou?ll?|stou?ll?|stoi|argv|s?f?scanf)\b")
READ = re.compile(r"\b(atoi|atoll?|strtou?ll?|stou?ll?|stoi|argv|s?f?scanf)\b|(\.|->)(size|length|numel|rows|cols)\s*\(")
CONSTANT = re.compile(r"(?:\w+::)*(?:[A-Z][A-Z0-9_]+|k[A-Z]\w*)|\w+::\w+|\w+<.*")  # also of a template's parameter
NUMBER = re.compile(r"[\d\s()+*-]+|\(?\s*1u?\s*<<\s*\d+\s*\)?")


def is_count(name):
    return COUNT.fullmatch(name) is not None and OWN.search(name) is None


def source_of(function, node, depth=6):
    """What decides a number, or None if all of it is constant. Of several, one that grows goes before the others."""
    node = plain(node)
    for _ in range(depth):  # through variables that never change: one of them may be compared
        variable = function.variable(node)
        if variable is None or variable.writes or variable.start is None or function.value(node) is not None:
            break
        if is_compared(function, node):
            return Source(function.program.text(node))
        node = plain(variable.start)
    node = function.resolve(node)
    if function.value(node) is not None or node.left_out or depth == 0:
        return None
    inner = [child for child in node.children if child.cursor.kind.is_expression()]
    if node.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR"):
        return of_name(function, node, depth)
    if node.kind == "CALL_EXPR":
        return of_call(function, node, depth)
    if node.kind == "BINARY_OPERATOR" and node.name in ("+", "-", "*", "/", "<<", ">>"):
        sources = [source_of(function, part, depth - 1) for part in (inner if node.name != "-" else inner[:1])]
        values = computed(function, node, inner, sources)
        if values:
            return Source(function.program.text(node), values=values)
        if node.name == "/" and None not in sources and sources[0].text == sources[1].text:
            return Source(function.program.text(node))  # a count in as many parts as it needs
        if node.name == "/" and not (sources[0] and sources[0].grows):
            # The quotient is large for a small divisor, so that the divisor alone does not say what it is.
            # Of a number that callers show, an unknown part is not known either.
            known = sources[0] if sources[0] and not (sources[0].values and len(sources) > 1) else None
            return known if known and not (sources[1] and sources[1].grows) else Source(
                function.program.text(node), bool(sources[1] and sources[1].grows), read=bool(sources[1] and sources[1].read))
        if node.name == "/" and sources[0].named and function.value(inner[1]) is None:
            return Source(function.program.text(node))  # a part of what only a name calls a count
        return strongest(sources)
    if node.kind in ("UNARY_OPERATOR", "PAREN_EXPR", "UNEXPOSED_EXPR") and len(inner) == 1:
        return source_of(function, inner[0], depth - 1)
    if not inner and "LITERAL" in node.kind or node.kind in ("CXX_UNARY_EXPR", "SIZE_OF_PACK_EXPR"):
        return None
    return Source(function.program.text(node))  # a choice, a remainder, an element of an array


STEPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "<<": operator.lshift, ">>": operator.rshift}


def computed(function, node, sides, sources):
    """All values of a sum, product or quotient of a number whose values the callers show, and a constant; or nothing."""
    if len(sides) != 2 or sources[0] is None or not sources[0].values or len(sources) > 1 and sources[1] is not None:
        return ()
    by = function.value(sides[1])
    if by is None or by < 0 or node.name == "/" and by == 0 or node.name in ("<<", ">>") and by > 40:
        return ()
    return tuple(STEPS[node.name](value, by) for value in sources[0].values)


def strongest(sources):
    found = [source for source in sources if source is not None]
    return next((source for source in found if source.read), next((source for source in found if source.grows), found[0] if found else None))


def of_call(function, node, depth):
    name = call_name(node)
    if READERS.fullmatch(name):
        return Source(function.program.text(node), True, read=True)
    if name in MEMBERS and not call_arguments(node):
        return Source(function.program.text(node), not is_fixed(node) and not (node.children and is_filled_once(function, node.children[0])))
    rounded = round_up(function, node)
    if rounded is not None and rounded.count is not node:
        return strongest(source_of(function, part, depth - 1) for part in (rounded.count, rounded.block))
    if name in ("max", "ceil", "ceilf", "floor"):
        return strongest(source_of(function, part, depth - 1) for part in call_arguments(node))
    return Source(function.program.text(node))


def is_fixed(call):
    """Whether `x.size()` is a constant of a type: a static member's, or that of an array with a length in its type."""
    to = call.cursor.referenced
    if to is not None and (to.is_static_method() or re.match(r"std::(\w+::)?(array|initializer_list|span<[^<>,]*, \d)|(\w+::)*(extent|integral_constant)\b",
                                                             getattr(to.semantic_parent.type, "spelling", "") if to.semantic_parent else "")):
        return True
    owner = next(iter(call.children[0].children), None) if call.children else None
    # The size of a type of items, and the number of a tensor's dimensions, are small.
    if owner is not None and re.match(r"(const )?std::(__\w+::)?(vector|list|deque|set)<std::(__\w+::)?basic_string<", owner.type.get_canonical().spelling):
        return True  # the lines or the names of a text
    named = owner is not None and plain(owner).kind in ("CALL_EXPR", "DECL_REF_EXPR", "MEMBER_REF_EXPR") and re.search(
        r"(?i)d?type|format|shape|dims?$|axes|strides?$|args|params", call_name(plain(owner)) or plain(owner).name)
    return bool(named) or owner is not None and re.match(r"(const )?std::(\w+::)?array<", owner.type.get_canonical().spelling) is not None


CHANGES = ("push_back", "emplace_back", "push_front", "emplace_front", "insert", "emplace", "resize", "assign", "append", "swap", "operator=", "operator>>")
INPUT = re.compile(r"(?i)\w*(read|load|parse|open|import|getline|scanf|argv|getenv)\w*|operator>>|atoi|atoll?|strto\w+|stou?ll?|stoi|stod|stof")


def is_input(name):
    return INPUT.fullmatch(name) is not None


def is_filled_once(function, owner, depth=3):
    """Whether a container has the number of items that constants of the program give it: a list, or constants that a constructor
    or a function of this file gets, and nothing of the input. For a parameter, whether the containers of all callers have."""
    base = base_variable(owner)
    variable = function.variables.get(base.target) if base is not None else None
    if variable is None or depth == 0 or any(
            call_name(call) in CHANGES and call.children and (base_variable(call.children[0]) or call).target == base.target for call in function.calls):
        return False
    if variable.node.kind == "PARM_DECL":
        place = next(place for place, parameter in enumerate(function.parameters) if parameter.cursor.hash == base.target)
        given = [(caller, call_arguments(call)) for caller, call in function.program.callers(function.name)]
        return bool(given) and all(len(arguments) > place and is_filled_once(caller, arguments[place], depth - 1) for caller, arguments in given)
    if variable.writes or variable.start is None:
        return False
    start, bodies = list(variable.start.walk()), function.program.bodies
    calls = [call for call in start if call.kind == "CALL_EXPR" and (call.cursor.referenced is None or call.cursor.referenced.kind.name != "CONSTRUCTOR")]
    return any(function.value(part) is not None for part in start) and all(
        call_name(call) in bodies and not function.program.reaches(call_name(call), is_input) for call in calls) and all(
        function.value(part) is not None for part in start if part.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR") and is_integer(part.type))


def of_name(function, node, depth):
    """What decides a variable, a parameter or a member."""
    to, name = node.cursor.referenced, node.name
    text = function.program.text(node)
    if to is None or to.kind.name not in ("VAR_DECL", "PARM_DECL", "FIELD_DECL"):
        return Source(text)  # a template's parameter, or a name that depends on one
    if is_compared(function, node) or "dim3" in node.type.spelling:
        return Source(text)
    if node.kind == "DECL_REF_EXPR":
        variable = function.variable(node)
        if variable is not None and variable.node.kind == "PARM_DECL" and not variable.writes:
            return of_parameter(function, node, text, depth)
        if variable is not None:
            return strongest([of_write(function, each, text, depth) for each in given_before(variable, node)]) or Source(text)
    return of_member(function, node, text, depth)


def given_before(variable, node):
    """The values that a variable may have at a place: an assignment that every way to the place passes replaces those before it."""
    around = {above.order for above in node.above()}
    last = max((write.order for write in variable.writes if write.order < node.order and write.kind == "BINARY_OPERATOR" and
                write.name == "=" and write.parent.kind == "COMPOUND_STMT" and write.parent.order in around), default=None)
    if last is None:
        return [*([variable.start] if variable.start is not None else []), *variable.writes]
    return [write for write in variable.writes if write.order >= last]


def of_write(function, node, text, depth):
    """What a variable gets: the right side of an assignment, or what a call writes through its address."""
    if node.kind == "BINARY_OPERATOR" and node.name == "=":
        return source_of(function, node.children[1], depth - 1)
    if node.kind == "UNARY_OPERATOR":
        call = next((above for above in node.above() if above.kind == "CALL_EXPR"), None)
        is_read = call is not None and READERS.fullmatch(call_name(call)) is not None
        return Source(text, is_read, read=is_read)
    if node.kind == "CALL_EXPR" and call_name(node) == "operator>>":
        return Source(text, True, read=True)
    return Source(text) if node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" else source_of(function, node, depth - 1)


def is_compared(function, node):
    """Whether the function compares a number with another one than 0 or 1, outside of a loop's head: it may bound it."""
    for test in function.node.all("BINARY_OPERATOR"):
        if test.name not in ("<", ">", "<=", ">=", "==") or len(test.children) != 2:
            continue
        if test.name == "==" and not any(above.kind == "IF_STMT" and above.children[0].order <= test.order < node.order and node.order in (
                inner.order for inner in above.children[1].walk()) for above in test.above() if len(above.children) > 1):
            continue  # the place is not in the branch for that number
        if any(above.kind in ("FOR_STMT", "WHILE_STMT") and above.children[-1].order > test.order for above in test.above()):
            continue  # the head, or a part of the head, of a loop
        for side, other in (test.children, test.children[::-1]):
            if node.target is not None and function.value(other) not in (0, 1, -1) and any(part.target == node.target for part in parts_of(side)):
                return True
    return False


def parts_of(node):
    """The terms and factors of a number, `n` of `n + 1` and of `n * m`: the larger they are, the larger it is."""
    node = plain(node)
    if node.kind == "BINARY_OPERATOR" and node.name in ("+", "*", "/", "-", "<<", ">>") and len(node.children) == 2:
        return parts_of(node.children[0]) + (parts_of(node.children[1]) if node.name in "+*" else [])
    return [node]


def of_parameter(function, node, text, depth):
    """What the callers pass, in this file and in others of the tree. Without a caller, the name decides."""
    places = [place for place, parameter in enumerate(function.parameters) if parameter.cursor.hash == node.target]
    if not places:
        return Source(text)
    place, found = places[0], []
    for caller, call in function.program.callers(function.name):
        given = call_arguments(call)
        if len(given) > place:
            value = caller.value(given[place])
            found.append(Source(text, values=(value,)) if value is not None else source_of(caller, given[place], depth - 1) or Source(text))
    for path, given in index.of_file(function.program.file).passed(function.name, function.program.file, function.is_local):
        if len(given) == len(function.parameters):
            found.append(of_text(path, given[place]))
    if not found:
        return Source(text, is_count(node.name), named=True)
    if all(source.values for source in found):
        return Source(text, values=tuple(value for source in found for value in source.values))
    return Source(text, any(source.grows for source in found), named=all(source.named for source in found if source.grows),
                  read=any(source.read for source in found))


def of_text(path, text):
    """What decides an argument in a file that is not parsed, by its text and the assignments to its name there."""
    text = text.strip()
    if NUMBER.fullmatch(text):
        return Source(text, values=(number(text),))
    if READ.search(text):
        return Source(text, True, read=INPUTS.search(text) is not None)
    name = re.split(r"\.|->", text)[-1]
    if CONSTANT.fullmatch(text) or not re.fullmatch(r"\w+", name):
        return Source(text)
    whole = index.text_of(path)
    if re.search(rf"\btemplate\s*<[^;{{}}()]*\b(?:int|unsigned|size_t|long|short|auto|u?int\d+_t)\s+{name}\b", whole):
        return Source(text)  # a template's constant
    given = re.findall(rf"\b{name}\s*=\s*([^=;,][^;,]*)[;,]|#\s*define\s+{name}\s+(.+)", whole)
    given = [(one or other).strip() for one, other in given]
    if any(READ.search(each) for each in given):
        return Source(text, True, read=any(map(INPUTS.search, given)))
    if given and all(NUMBER.fullmatch(each) for each in given):
        return Source(text, values=tuple(map(number, given)))
    return Source(text, is_count(name) and not given and not re.search(rf"\b{name}\s*[<>]=?\s*[\w(]*(?!\b[01]\b)", whole), named=True)


def number(text):
    """The value of a literal or of a sum of products of literals; of one with brackets an upper limit."""
    shift = re.fullmatch(r"\(?\s*1u?\s*<<\s*(\d+)\s*\)?", text)
    if shift:
        return 1 << min(int(shift[1]), 64)
    terms = re.fullmatch(r"\s*\d+(\s*[+*-]\s*\d+)*\s*", text) and re.findall(r"(-?)\s*(\d+(?:\s*\*\s*\d+)*)", text)
    products = [(sign, math.prod(map(int, re.findall(r"\d+", term)))) for sign, term in terms or [("", text)]]
    return sum(-product if sign else product for sign, product in products)


def of_member(function, node, text, depth):
    """What the functions of this file and of its headers write to a member or a global variable, and the text of the sources beside
    these headers; by its name if nothing writes it."""
    to, found = node.cursor.referenced, []
    if to.type.is_const_qualified() and to.kind.name != "FIELD_DECL":
        return Source(text)
    for other in writers(function.program, to):
        if is_compared(other, node):
            return Source(text)
        for write in writes(other, node):
            value = other.value(write)
            found.append(Source(text, values=(value,)) if value is not None else source_of(other, write, depth - 2) if depth > 2 else None)
    found = [source for source in found if source is not None]
    if any(source.grows for source in found):
        return Source(text, True, named=all(source.named for source in found if source.grows), read=any(source.read for source in found))
    whole = index.of_file(function.program.file).related(function.program.file)
    given = re.findall(rf"\b{node.name}\s*(?:=\s*|{{)([^=;{{}}][^;{{}}]*)}}?\s*;", whole)
    if any(READ.search(each) for each in given):
        return Source(text, True, read=any(map(INPUTS.search, given)))
    compared = re.search(rf"\b{node.name}\s*(?:<|>|<=|>=)\s*(?![=<>\s]|[01]\b)", whole)
    return Source(text, is_count(node.name) and to.kind.name == "FIELD_DECL" and not found and not compared and not any(
        NUMBER.fullmatch(each.strip()) or CONSTANT.fullmatch(each.strip()) for each in given), named=True)


def writers(program, to):
    """The functions that may write a member or a global variable: those of this file, and the members of its class."""
    owner = to.semantic_parent
    yield from program.functions
    for cursors in program.bodies.values():
        for cursor in cursors:
            if cursor.semantic_parent == owner and to.kind.name == "FIELD_DECL" and \
                    (cursor.location.file is None or cursor.location.file.name != program.file):
                yield program.function(cursor)


def writes(function, node):
    """The values that a function writes to a member, in its body or in a constructor's list."""
    for place in function.node.walk():
        if place.kind == "BINARY_OPERATOR" and place.name == "=" and plain(place.children[0]).target == node.target:
            yield place.children[1]
    if function.node.kind == "CONSTRUCTOR":
        for member, value in zip(function.node.children, function.node.children[1:]):
            if member.kind == "MEMBER_REF" and member.target == node.target and value.cursor.kind.is_expression():
                yield value
