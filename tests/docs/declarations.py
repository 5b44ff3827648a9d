#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads the names that the headers declare: declarations.py PROJECT prints them.

It reads what clang-format wrote, and no C++ in general: namespaces, classes with their public members, functions,
variables, aliases and enumerators. Function bodies and initialisers are skipped."""
import collections
import pathlib
import re
import sys

# scope: the namespaces and classes around the name, such as ("warpsafe", "host").
Declared = collections.namedtuple("Declared", "scope name kind header")

TOKEN = re.compile(r"operator\s*(?:\(\)|[^\s\w(]+)|[A-Za-z_]\w*|\d[\w.']*|::|->|\[\[|\]\]|[^\s\w]")
LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|(?<!\w)R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.S)
OPENS, CLOSES = {"(": ")", "{": "}", "[": "]", "[[": "]]"}, {")", "}", "]", "]]"}
NO_NAMES = {"decltype", "alignas", "noexcept", "requires", "explicit", "__attribute__", "static_assert", "sizeof", "clang"}


def without_branches(text):
    """The text without preprocessor lines. If the braces of a branch are not balanced, the last branch stands for all."""
    stack, out = [], []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        word = re.match(r"\s*#\s*(\w+)", line)
        if not word:
            out.append(line)
        elif word[1] in ("if", "ifdef", "ifndef"):
            stack.append((out, []))
            out = []
        elif word[1] in ("else", "elif", "endif") and stack:
            around, branches = stack[-1]
            branches.append(out)
            out = []
            if word[1] == "endif":
                stack.pop()
                balanced = all("\n".join(branch).count("{") == "\n".join(branch).count("}") for branch in branches)
                out = around + [line for branch in (branches if balanced else branches[-1:]) for line in branch]
    return "\n".join(out)


class Reader:
    def __init__(self, text, header):
        clean = LITERAL.sub(lambda found: '""' if found[0][0] in "\"R'" else " ", text)
        self.tokens, self.at, self.header, self.found = TOKEN.findall(without_branches(clean)), 0, header, []
        self.behind = collections.defaultdict(set)  # a type's bases, and an alias's targets
        self.templates, self.is_template = set(), False  # (scope, name) of the templates; of the declaration being read
        self.forward = []  # types that are declared here, and perhaps defined nowhere

    def skip(self):
        """Skips from an opening bracket to behind its end."""
        depth = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            depth += (token in OPENS) - (token in CLOSES)
            if depth == 0:
                return

    def skip_angles(self):
        depth = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token in OPENS:
                self.skip()
                continue
            self.at += 1
            depth += (token == "<") - (token == ">")
            if depth == 0:
                return

    def add(self, scope, name, kind):
        self.found.append(Declared(scope, name, kind, self.header))
        if self.is_template:
            self.templates.add((scope, name))

    def scope(self, names, public, kind):
        """Reads the declarations of a namespace or class, up to its brace."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token == "}":
                self.at += 1
                return
            if token in ("public", "private", "protected") and self.tokens[self.at + 1] == ":":
                public = token == "public"
                self.at += 2
                continue
            self.declaration(names, public, kind)

    def declaration(self, names, public, kind):
        head, function, initialisers, self.is_template = [], None, False, False
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token == "template" and self.tokens[self.at + 1] == "<":
                self.at += 1
                self.is_template = True
                self.skip_angles()
            elif token == "[[" or token == "[" and function:
                self.skip()
            elif token == "<" and head and (head[-1][0].isalpha() or head[-1][0] == "_") and not head[-1].startswith("operator"):
                self.skip_angles()
                head.append("<>")
            elif token == "(":
                named = head[-1] if head else ""
                if function is None and any(word.startswith("operator") for word in head):
                    function = "operator"
                elif function is None and re.match(r"[A-Za-z_]", named) and named not in NO_NAMES and "using" not in head and "concept" not in head and "=" not in head:
                    function = named
                self.skip()
                head.append("()")
            elif token == ";":
                self.at += 1
                return self.named(names, public, kind, head, function)
            elif token == "{":
                if head and (head[-1] == "requires" or head[-2:] == ["requires", "()"]):
                    self.skip()
                elif head and head[0] in ("inline", "namespace") and "namespace" in head:
                    self.at += 1
                    own = () if "inline" in head else tuple(word for word in head if word not in ("namespace", "::"))
                    return self.scope(names + own, True, "namespace")
                elif head and head[0] == "extern" and head[-1] == '"':
                    self.at += 1
                    return self.scope(names, True, kind)
                elif function is None and "=" not in head and {"class", "struct", "union"} & set(head) and "enum" not in head:
                    return self.klass(names, public, head)
                elif "enum" in head:
                    return self.enum(names, public, head)
                elif function and initialisers and (re.match(r"\w", head[-1]) or head[-1] == "<>"):
                    self.skip()
                    head.append("()")
                elif function and "=" not in head:
                    self.skip()
                    return self.named(names, public, kind, head, function)
                else:
                    self.skip()
                    head.append("{}")
            else:
                initialisers |= token == ":" and function is not None
                head.append(token)
                self.at += 1

    def klass(self, names, public, head):
        word = next(word for word in head if word in ("class", "struct", "union"))
        after = head[head.index(word) + 1:]
        bases = after[after.index(":") + 1:] if ":" in after else []
        if bases:
            after = after[:after.index(":")]
        after_name = after
        after = [one for one in after if re.match(r"[A-Za-z_]", one) and one not in ("final", "alignas")]
        self.at += 1
        own = after[-1] if after else ""
        # A specialisation declares no name.
        if public and own and "friend" not in head and "<>" not in after_name:
            self.add(names, own, "type")
        self.behind[own] |= set(bases) - {"public", "<>"}
        self.scope(names + (own,) if public else ("detail",), word != "class", "class")

    def enum(self, names, public, head):
        after = [word for word in head[head.index("enum") + 1:] if word not in ("class", "struct")]
        own = after[0] if after and after[0] != ":" else ""
        begin = self.at
        self.skip()
        body = " ".join(self.tokens[begin + 1:self.at - 1])
        if public:
            self.add(names, own, "type")
            for one in re.findall(r"(?:^|,) *([A-Za-z_]\w*)(?= *(?:[,=]|$))", body):
                self.add(names + (own,), one, "enumerator")

    def named(self, names, public, kind, head, function):
        """A declaration that ends here: a function, an alias, a concept or variables."""
        if not public or not head or head[0] in ("friend", "static_assert", "extern") or "friend" in head:
            return
        if function is not None:
            if function != "operator" and function != (names[-1] if names else "") and "~" not in head:
                # A member that is defined outside of its class: Class::member.
                if head[head.index(function) - 1:head.index(function)] != ["::"]:
                    self.add(names, function, "member" if kind == "class" else "function")
        elif head[0] == "using":
            name = head[1] if "=" in head else head[-1]
            self.behind[name] |= set(head[head.index("=") + 1:] if "=" in head else ())
            if name != "namespace" and "namespace" not in head:
                self.add(names, name, "member" if kind == "class" else "type")
        elif "concept" in head:
            self.add(names, head[head.index("concept") + 1], "type")
        elif head[0] in ("class", "struct") and len(head) == 2 and kind == "namespace" and self.is_template:
            self.forward.append(Declared(names, head[1], "type", self.header))
            self.templates.add((names, head[1]))
        elif not {"namespace", "class", "struct"} & set(head):
            before = head[:head.index("=")] if "=" in head else head
            for part in " ".join(before).split(" , "):
                words = re.findall(r"[A-Za-z_]\w*", re.split(r"[\[{:]", part.replace("::", " "))[0])
                if words and len(before) > 1:
                    self.add(names, words[-1], "member" if kind == "class" else "constant")


def with_rows(text, root):
    """The text with what a macro makes of the rows of the headers that are included between its #define and #undef."""
    def made(found):
        macro, parameters, body, includes = found.groups()
        out = []
        for name in re.findall(r"<(.*)>", includes):
            rows = LITERAL.sub(lambda literal: '""' if literal[0][0] == '"' else " ", (root / name).read_text(encoding="utf-8"))
            for row in re.findall(rf"(?ms)^{macro}\((.*?)\)$", rows):
                values = dict(zip(re.split(r",\s*", parameters), (value.strip() for value in row.split(","))))
                out.append(re.sub(r"\w+", lambda word: values.get(word[0], word[0]), body))
        return "\n".join(out)

    return re.sub(r"(?m)^#define (\w+)\(([^()]*)\)((?:.*\\\n)*.*)\n((?:#include <.*_rows\.hpp>\n)+)#undef \1$", made, text)


def of_header(path, root):
    # The version is no part of a name that a user writes.
    text = path.read_text(encoding="utf-8").replace("::inline WARPSAFE_DETAIL_VERSION", "")
    reader = Reader(with_rows(text, root), path.relative_to(root).as_posix())
    while reader.at < len(reader.tokens):
        reader.scope((), True, "namespace")
    for macro in re.findall(r"(?m)^\s*#\s*define (WARPSAFE_\w+)", text):
        reader.add((), macro, "macro")
    return reader


def readers_of(project):
    root = pathlib.Path(project) / "include"
    return [of_header(header, root) for header in sorted(root.rglob("*.hpp"))]


def of_project(project):
    """Everything that is declared in the headers, each name once; and for each type the names of its bases and of what
    it is an alias of. A template that has only specialisations counts where it is declared; an overload in a public
    header counts before one in detail/."""
    readers = readers_of(project)
    behind = collections.defaultdict(set)
    for reader in readers:
        for name, others in reader.behind.items():
            behind[name] |= others
    found = [one for reader in readers for one in reader.found]
    defined = {one[:2] for one in found}
    found += [one for reader in readers for one in reader.forward if one[:2] not in defined]
    return list({one[:3]: one for one in sorted(found, key=is_public)}.values()), behind


def is_public(declared):
    """Whether users may write the name. Of the headers in detail/, only what namespace warpsafe itself has, and the
    calls and errors of the host backend."""
    if "/detail/" in declared.header and declared.scope[1:2] and declared.scope[1] in ("host", "debug", "limits"):
        return declared.scope[1] == "host" and bool({declared.name, *declared.scope} & {"Call", "HostStatus"})
    if declared.kind == "macro":
        return not declared.name.startswith(("WARPSAFE_DETAIL", "WARPSAFE_VENDOR"))
    return declared.scope[:1] == ("warpsafe",) and not any(part == "" or "detail" in part for part in declared.scope)


if __name__ == "__main__":
    for one in of_project(sys.argv[1])[0]:
        if is_public(one):
            print("::".join((*one.scope, one.name)), one.kind, one.header)
