# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A parsed file: its functions, its kernels, and what they call."""

import re

from .function import SMALL, Function, api, described
from .libclang import written_at
from .tree import call_name

FUNCTIONS = {"FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "FUNCTION_TEMPLATE", "CONVERSION_FUNCTION"}
SCOPES = {"NAMESPACE", "CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
          "LINKAGE_SPEC", "UNEXPOSED_DECL", "UNION_DECL"}


class Program:
    """What libclang made of one file."""

    def __init__(self, unit, file, text, language):
        self.unit, self.file, self.language = unit, file, language
        self.source = text.encode()
        self.functions = []  # of this file
        self.bodies = {}  # name -> cursors of definitions, in this file and in what it includes
        self.records = []
        self._functions = {}
        self._reached = {}
        self._collect(unit.cursor)
        self.kernels = {}
        for name, cursors in self.bodies.items():
            for cursor in cursors:
                if any(c.kind.name == "CUDAGLOBAL_ATTR" for c in cursor.get_children()):
                    self.kernels.setdefault(name, []).append(self.function(cursor))
        self.all_names = {call_name(call) for function in self.functions for call in function.calls}

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
            if system[file] or not child.is_definition():
                continue
            self.bodies.setdefault(child.spelling, []).append(child)
            if file == self.file:
                self.functions.append(self.function(child))

    def function(self, cursor):
        key = cursor.hash
        if key not in self._functions:
            self._functions[key] = Function(self, cursor)
        return self._functions[key]

    def text(self, node):
        """A node's own text; of what stands in a macro's use, as the tree has it."""
        start, end = node.start, node.end
        file = node.cursor.location.file
        if start >= end and not node.left_out:
            (name, _, _, start), (_, _, _, end) = (written_at(place) for place in (node.cursor.extent.start, node.cursor.extent.end))
            inside = name == self.file
        else:
            inside = file is not None and file.name == self.file
        if inside and start < end:
            text = self.source[start:end].decode(errors="replace")
            # A macro's whole use is the place of all that it makes.
            if node.kind not in SMALL or re.fullmatch(SMALL[node.kind], text):
                return text
        return described(node)

    def reaches(self, name, is_it, depth=4):
        """Whether a function is one, or calls one, that `is_it` knows by name."""
        if is_it(name):
            return True
        if depth == 0 or name not in self.bodies:
            return False
        key = (name, is_it)
        if key not in self._reached:
            self._reached[key] = False  # for one that calls itself
            self._reached[key] = any(
                self.reaches(call_name(call), is_it, depth - 1)
                for cursor in self.bodies[name] for call in self.function(cursor).calls)
        return self._reached[key]

    def called(self, *names):
        """Whether this file calls a function of the runtime by one of these names, vendor left out."""
        return any(api(name) in names for name in self.all_names)

    def callers(self, name):
        """Functions of this file, with their calls of that name."""
        return [(f, call) for f in self.functions for call in f.calls if call_name(call) == name and f.name != name]
