# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Parses CUDA and HIP sources with the toolkit's headers precompiled. Clang reads these before each source, and that takes
most of its time. The precompiled headers are kept in the user's cache."""

import contextlib
import functools
import hashlib
import os
import pathlib

from . import cache
from .commands import FOLDERS
from .libclang import clang_version

FOR_SERIALIZATION = 0x10  # CXTranslationUnit_ForSerialization
MOST = 8  # precompiled headers in the cache, of some 12 MB each
# In C++20 clang compares precompiled functions like those of modules, and takes __host__ and __device__ overloads for one.
BOTH = ["-Xclang", "-fno-cxx-modules"]
# By default clang does not notice that a header of the toolkit has changed since.
USE = [*BOTH, "-Xclang", "-fmodules-validate-system-headers", "-include-pch"]
SHIMS = pathlib.Path(__file__).resolve().parents[1]


def parse(cindex, name, texts, arguments, options=0):
    """libclang's unit of a source. It has no declarations of precompiled headers, but references to them. `texts` has the
    source, and headers that are no files."""
    index, given = cindex.Index.create(excludeDecls=True), {"unsaved_files": list(texts.items()), "options": options}
    arguments = by_text(arguments)
    if "cuda" in arguments or "hip" in arguments:
        rest, folders = split(arguments)
        prefix = Prefix.of(cindex, tuple(rest))
        if prefix.file is not None and not any(map(prefix.is_shadowed_by, folders)):
            try:
                return index.parse(name, args=[*USE, str(prefix.file), *arguments], **given)
            except cindex.TranslationUnitLoadError:
                prefix.discard()  # a header has changed since, or another program wrote the file
    return index.parse(name, args=arguments, **given)


def by_text(arguments):
    """The arguments so that clang reads the text of each forced header. For a plain `-include a.h` its driver takes `a.h.pch`,
    which the program's compiler made and another version cannot read."""
    out, words = [], iter(arguments)
    for word in words:
        out += ["-Xclang", word, "-Xclang", next(words, "")] if word == "-include" else [word]
    return out


def split(arguments):
    """The arguments without the program's include folders and forced headers, and these folders."""
    toolkit = [str(SHIMS)] + [word.partition("=")[2] for word in arguments if word.startswith("--cuda-path=")]
    rest, folders, words = [], [], iter(arguments)
    for word in words:
        if word == "-Xclang":  # of a forced header
            forced = [word, *(next(words, "") for _ in range(3))]
            rest += forced if forced[-1].startswith(str(SHIMS)) else []
            continue
        option = next((option for option in FOLDERS if word.startswith(option)), None)
        if option is None:
            rest.append(word)
            continue
        folder = word[len(option):] or next(words, "")
        if folder.startswith(tuple(toolkit)):
            rest += [option, folder]
        else:
            folders.append(folder)
    return rest, folders


class Prefix:
    """What clang reads before a source that is compiled with some arguments. `file`: where that is precompiled, or None."""

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def of(cindex, arguments):
        return Prefix(cindex, arguments)

    def __init__(self, cindex, arguments):
        key = hashlib.sha256("\0".join([clang_version(), *BOTH, *arguments]).encode(errors="surrogateescape")).hexdigest()[:24]
        self.file = cache.folder() / f"{key}.pch"
        self._names = self.file.with_suffix(".names")
        try:
            os.utime(self.file)  # the last use decides what is removed
            self.included = frozenset(self._names.read_text().splitlines())
        except (OSError, UnicodeError):
            self.included = frozenset()
            if not self._build(cindex, arguments):
                self.file = None

    def _build(self, cindex, arguments):
        try:
            empty = self.file.with_name("empty.cu")
            if not empty.exists():  # a change of its time would make the precompiled headers invalid
                empty.parent.mkdir(parents=True, exist_ok=True)
                empty.touch()
            unit = cindex.Index.create().parse(str(empty), args=[*BOTH, *arguments], options=FOR_SERIALIZATION)
            if any(problem.severity >= problem.Error for problem in unit.diagnostics):
                return False
            self.included = frozenset(os.path.realpath(each.include.name) for each in unit.get_includes())
            cache.write(self._names, lambda part: part.write_text("\n".join(self.included)))
            cache.write(self.file, lambda part: unit.save(str(part)))
            self._remove_old()
        except (OSError, UnicodeError, cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
            return False  # without a cache clang reads the headers again for each source
        return True

    def _remove_old(self):
        kept = sorted(self.file.parent.glob("*.pch"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in kept[MOST:]:
            file.unlink(missing_ok=True)
            file.with_suffix(".names").unlink(missing_ok=True)

    @functools.cached_property
    def _spellings(self):
        """How the included headers may be named in an #include, by the first part of the name."""
        found = {}
        for path in self.included:
            parts = path.split("/")
            for depth in range(1, min(len(parts), 5)):
                found.setdefault(parts[-depth], set()).add("/".join(parts[-depth:]))
        return found

    @functools.lru_cache(maxsize=None)
    def is_shadowed_by(self, folder):
        """Whether a folder has a header that clang would take in place of a precompiled one."""
        try:
            names = self._spellings.keys() & set(os.listdir(folder))
        except OSError:
            return False
        paths = (os.path.join(folder, spelling) for name in names for spelling in self._spellings[name])
        return any(os.path.isfile(path) and os.path.realpath(path) not in self.included for path in paths)

    def discard(self):
        with contextlib.suppress(OSError):  # another user's file
            self.file.unlink(missing_ok=True)
        self.file = None
