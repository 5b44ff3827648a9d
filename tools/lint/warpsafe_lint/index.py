# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""An index of a tree: which file calls which names, and which macros and functions of the tree read the runtime's last
error. It is built from the text of the files, kept in the user's cache, and updated for files that changed."""

import functools
import hashlib
import json
import os
import pathlib
import re

from . import cache, project

VERSION = 10
ENDINGS = (".cu", ".hip", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hxx", ".hh", ".inl", ".inc")
LARGEST = 2_000_000  # bytes; a larger file is generated data
# A call, or a macro without parameters as a statement.
CALL = re.compile(r"\b([A-Za-z_]\w{2,})\s*(?:<[^<>;(){}]*>\s*)?\(|\b([A-Z_][A-Z0-9_]{2,})[ \t]*;")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\\\n]|\\.|\\\n)*)", re.M)
FUNCTION = re.compile(r"^[ \t]*[A-Za-z_][\w:&*<>, \t]*?\b(\w+)\s*\([^;{}]*\)\s*(?:const\s*)?(?:noexcept\s*)?\{", re.M)
# A declaration, `int f(int n);`: words of a type before the name, and no body.
DECLARED = re.compile(r"^[ \t]*(?:template\s*<[^;{}()]*>\s*)?(?!(?:return|else|case|goto|new|delete|throw|co_return|do)\b)"
                      r"[A-Za-z_][\w:]*(?:<[^;{}()]*>)?(?:[ \t&*]+[\w:]+)*?[ \t\n&*]+([A-Za-z_]\w{2,})\s*(?:<[^;{}()]*>\s*)?"
                      r"\((?:[^;{}()]|\([^;{}()]*\))*\)\s*(?:const\s*)?(?:noexcept\s*)?;", re.M)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">\n]+)[\">]", re.M)
UNREAD = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'", re.S)


def read(path):
    """What the index keeps of a file: the last place of each called name; each macro and function with what it calls, in the
    order of the last calls; the names that it declares or defines; and what it includes. Overloads are several entries. A
    definition `f(int n) {` or a declaration `int f(int n);` is not a call. `for` and `while` count as names, because they look
    like calls."""
    text = pathlib.Path(path).read_text(errors="replace")
    includes = [re.sub(r"^(\.\.?/)+", "", name) for name in INCLUDE.findall(text)]
    text = UNREAD.sub(lambda found: " " * len(found.group()), text)
    defined = [(found[1], last_calls(found[2])) for found in DEFINE.finditer(text)]
    heads, ends = {found.start(1) for pattern in (DECLARED, DEFINE) for found in pattern.finditer(text)}, braces(text)
    for found in FUNCTION.finditer(text):
        if found[1] not in ("if", "for", "while", "switch", "constexpr"):
            heads.add(found.start(1))
            # Branches of the preprocessor may open a brace twice: a brace that begins a line ends the function too.
            closing = [end for end in (ends.get(found.end() - 1, -1), text.find("\n}", found.end())) if end > 0]
            defined.append((found[1], last_calls(text[found.end():min(closing, default=len(text))])))
    calls = {found[found.lastindex]: found.start(found.lastindex) for found in CALL.finditer(text) if found.start(found.lastindex) not in heads}
    declared = sorted({re.match(r"\w+", text[place:place + 200])[0] for place in heads})
    return calls, [[name, names] for name, names in defined if names], declared, includes


def braces(text):
    """The place of the closing brace of each opening one."""
    found, pending = {}, []
    for brace in re.finditer("[{}]", text):
        if brace[0] == "{":
            pending.append(brace.start())
        elif pending:
            found[pending.pop()] = brace.start()
    return found


def reads_error(name):
    return re.fullmatch(r"(cuda|hip)(GetLastError|PeekAtLastError|ExtGetLastError)|CubDebug(Exit)?", name) is not None


# A check of a library's header, C10_CUDA_KERNEL_LAUNCH_CHECK of PyTorch's or getLastCudaError of CUDA's samples, by its name.
WORD, OF = r"([cC]heck|CHECK|[eE]rror|ERROR)", r"([lL]aunch|LAUNCH|(?<![a-z])last|Last|(?<![A-Z])LAST|[kK]ernel|KERNEL)"
CHECK = re.compile(rf"\w*{WORD}\w*{OF}\w*|\w*{OF}\w*{WORD}\w*")


RUNTIME = re.compile(r"\b(?:cuda|hip)Error(?:_t)?\s+(?:\w+\s+)*(?:cuda|hip)Malloc\s*\([^;{}]*\)\s*(?:noexcept\s*)?\{")


def synchronizes(name):
    return re.fullmatch(r"(cuda|hip|cu)\w*Synchronize", name) is not None


def last_calls(text):
    """The names that a text calls, each once, in the order of their last calls."""
    places = {found[found.lastindex]: found.start() for found in CALL.finditer(text)}
    return sorted(places, key=places.get)


class Index:
    """The calls of the files of one tree."""

    def __init__(self, root):
        self.files, self.paths = {}, project.index(root)
        kept = cache.folder() / (hashlib.sha256(os.fsencode(root)).hexdigest()[:24] + ".json")
        old = self._load(kept)
        for paths in self.paths.values():
            for path in paths:
                if not path.endswith(ENDINGS):
                    continue
                try:
                    state = os.stat(path)
                    stamp = [state.st_mtime_ns, state.st_size]
                    if path in old and old[path][0] == stamp:
                        self.files[path] = old[path]
                    elif state.st_size <= LARGEST:
                        self.files[path] = [stamp, *read(path)]
                except OSError:
                    continue
        if self.files != old:
            self._save(kept)
        self.reaching = functools.lru_cache(maxsize=None)(self._reaching)
        self.callers_look = functools.lru_cache(maxsize=None)(self._callers_look)
        self.related = functools.lru_cache(maxsize=8)(self._related)
        self.seen_by = functools.lru_cache(maxsize=None)(self._seen_by)

    @staticmethod
    def _load(kept):
        try:
            read_back = json.loads(kept.read_bytes())
            return read_back["files"] if read_back["version"] == VERSION else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _save(self, kept):
        try:
            cache.write(kept, lambda part: part.write_text(json.dumps({"version": VERSION, "files": self.files})))
        except OSError:
            pass  # without a cache the next run reads the tree again

    def _reaching(self, is_it, depth):
        """The names that `is_it` accepts, and those whose macro or function calls one, directly or through further names."""
        found = {name for _, calls, *_ in self.files.values() for name in calls if is_it(name)}
        found |= {name for _, _, defined, *_ in self.files.values() for _, names in defined for name in names if is_it(name)}
        for _ in range(depth):
            found |= {name for _, _, defined, *_ in self.files.values() for name, names in defined if not found.isdisjoint(names)}
        return found

    def _is_check(self, name):
        return reads_error(name) or name not in self.defined and CHECK.fullmatch(name) is not None

    @functools.cached_property
    def defined(self):
        """The names of the macros and functions of the tree."""
        return {name for _, _, defined, declared, _ in self.files.values() for name in [*(name for name, _ in defined), *declared]}

    @functools.cached_property
    def lookers(self):
        """Names whose call reads the last error. A check that no file of the tree defines counts by its name."""
        return self.reaching(self._is_check, 4)

    @functools.cached_property
    def is_runtime(self):
        """Whether a file of the tree defines the vendor's allocation as a function, as what takes the vendor's place does."""
        return any({"cudaMalloc", "hipMalloc"} & {name for name, _ in defined} and RUNTIME.search(text_of(path))
                   for path, (_, _, defined, *_) in self.files.items())

    @property
    def waiters(self):
        """Names whose call waits for the device."""
        return self.reaching(synchronizes, 2)

    def _seen_by(self, path):
        """A file and those that it includes, directly or through others, as far as they are in the tree."""
        pending, found = [path], {path}
        while pending:
            for name in self.files[pending.pop()][4]:
                for other in self.paths.get(os.path.basename(name), ()):
                    if other in self.files and other not in found and other.endswith("/" + name):
                        found.add(other)
                        pending.append(other)
        return found

    def _callers(self, name, file):
        """The files that call a function of `file`. If a header declares it there, only files that include that header: others
        mean another function of that name."""
        callers = [path for path in self.files if name in self.files[path][1]]
        if file in self.files:
            headers = {path for path in self.seen_by(file) if name in self.files[path][3] and not path.endswith(project.SOURCES)}
            callers = [path for path in callers if path == file or not headers.isdisjoint(self.seen_by(path))] or callers if headers else callers
        return callers

    def _callers_look(self, name, file, inside=False, depth=4):
        """Whether files call a function of `file`, and each caller reads the last error behind its last call, or its own callers
        do. Callers in `file` itself count only if `inside`. A caller with a loop may read it in the next turn, before the call.
        A file counts as one caller if the function around the call is not found."""
        seen = False
        for path in self._callers(name, file):
            if path == file and not inside:
                continue
            _, calls, defined, *_ = self.files[path]
            seen = True
            # A function of the same name is an overload that calls this one, or calls itself.
            around = [(caller, names) for caller, names in defined if name in names and (caller != name or self._looks_behind(names, name))]
            if not all(self._looks_behind(names, name) or depth > 1 and caller != "main" and self.callers_look(caller, path, True, depth - 1)
                       for caller, names in around):
                return False
            if not around and max((calls[look] for look in self.lookers if look in calls), default=-1) < calls[name]:
                return False
        return seen

    def passed(self, name, file):
        """The arguments of each call of a function of `file` in another file of the tree, as texts, with that file."""
        for path in self._callers(name, os.path.realpath(file)):
            if os.path.realpath(path) != os.path.realpath(file):
                for given in arguments(text_of(path), name):
                    yield path, given

    def _related(self, file):
        """The text of a file, of the headers of the tree that it includes, and of the sources named like one of them."""
        file = os.path.realpath(file)
        seen = self.seen_by(file) if file in self.files else {file}
        stems = {os.path.splitext(os.path.basename(path))[0] for path in seen}
        return "\n".join(text_of(path) for path in sorted(seen) + [path for path in self.files if path not in seen and path.endswith(
            project.SOURCES) and os.path.splitext(os.path.basename(path))[0] in stems])

    def calls(self, pattern, folder=""):
        """Whether a file of the tree, or of one folder of it, calls a name that matches a pattern."""
        return any(re.search(pattern, name) for path, (_, calls, *_) in self.files.items() if not folder or os.path.dirname(path) == folder for name in calls)

    def _looks_behind(self, names, name):
        begin = 0 if "for" in names or "while" in names else names.index(name) + 1
        return not self.lookers.isdisjoint(each for each in names[begin:] if each != name)


@functools.lru_cache(maxsize=200)
def text_of(path):
    """A file's text, with blanks in place of comments and strings."""
    try:
        return UNREAD.sub(lambda found: " " * len(found.group()), pathlib.Path(path).read_text(errors="replace"))
    except OSError:
        return ""


def arguments(text, name):
    """The arguments of each call of a name in a text. What has a type before a name is a declaration's parameter."""
    for found in re.finditer(rf"(?<![\w~]){name}\s*(?:<[^<>;(){{}}]*>\s*)?\(", text):
        depth, begin, given = 1, found.end(), []
        for place in re.finditer(r"[][(){},;]", text[begin:begin + 4000]):
            sign, here = place[0], begin + place.start()
            depth += (sign in "([{") - (sign in ")]}")
            if sign == ";":
                break
            if depth == 0 or sign == "," and depth == 1:
                given.append(text[found.end() if not given else last + 1:here].strip())
                last = here
            if depth == 0:
                if not any(re.fullmatch(r"(?:const\s+)?[A-Za-z_][\w:]*(?:<.*>)?(?:\s+const)?[\s&*]+\w+(?:\s*=.*)?", each) for each in given):
                    yield given
                break


@functools.lru_cache(maxsize=4)
def of(root):
    return Index(root)


def of_file(file):
    """The index of the tree that a file belongs to."""
    return of(project.root_of(pathlib.Path(file).resolve().parent))
