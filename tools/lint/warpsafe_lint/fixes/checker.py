# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What a file puts around its calls of the runtime to check them: `CHECK(cudaMalloc(…));`, a macro or a function, and whether it
means the same at another place of the file."""

import collections
import re

from ..function import api
from ..lines import code_of, without_comments
from ..rules.errors import is_error
from ..tree import bare, call_arguments, plain

USE = re.compile(r"((?:::)?[A-Za-z_][\w:]*)\s*\(\s*(?:::)?((?:cuda|hip)[A-Z]\w*)\s*\(")
SUCCESS = ("cudaSuccess", "hipSuccess")
# A test may expect a refusal, and a program may drop a status on purpose.
OTHERWISE = re.compile(r"(?i)fail|refus|reject|invalid|ignor|allow|drop|discard|expect(?!.*(success|ok\b))|not_?|unused")
JUMPS = {"GOTO_STMT", "INDIRECT_GOTO_STMT", "LABEL_STMT", "CONTINUE_STMT", "BREAK_STMT", "CXX_THIS_EXPR"}
REFERENCES = {"DECL_REF_EXPR", "TYPE_REF", "TEMPLATE_REF", "OVERLOADED_DECL_REF"}


class Use:
    """A statement `name(cudaMalloc(…));`."""

    def __init__(self, function, node, name, call):
        self.function, self.node, self.name, self.call = function, node, name, call


def in_lambda(node):
    return any(above.kind == "LAMBDA_EXPR" for above in node.above())


def closing(code, at):
    """The place of the bracket that closes the one before `at`, or -1."""
    depth = 1
    while depth and at < len(code):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        at += 1
    return at - 1 if not depth else -1


def uses(program):
    """The uses in a file whose only argument is a call of the runtime, and which are a statement each."""
    for function in program.functions:
        for node in function.node.walk() if not function.on_device else ():
            if node.parent is None or node.parent.kind != "COMPOUND_STMT" or sum(node.start == each.start for each in node.parent.children) > 1:
                continue
            code = code_of(program.source[node.start:node.end].decode(errors="replace"))
            found = USE.match(code)
            end = closing(code, found.end()) if found else -1
            call = next((each for each in node.all("CALL_EXPR") if each.name == found[2]), None) if end > 0 else None
            if call is not None and re.fullmatch(r"\s*\)", code[end + 1:]) and is_error(call.type):
                yield Use(function, node, found[1], call)


def takes_status(call, status):
    """Whether a call gives the status of another one to a function, as its own type."""
    to = call.cursor.referenced
    if to is None or to.kind.name != "FUNCTION_DECL" or api(call.name) or OTHERWISE.search(call.name):
        return False
    own = status.type.get_canonical()
    kinds = [parameter.type.get_canonical() for parameter in to.get_arguments() or ()]
    kinds = [kind.get_pointee().get_canonical() if kind.kind.name == "LVALUEREFERENCE" else kind for kind in kinds]
    return any(kind.spelling.replace("const ", "") == own.spelling and plain(argument).type.get_canonical().spelling.replace("const ", "") == own.spelling
               for kind, argument in zip(kinds, call_arguments(call)))


def compares(node):
    """Whether an `if` asks whether a status is another one than success."""
    condition = next((child for child in node.children if child.cursor.kind.is_expression()), None)
    parts = list(condition.walk()) if condition is not None else []
    return not any(part.kind == "UNARY_OPERATOR" and part.name == "!" or part.name in ("==", "&&") for part in parts) and any(
        part.kind == "BINARY_OPERATOR" and part.name == "!=" and any(bare(side).name in SUCCESS for side in part.children) for part in parts)


def scope(cursor):
    """The namespaces and classes around a declaration."""
    found, parent = [], cursor.semantic_parent
    while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
        if parent.kind.name not in ("LINKAGE_SPEC", "UNEXPOSED_DECL", "ENUM_DECL"):
            found.append(parent)
        parent = parent.semantic_parent
    return found


def is_visible(program, launch, node):
    """Whether a name means at a launch what it means in a use."""
    to = node.cursor.referenced
    if to is None or to.kind.name in ("CXX_METHOD", "FIELD_DECL", "PARM_DECL", "TEMPLATE_TYPE_PARAMETER"):
        return False
    if node.name.startswith("operator") and to.location.is_in_system_header:
        return True
    first = to.canonical.location
    if first.file is not None and first.file.name == program.file and first.offset > launch.node.start:
        return False
    around = scope(to)
    if any(each.kind.name != "NAMESPACE" for each in around):
        return to.location.is_in_system_header
    if any(child.kind == "NAMESPACE_REF" for child in node.children):
        return True
    if node.kind == "TYPE_REF" and to.location.is_in_system_header:
        return True
    function = launch.function
    own = scope(function.cursor)
    outer = {each.canonical.hash for each in around}
    nearer = [each for each in own if each.canonical.hash not in outer]
    hidden = {variable.node.name for variable in function.variables.values()} | {child.spelling for each in nearer for child in each.get_children()}
    return to.spelling not in hidden and outer <= {each.canonical.hash for each in own}


def checks(use):
    """Whether a use looks at the status: it compares it, or gives it to a function that takes one."""
    return any(compares(each) for each in use.node.all("IF_STMT")) or any(takes_status(each, use.call) for each in use.node.all("CALL_EXPR") if each is not use.call)


def is_right(program, launch, use, of_name):
    """Whether a use would mean the same behind a launch."""
    text = without_comments(program.source.decode())
    place = len(program.source[:launch.node.start].decode())
    word = use.name.rpartition("::")[2]
    if OTHERWISE.search(word) or not checks(use):
        return False
    definitions = list(re.finditer(rf"^[ \t]*#[ \t]*define[ \t]+{word}\b(?:\\\n|[^\n])*", text, re.M))
    if re.search(rf"^[ \t]*#[ \t]*undef[ \t]+{word}\b", text, re.M) or any(found.start() > place for found in definitions):
        return False
    if not any(each.node.start < launch.node.start for each in of_name) and re.search(r"^[ \t]*#[ \t]*include\b", text[place:], re.M):
        return False
    inside = {node.cursor.hash for node in use.node.all("VAR_DECL")}
    of_call = set(map(id, use.call.walk()))
    parts = [node for node in use.node.walk() if id(node) not in of_call]
    if any(node.kind in JUMPS or node.kind == "MEMBER_REF_EXPR" and not node.children for node in parts):
        return False
    returns = any(node.kind == "RETURN_STMT" for node in parts) or len(definitions) > 1 and any(
        re.search(r"\b(return|goto|continue|break)\b", found[0]) for found in definitions)
    # What it returns there may mean something else in another function.
    if returns and (in_lambda(launch.node) or not any(each.function is launch.function and not in_lambda(each.node) for each in of_name)):
        return False
    return all(node.target in inside or is_visible(program, launch, node) for node in parts if node.kind in REFERENCES)


def checker(program, launch, found):
    """What the file puts around its calls most often, of what is right behind a launch; or None."""
    by_name = collections.defaultdict(list)
    for use in found:
        by_name[use.name].append(use)
    for name, of_name in sorted(by_name.items(), key=lambda item: -len(item[1])):
        if is_right(program, launch, of_name[0], of_name):
            return name
    return None
