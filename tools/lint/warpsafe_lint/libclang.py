# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Finds libclang with its Python bindings, and adds the one call that the bindings leave out."""

import ctypes
import functools
import importlib.util
import pathlib
import re
import sys

DEBIAN = "/usr/lib/python3/dist-packages"
NOT_HERE = (
    "libclang with its Python bindings is not installed: pip install 'libclang==18.*' 'clang-tidy==18.*', or apt-get install python3-clang-19"
)


class NoLibclang(Exception):
    """The bindings or the library are missing; the text names the package to install."""


def load():
    """The module clang.cindex with a libclang behind it, or NoLibclang."""
    try:
        try:
            from clang import cindex
        except ImportError:
            # A Python other than Debian's does not search the folder of Debian's bindings. They are
            # plain Python, so any Python can use them.
            sys.path.append(DEBIAN)
            try:
                from clang import cindex
            finally:
                sys.path.remove(DEBIAN)
        library = cindex.conf.lib
    except (ImportError, cindex_error()) as error:
        raise NoLibclang(NOT_HERE) from error
    library.clang_Cursor_Evaluate.argtypes = [cindex.Cursor]
    library.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    library.clang_EvalResult_getKind.argtypes = [ctypes.c_void_p]
    library.clang_EvalResult_getAsLongLong.argtypes = [ctypes.c_void_p]
    library.clang_EvalResult_getAsLongLong.restype = ctypes.c_longlong
    library.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
    if not hasattr(library, "clang_getCursorBinaryOperatorKind"):
        raise NoLibclang("this libclang is older than 17: it does not tell operators apart. " + NOT_HERE)
    for kind in ("Binary", "Unary"):
        getattr(library, f"clang_getCursor{kind}OperatorKind").argtypes = [cindex.Cursor]
        spelling = getattr(library, f"clang_get{kind}OperatorKindSpelling")
        spelling.restype, spelling.errcheck = cindex._CXString, cindex._CXString.from_result
    if not hasattr(cindex.TypeKind.from_id, "cache_info"):  # of an earlier call
        cindex.TypeKind.from_id = staticmethod(functools.cache(functools.partial(type_kind, cindex.TypeKind.from_id)))
    return cindex


def type_kind(known, number):
    """The kind of a type, also of one that the bindings do not know, such as _Float16."""
    try:
        return known(number)
    except ValueError:
        return sys.modules["clang.cindex"].TypeKind.UNEXPOSED


def clang_version():
    cindex = sys.modules["clang.cindex"]
    version = cindex.conf.lib.clang_getClangVersion
    version.restype, version.errcheck = cindex._CXString, cindex._CXString.from_result
    return version()


def own_headers():
    """The flag that names the folder of clang's own headers. PyPI's libclang comes without them, and others find only
    a part: Debian's misses the wrappers that give a CUDA source its device functions. NoLibclang if PyPI's has none."""
    cindex = sys.modules["clang.cindex"]
    major = re.search(r"version (\d+)", clang_version())[1]
    places = [f"/usr/lib/llvm-{major}/lib/clang", "/usr/lib/clang"]
    tidy = importlib.util.find_spec("clang_tidy")
    if tidy is not None:
        places.insert(0, str(pathlib.Path(tidy.origin).parent / "data/lib/clang"))
    for place in places:
        if (pathlib.Path(place) / major / "include/stddef.h").is_file():
            return ["-resource-dir=" + str(pathlib.Path(place) / major)]
    if not (pathlib.Path(cindex.__file__).parent / "native").is_dir():
        return []
    raise NoLibclang(f"the headers of libclang {major} are not installed: pip install 'clang-tidy=={major}.*'")


def cindex_error():
    """The bindings' exception for a library that they cannot load, if there are bindings."""
    module = sys.modules.get("clang.cindex")
    return module.LibclangError if module else ImportError


def written_at(location):
    """The position of a location in its file, also inside a macro's argument: file, line, column, offset."""
    cindex = sys.modules["clang.cindex"]
    file, line, column, offset = cindex.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
    cindex.conf.lib.clang_getFileLocation(location, *map(ctypes.byref, (file, line, column, offset)))
    name = cindex.File(file).name if file else None
    return name, line.value, column.value, offset.value


def template_of(cursor):
    """What the compiler made a function from, if it is an instance of a template or a member of one; or None."""
    return sys.modules["clang.cindex"].conf.lib.clang_getSpecializedCursorTemplate(cursor)


def is_instantiated(cursor):
    """Whether the compiler made a function from a template, which libclang shows beside the template."""
    template = template_of(cursor)
    if template is None:
        return False
    definition = template.get_definition()  # libclang names the first declaration
    return cursor.location == template.location or definition is not None and cursor.location == definition.location


def operator(cursor, kind):
    """The spelling of a "Binary" or "Unary" operator. From 19 on, libclang gives it as the cursor's spelling."""
    library = sys.modules["clang.cindex"].conf.lib
    code = getattr(library, f"clang_getCursor{kind}OperatorKind")(cursor)
    return getattr(library, f"clang_get{kind}OperatorKindSpelling")(code)


def evaluate(cursor):
    """The integer that the compiler computes for an expression, or None."""
    library = sys.modules["clang.cindex"].conf.lib
    result = library.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    is_integer = library.clang_EvalResult_getKind(result) == 1
    value = library.clang_EvalResult_getAsLongLong(result) if is_integer else None
    library.clang_EvalResult_dispose(result)
    return value
