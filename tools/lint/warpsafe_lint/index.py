# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""An index of a tree: which file calls which names, and which macros and functions of the tree read the runtime's last
error. It is built from the text of the files, kept in the user's cache, and updated for files that changed. A name means only
what the calling file can see: the files that it includes, and those of its own program."""

import collections
import functools
import hashlib
import json
import os
import pathlib
import re

from . import cache, project

VERSION = 14
ENDINGS = (".cu", ".hip", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hxx", ".hh", ".inl", ".inc")
LARGEST = 2_000_000  # bytes; a larger file is generated data
# A call, or a macro without parameters as a statement.
CALL = re.compile(r"\b([A-Za-z_]\w{2,})\s*(?:<[^<>;(){}]*>\s*)?\(|\b([A-Z_][A-Z0-9_]{2,})[ \t]*;")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\\\n]|\\.|\\\n)*)", re.M)
FUNCTION = re.compile(r"^[ \t]*[A-Za-z_][\w:&*<>, \t]*?(?:\n[ \t]*)?\b(\w+)\s*\([^;{}]*\)\s*(?:const\s*)?(?:noexcept\s*)?\{", re.M)
# A declaration, `int f(int n);`: words of a type before the name, and no body.
DECLARED = re.compile(r"^[ \t]*(?:template\s*<[^;{}()]*>\s*)?(?!(?:return|else|case|goto|new|delete|throw|co_return|do)\b)"
                      r"[A-Za-z_][\w:]*(?:<[^;{}()]*>)?(?:[ \t&*]+[\w:]+)*?[ \t\n&*]+([A-Za-z_]\w{2,})\s*(?:<[^;{}()]*>\s*)?"
                      r"\((?:[^;{}()]|\([^;{}()]*\))*\)\s*(?:const\s*)?(?:noexcept\s*)?;", re.M)
CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|endif)", re.M)
UNREAD = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'", re.S)

BRANCH = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b([^\n]*)", re.M)
ALWAYS = re.compile(r"^[ \t]*#[ \t]*if[ \t(]+(?:[01]|true|false)\b", re.M)
NEVER = re.compile(r"\b(if|while)\b(?:\s*constexpr)?\s*\(\s*(?:0|false|!\s*1|!\s*true)\s*\)")
SIGNS, LABEL = re.compile(r"[][(){};]"), re.compile(r"[;{})\\]\s*(?:case\b[^;{}]*|\w+\s*):(?!:)")


def read(path):
    """What the index keeps of a file: the last place of each called name; each macro and function with what it calls, in the
    order of the last calls, whether no other file can call it unless it includes this one, and the class or namespace before its
    name, `#if` for a main that the preprocessor may leave out; and the names that the file declares. Overloads are several entries. A definition `f(int n) {` or a declaration `int f(int n);` is not a call. `for` and
    `while` count as names, because they look like calls."""
    text = running(pathlib.Path(path).read_text(errors="replace"))
    defined = [(found[1], last_calls(found[2]), True, "") for found in DEFINE.finditer(text)]
    declared, ends = {found.start(1) for found in DECLARED.finditer(text)}, braces(text)
    heads = declared | {found.start(1) for found in DEFINE.finditer(text)}
    for found in FUNCTION.finditer(text):
        if found[1] not in ("if", "for", "while", "switch", "constexpr"):
            heads.add(found.start(1))
            # Branches of the preprocessor may open a brace twice: a brace that begins a line ends the function too.
            closing = [end for end in (ends.get(found.end() - 1, -1), text.find("\n}", found.end())) if end > 0]
            owner = re.search(r"(\w+)(?:<[^<>]*>)?::$", found[0][:found.start(1) - found.start()])
            asked = found[1] == "main" and sum(1 if word == "if" else -1 for word in CONDITION.findall(text[:found.start()])) > 0
            defined.append((found[1], last_calls(text[found.end():min(closing, default=len(text))]), re.search(r"\bstatic\b", found[0]) is not None,
                            "#if" if asked else owner[1] if owner else ""))
    calls = {found[found.lastindex]: found.start(found.lastindex) for found in CALL.finditer(text) if found.start(found.lastindex) not in heads}
    return calls, defined, sorted({re.match(r"\w+", text[place:place + 200])[0] for place in declared})


def blanked(text):
    """A text with blanks in place of comments and strings."""
    return UNREAD.sub(lambda found: " " * len(found.group()), text)


def running(text):
    """A text with blanks also in place of the code that never runs, as far as a 0 or 1 says so where it stands: `#if 0`, and
    `if (false)` without a label to jump to."""
    text = blanked(text)
    branches = []  # of each #if: whether the branch is "on", "off", "past" one that is on, or not known, ""; and where it begins
    for found in BRANCH.finditer(text) if ALWAYS.search(text) else ():
        word = found[1]
        if word.startswith("if"):
            literal = found[2].strip(" \t()") if word == "if" else ""
            branches.append(("off" if literal in ("0", "false") else "on" if literal in ("1", "true") else "", found.end()))
        elif branches:
            state, begin = branches.pop()
            if state in ("off", "past"):
                text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:found.start()]) + text[found.start():]
            if word != "endif":
                branches.append(("past" if state in ("on", "past") else "on" if state == "off" and word == "else" else "", found.end()))
    macros = [found.span() for found in DEFINE.finditer(text)] if NEVER.search(text) else []
    for found in NEVER.finditer(text):
        begin = found.end()
        if found[1] == "while" and text[:found.start()].rstrip(" \t\n\\").endswith("}"):
            continue  # of `do { … } while (0)`
        limit = next((end for start, end in macros if start < begin <= end), len(text))
        depth, end = 0, limit
        for sign in SIGNS.finditer(text, begin, limit):
            depth += (sign[0] in "([{") - (sign[0] in ")]}")
            if depth <= 0 and sign[0] in ";}":
                end = sign.start()
                break
        if not LABEL.search(text, begin - 1, end):
            text = text[:begin] + re.sub(r"[^\n\\{}]", " ", text[begin:end]) + text[end:]
    return text


def braces(text):
    """The place of the closing brace of each opening one."""
    found, pending = {}, []
    for brace in re.finditer("[{}]", text):
        if brace[0] == "{":
            pending.append(brace.start())
        elif pending:
            found[pending.pop()] = brace.start()
    return found


# Names of C's library. Where a program has a function of that name, a file that does not see it means the library's.
OF_C = frozenset("""abort abs assert atexit atof atoi atol atoll bsearch calloc ceil clock close connect cos difftime div exit exp fabs fclose fflush
    fgets floor fopen fork fprintf fputs fread free fscanf fseek ftell fwrite getenv getline getopt gettimeofday gmtime isalpha isdigit isspace kill
    labs localtime log malloc memchr memcmp memcpy memmove memset mktime mmap munmap open perror pow printf putchar puts qsort raise rand read
    realloc remove rename rewind round scanf send setenv setvbuf signal sin sleep snprintf sprintf sqrt srand sscanf strcat strchr strcmp strcpy
    strdup strerror strlen strncmp strncpy strstr strtod strtof strtok strtol strtoul system tan time tolower toupper usleep vfprintf vprintf
    wait write""".split())


def is_library(name):
    """Whether a name is one of C's library or of the vendors' runtimes."""
    return name in OF_C or re.match(r"(cuda|hip|cu)[A-Z]", name) is not None


VENDORS = re.compile(r"cu(da)?[A-Z]|hip[A-Z]|(cu|hip|roc)(blas|sparse|solver|fft|rand|dnn)|miopen")


def reads_error(name):
    return re.fullmatch(r"(cuda|hip)(GetLastError|PeekAtLastError|ExtGetLastError)|CubDebug(Exit)?", name) is not None


# A check of a library's header, C10_CUDA_KERNEL_LAUNCH_CHECK of PyTorch's or getLastCudaError of CUDA's samples, by its name.
WORD, OF = r"([cC]heck|CHECK|[eE]rror|ERROR)", r"([lL]aunch|LAUNCH|(?<![a-z])last|Last|(?<![A-Z])LAST|[kK]ernel|KERNEL)"
CHECK = re.compile(rf"\w*{WORD}\w*{OF}\w*|\w*{OF}\w*{WORD}\w*")


def may_read(name):
    return reads_error(name) or CHECK.fullmatch(name) is not None


RUNTIME = re.compile(r"\b(?:cuda|hip)Error(?:_t)?\s+(?:\w+\s+)*(?:cuda|hip)Malloc\s*\([^;{}]*\)\s*(?:noexcept\s*)?\{")


def synchronizes(name):
    return re.fullmatch(r"(cuda|hip|cu)\w*Synchronize", name) is not None


def last_calls(text):
    """The names that a text calls, each once, in the order of their last calls."""
    places = {found[found.lastindex]: found.start() for found in CALL.finditer(text)}
    return sorted(places, key=places.get)


# A definition of a name: its file, what it calls, whether only files that include that file can mean it, and the class or
# namespace before the name, or "".
Definition = collections.namedtuple("Definition", "path calls local owner")


class Index:
    """The calls of the files of one tree."""

    def __init__(self, root):
        self.root, self.files, self.paths = str(root), {}, project.index(root)
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
        for name in ("reaching", "does", "meant", "callers_look", "seen_by", "scope"):
            setattr(self, name, functools.lru_cache(maxsize=None)(getattr(self, "_" + name)))
        self.related = functools.lru_cache(maxsize=8)(self._related)
        self.definitions, self.declaring, self.calling = (collections.defaultdict(list) for _ in range(3))  # by name
        for path, (_, calls, defined, declared) in self.files.items():
            for name, *rest in defined:
                self.definitions[name].append(Definition(path, *rest))
            for found, names in ((self.declaring, declared), (self.calling, calls)):
                for name in names:
                    found[name].append(path)

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
        """The names that `is_it` accepts, and those whose macro or function calls one, directly or through further names,
        anywhere in the tree: `does` asks of no other name."""
        found = {name for _, calls, *_ in self.files.values() for name in calls if is_it(name)}
        found |= {name for _, _, defined, _ in self.files.values() for _, names, *_ in defined for name in names if is_it(name)}
        for _ in range(depth):
            found |= {name for _, _, defined, _ in self.files.values() for name, names, *_ in defined if not found.isdisjoint(names)}
        return found

    def _does(self, is_it, name, path, depth, owner=""):
        """Whether `is_it` accepts a name that a file calls, or one that its macro or function calls, directly or through others. A
        check by its name is one if the file does not see what defines it. `owner` is the class of a member, if it is known."""
        if is_it(name) and (is_it is not may_read or reads_error(name) or not self._is_known(name, path)):
            return True
        # What an included file calls is compiled with the file that includes it, and sees what that one sees.
        return depth > 0 and name in self.reaching(is_it, depth) and any(
            self.does(is_it, called, path if definition.path in self.seen_by(path) else definition.path, depth - 1)
            for definition in self.meant(name, path) if not owner or definition.owner in ("", owner) for called in definition.calls)

    def looks(self, name, path, owner=""):
        """Whether a call of a name in a file reads the last error."""
        return self.does(may_read, name, path, 4, owner)

    def waits(self, name, path, owner=""):
        """Whether a call of a name in a file waits for the device."""
        return self.does(synchronizes, name, path, 2, owner)

    def _is_known(self, name, path):
        return bool(self.meant(name, path)) or not self.seen_by(path).isdisjoint(self.declaring.get(name, ()))

    @functools.cached_property
    def is_runtime(self):
        """Whether a file of the tree defines the vendor's allocation as a function, as what takes the vendor's place does."""
        return any(not each.local and RUNTIME.search(text_of(each.path)) for name in ("cudaMalloc", "hipMalloc") for each in self.definitions.get(name, ()))

    @functools.cached_property
    def mains(self):
        """The sources that define main: no two of them are parts of one program."""
        return {each.path for each in self.definitions.get("main", ()) if each.owner != "#if" and each.path.endswith((*project.SOURCES, ".c"))}

    @functools.cached_property
    def programs(self):
        """The folders that hold a program each: that of the nearest build file above a main, and, if it builds several, also
        those of the mains. Without a build file the folder of the tree stands for it."""
        built, found = {os.path.dirname(path) for name in project.BUILDS for path in self.paths.get(name, ())}, {}
        for path in self.mains:
            found.setdefault(self._nearest(path, built), set()).add(os.path.dirname(path))
        return {*found, *(folder for folders in found.values() if len(folders) > 1 for folder in folders)}

    def _nearest(self, path, folders):
        """The nearest one of some folders above a file, or else that of the tree."""
        folder = os.path.dirname(path)
        while folder not in folders and folder != self.root and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        return folder

    def _scope(self, path):
        """The folder of the program that a file is a part of. Files outside of these folders are parts of any program."""
        return self._nearest(path, self.programs)

    def _linked(self, path, other):
        """Whether two files may be parts of one program."""
        one, two = self.scope(path), self.scope(other)
        return (is_inside(one, two) or is_inside(two, one)) and not (path in self.mains and other in self.mains)

    def _seen_by(self, path):
        """A file and those of the tree that it includes, directly or through others."""
        return frozenset({path, *project.Headers(path, (), ()).seen})

    def _meant(self, name, path):
        """The definitions that a call of a name in a file may mean: those in the files that it includes. If these declare the name
        too, or do not have it, also those in other files of its program, and in files that include the same declaration."""
        seen = self.seen_by(path)
        declaring = seen.intersection(self.declaring.get(name, ()))
        headers = {each for each in declaring if not each.endswith(project.SOURCES)}

        def may_be(each):
            if not self._linked(path, each.path):
                return not each.local and not headers.isdisjoint(self.seen_by(each.path))
            if not each.local and (declaring or not is_library(name) and is_inside(self.scope(path), self.scope(each.path))):
                return True
            return path in self.seen_by(each.path)

        own = [each for each in self.definitions.get(name, ()) if each.path in seen]
        return own if own and not declaring else own + [each for each in self.definitions.get(name, ()) if each.path not in seen and may_be(each)]

    def _callers(self, name, file, local=False):
        """The files that call a function of `file`. If a header declares it there, only files that include that header: others
        mean another function of that name. Only files that include `file` itself can call a local function."""
        named = {*self.declaring.get(name, ()), *(each.path for each in self.definitions.get(name, ()))}
        headers = {path for path in self.seen_by(file) & named if not path.endswith(project.SOURCES)}

        def includes(path):
            return path == file or not headers.isdisjoint(self.seen_by(path))

        def means(path):
            found = {each.path for each in self.meant(name, path)} if path != file and file in named else set()
            return not found or file in found

        callers = [path for path in self.calling.get(name, ()) if (path == file or self._linked(path, file) or headers and includes(path)) and means(path)]
        if local:
            return [path for path in callers if file in self.seen_by(path)]
        return [path for path in callers if includes(path)] or callers if headers else callers

    def _callers_look(self, name, file, inside=False, depth=4, local=False):
        """Whether files call a function of `file`, and each caller reads the last error behind its last call, or its own callers
        do. Callers in `file` itself count only if `inside`. A caller with a loop may read it in the next turn, before the call.
        A file counts as one caller if the function around the call is not found."""
        seen = False
        for path in self._callers(name, file, local):
            if path == file and not inside:
                continue
            _, calls, defined, _ = self.files[path]
            seen = True
            # A function of the same name is an overload that calls this one, or calls itself.
            around = [(caller, names) for caller, names, *_ in defined if name in names and (caller != name or self._looks_behind(names, name, path))]
            if not all(self._looks_behind(names, name, path) or depth > 1 and caller != "main" and self.callers_look(caller, path, True, depth - 1)
                       for caller, names in around):
                return False
            if not around and not any(place > calls[name] and self.looks(look, path) for look, place in calls.items()):
                return False
        return seen

    def passed(self, name, file, local=False):
        """The arguments of each call of a function of `file` in another file of the program, as texts, with that file."""
        for path in self._callers(name, os.path.realpath(file), local):
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

    def mentions(self, pattern, file):
        """Whether the text of a file, or of another one of its program, has a pattern."""
        file = os.path.realpath(file)
        return any(re.search(pattern, text_of(path)) for path in [file, *self.files] if path in self.seen_by(file) or self._linked(path, file))

    def calls(self, pattern, file, folder=""):
        """Whether a file of a file's program, or of one folder of it, calls a name that matches a pattern. Where the name is none of
        the vendors', and the tree has its function, what that function calls counts, and not the name."""
        file = os.path.realpath(file)
        return any(re.search(pattern, name) and (VENDORS.match(name) or not self._is_known(name, path)) and self._together(file, path)
                   for path, (_, calls, *_) in self.files.items() if not folder or os.path.dirname(path) == folder for name in calls)

    def _together(self, file, other):
        """Whether two files may be parts of one program, also because one includes a header of the other's program."""
        seen = self.seen_by(file) if file in self.files else {file}
        if other in seen or self._linked(file, other):
            return True
        scopes = (self.scope(file), self.scope(other))
        return not (file in self.mains and other in self.mains) and any(
            self.scope(path) in scopes for path in seen & self.seen_by(other) if not path.endswith(project.SOURCES))

    def _looks_behind(self, names, name, path):
        begin = 0 if "for" in names or "while" in names else names.index(name) + 1
        return any(self.looks(each, path) for each in names[begin:] if each != name)


def is_inside(folder, above):
    return folder == above or folder.startswith(above.rstrip("/") + "/")


@functools.lru_cache(maxsize=200)
def text_of(path):
    """A file's text, with blanks in place of comments, strings and code that never runs."""
    try:
        return running(pathlib.Path(path).read_text(errors="replace"))
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
