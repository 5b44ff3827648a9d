# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Whether the launches of a function can run on its stream in place of the default stream."""

import re

from ..function import api
from ..registry import all_launches
from ..tree import base_variable, call_arguments, call_name, is_loop, is_stream, plain

SCOPES = {"LAMBDA_EXPR", "CLASS_DECL", "STRUCT_DECL", "CXX_METHOD"}
BRANCHES = {"CONDITIONAL_OPERATOR", "SWITCH_STMT", "CASE_STMT", "DEFAULT_STMT", "LAMBDA_EXPR", "CXX_CATCH_STMT"}
ENDS = re.compile(r"(?i)destroy|release|delete|free|close|finali[sz]e|shutdown")


def ends_stream(name):
    return api(name) == "StreamDestroy"


def is_null(function, node):
    return node.left_out or function.value(node) == 0 or plain(node).kind in ("CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR")


def on_default_stream(function, call):
    """Whether a call of the runtime works on the default stream, or waits for it."""
    name, to = api(call_name(call)), call.cursor.referenced
    if re.match(r"(Memcpy|Memset)(?!\w*Async)", name):
        return True
    parameters = list(to.get_arguments() or ()) if name and to is not None else []
    return any(is_stream(parameter.type) and is_null(function, argument) for parameter, argument in zip(parameters, call_arguments(call)))


def always_before(node, other):
    """Whether a node runs before each run of another one."""
    inner = node
    for above in node.above():
        if any(above is each for each in other.above()):
            return node.order < other.order
        condition = next((child for child in above.children if child.cursor.kind.is_expression()), None)
        if above.kind == "IF_STMT" and inner is not condition or above.kind in BRANCHES or is_loop(above) or above.name in ("&&", "||"):
            return False
        inner = above
    return False


def may_end(function, stream, launch):
    """The call before a launch, or in a loop around it, that may destroy the stream; or None."""
    loops = [above for above in launch.node.above() if is_loop(above)]
    for call in function.calls:
        named = [argument for argument in call.children if any(name.target == stream.cursor.hash for name in argument.all("DECL_REF_EXPR"))]
        if named and (call.order < launch.order or any(loop in call.above() for loop in loops)) and (
                function.program.call_reaches(call, ends_stream) or not api(call_name(call)) and ENDS.search(call_name(call))):
            return call
    return None


def why_not(function, launch, name):
    """Why a launch on the default stream cannot run on the stream of that name; or ""."""
    streams = [variable.node for variable in function.variables.values() if is_stream(variable.node.type)]
    if len(streams) != 1 or sum(variable.node.name == name for variable in function.variables.values()) != 1:
        return "the function has several streams, or several variables of that name"
    stream = streams[0]
    kind = stream.type.get_canonical()
    if kind.kind.name == "LVALUEREFERENCE" and not kind.get_pointee().is_const_qualified():
        return f"{name} is a reference, which may have no stream yet"
    if any(above.kind in SCOPES and not any(above is each for each in stream.above()) for above in launch.node.above()):
        return f"it is in a lambda or a class of the function, where {name} may be gone"
    makes = [call for call in function.calls if api(call_name(call)).startswith("StreamCreate") and call_arguments(call) and
             getattr(base_variable(call_arguments(call)[0]), "target", None) == stream.cursor.hash]
    if (makes or stream.kind == "VAR_DECL") and not any(always_before(call, launch.node) for call in makes):
        return f"{name} may not be created yet"
    end = may_end(function, stream, launch)
    if end is not None:
        return f"{call_name(end)} may have destroyed {name}"
    other = next((call for call in function.calls if on_default_stream(function, call)), None)
    if other is not None:
        return f"{call_name(other)} runs on the default stream, and nothing would order them"
    return ""


def why_not_all(function, launch, name):
    """As why_not, of all launches of the function that are on the default stream: some of them would run in another order."""
    others = [each for each in all_launches(function) if each.on_default_stream]
    if any(each.stream is not None or each.form != "<<<>>>" for each in others):
        return "another launch of the function names the default stream"
    return next(filter(None, (why_not(function, each, name) for each in [launch, *others])), "")
