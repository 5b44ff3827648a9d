# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A parsed file: its functions, its kernels, and what they call."""

import collections
import os
import re

from . import index, prefix
from .function import SMALL, Function, api, described
from .libclang import is_instantiated, load, written_at
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
            text = re.sub(rb"//[^\n]*|/\*.*?\*/", b"", self.source, flags=re.S).decode(errors="replace")
            self._assigned = collections.Counter(re.findall(r"(?:^|[;{})\\])\s*(\w+)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text, re.M))
        return self._assigned[name] > self._written[name]

    def reaches(self, name, is_it, depth=4):
        """Whether `is_it` accepts the function's name, or the name of a function that it calls."""
        if is_it(name):
            return True
        if depth == 0 or name not in self.bodies:
            return False
        key = (name, is_it)
        if key not in self._reached:
            self._reached[key] = False  # stops at recursive calls
            self._reached[key] = any(
                self.reaches(call_name(call), is_it, depth - 1)
                for cursor in self.bodies[name] for call in self.function(cursor).calls)
        return self._reached[key]

    def looks_elsewhere(self, name):
        """Whether a function or macro that another file of the program has reads the runtime's last error."""
        return index.of_file(self.file).looks(name, os.path.realpath(self.file))

    def waits_elsewhere(self, name):
        """Whether a function or macro that another file of the program has waits for the device."""
        return index.of_file(self.file).waits(name, os.path.realpath(self.file))

    def called(self, *names):
        """Whether this file calls a runtime function with one of these names, written without the vendor."""
        return any(api(name) in names for name in self.all_names)

    def callers(self, name):
        """The functions of this file that call that name, with the calls."""
        return [(f, call) for f in self.functions for call in f.calls if call_name(call) == name and f.name != name]
