# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A parsed file: its functions, its kernels, and what they call."""

import collections
import functools
import os
import re

from . import index, prefix
from .function import SMALL, Function, api, described
from .libclang import is_instantiated, load, template_of, written_at
from .lines import without_comments
from .tree import bare, call_name

FUNCTIONS = {"FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "FUNCTION_TEMPLATE", "CONVERSION_FUNCTION"}
SCOPES = {"NAMESPACE", "CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
          "LINKAGE_SPEC", "UNEXPOSED_DECL", "UNION_DECL"}


class Program:
    """One file as parsed by libclang."""

    def __init__(self, unit, file, text, language, arguments=()):
        self.unit, self.file, self.language, self.arguments = unit, file, language, arguments
        self.complete = True  # false if the compiler dropped lines that it could not read
        self.source = text.encode()
        self.functions = []  # functions of this file
        self.bodies = {}  # name -> cursors of definitions in this file and its includes
        self.records = []
        self._functions = {}
        self._device = self  # not read yet
        self._reached = {}
        self._written = self._assigned = None
        self._collect(unit.cursor)
        self.kernels = {}
        for name, cursors in self.bodies.items():
            for cursor in cursors:
                if any(c.kind.name == "CUDAGLOBAL_ATTR" for c in cursor.get_children()):
                    self.kernels.setdefault(name, []).append(self.function(cursor))
        self.all_names = {call_name(call) for function in self.functions for call in function.calls}

    @functools.cached_property
    def code(self):
        """The source's bytes with blanks in place of the comments, at the same places."""
        return without_comments(self.source)

    def _collect(self, cursor):
        system = {}
        for child in cursor.get_children():
            try:
                kind = child.kind.name
            except ValueError:
                continue
            if kind not in FUNCTIONS and kind not in SCOPES:
                continue
            location = child.location
            file = location.file.name if location.file else ""
            if kind in SCOPES:
                if file not in system:
                    system[file] = location.is_in_system_header
                if not system[file]:
                    self._collect(child)
                continue
            if file not in system:
                system[file] = location.is_in_system_header
            if system[file] or not child.is_definition() or is_instantiated(child):
                continue
            self.bodies.setdefault(child.spelling, []).append(child)
            if file == self.file:
                self.functions.append(self.function(child))

    def device_view(self):
        """The same file as compiled for a GPU of compute capability 9.0, with what is inside `#if __CUDA_ARCH__`; this
        program itself if it is not CUDA's; None if the compiler could not read all of it."""
        if self._device is self:
            if "--cuda-host-only" in self.arguments and self.language == "cuda":
                arguments = [word for word in self.arguments if word != "--cuda-host-only"]
                arguments += ["--cuda-device-only", "--cuda-gpu-arch=sm_90"]
                unit = prefix.parse(load(), self.file, {self.file: self.source.decode()}, arguments)
                whole = all(problem.severity < problem.Error for problem in unit.diagnostics)
                self._device = Program(unit, self.file, self.source.decode(), self.language) if whole else None
        return self._device

    def function(self, cursor):
        key = cursor.hash
        if key not in self._functions:
            self._functions[key] = Function(self, cursor)
        return self._functions[key]

    def text(self, node):
        """A node's text in the source; inside the use of a macro, the text reconstructed from the tree."""
        start, end = node.start, node.end
        file = node.cursor.location.file
        if start >= end and not node.left_out:
            (name, _, _, start), (_, _, _, end) = (written_at(place) for place in (node.cursor.extent.start, node.cursor.extent.end))
            inside = name == self.file
        else:
            inside = file is not None and file.name == self.file
        if inside and start < end:
            text = self.source[start:end].decode(errors="replace")
            # Everything that a macro produces has the position of the macro's use, and a node that ends in one ends before it.
            if (node.kind not in SMALL or re.fullmatch(SMALL[node.kind], text)) and not (
                    node.kind == "BINARY_OPERATOR" and re.search(r"[-+*/%<>]\s*$", text)):
                return text
        return described(node)

    def loses_writes(self, name):
        """Whether the compiler dropped an assignment to a variable of that name, because a header is missing: the text has more
        of them than the tree."""
        if self.complete:
            return False
        if self._written is None:
            self._written = collections.Counter(
                bare(node.children[0]).name for function in self.functions for node in function.node.all("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR")
                if node.children and (node.name == "=" or node.kind == "COMPOUND_ASSIGNMENT_OPERATOR"))
            text = self.code.decode(errors="replace")
            self._assigned = collections.Counter(re.findall(r"(?:^|[;{})\\])\s*(\w+)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text, re.M))
        return self._assigned[name] > self._written[name]

    def reaches(self, name, is_it, depth=4):
        """Whether `is_it` accepts the function's name, or the name of a function that it calls."""
        return is_it(name) or depth > 0 and any(self._body_reaches(cursor, is_it, depth) for cursor in self.bodies.get(name, ()))

    def call_reaches(self, call, is_it, depth=4):
        """Whether `is_it` accepts the name of a call's function, or the name of a function that it calls."""
        return is_it(call_name(call)) or depth > 0 and any(self._body_reaches(cursor, is_it, depth) for cursor in self.meant(call))

    def _body_reaches(self, cursor, is_it, depth):
        key = (cursor.hash, is_it)
        if key not in self._reached:
            self._reached[key] = False  # stops at recursive calls
            self._reached[key] = any(self.call_reaches(call, is_it, depth - 1) for call in self.function(cursor).calls)
        return self._reached[key]

    def meant(self, call):
        """The bodies that a call may mean: that of the function which the compiler has chosen, or, where an instance or the object
        chooses it, those of all functions of its name."""
        found, to = self.bodies.get(call_name(call), ()), call.cursor.referenced
        if not found or to is None or to.kind.name not in FUNCTIONS or to.is_virtual_method():
            return found
        if to.location.is_in_system_header:
            return ()
        to = template_of(to) or to
        own = to.get_definition()
        chosen = [cursor for cursor in found if own is not None and cursor == own]
        return chosen if chosen or own is None else found

    def looks_elsewhere(self, call):
        """Whether a function or macro that another file of the program has, and that a call means, reads the runtime's last error."""
        return index.of_file(self.file).looks(call_name(call), os.path.realpath(self.file), class_of(call))

    def waits_elsewhere(self, call):
        """Whether a function or macro that another file of the program has, and that a call means, waits for the device."""
        return index.of_file(self.file).waits(call_name(call), os.path.realpath(self.file), class_of(call))

    def called(self, *names):
        """Whether this file calls a runtime function with one of these names, written without the vendor."""
        return any(api(name) in names for name in self.all_names)

    def callers(self, name):
        """The functions of this file that call that name, with the calls."""
        return [(f, call) for f in self.functions for call in f.calls if call_name(call) == name and f.name != name]


def class_of(call):
    """The class whose member a call runs, or "" if it is none or not known."""
    to = call.cursor.referenced
    is_member = to is not None and to.kind.name == "CXX_METHOD" and not to.is_virtual_method()
    return to.semantic_parent.spelling.partition("<")[0] if is_member else ""
