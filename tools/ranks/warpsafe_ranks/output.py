# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Writes a file of the user's, which has its old content until the new one is complete."""

import contextlib
import os
import re
import stat
import tempfile

# The system would open the file behind these anew, and empty it.
DESCRIPTOR = re.compile(r"/dev/(?:fd/(\d+)|std(out)|std(err))|/proc/self/fd/(\d+)")


def replaced(outputs, inputs):
    """The first output that would replace an input or another output, with that one: two of the names, or None. Both are pairs of a
    name and a path. Pipes and devices replace nothing, and open descriptors take more than one output."""
    for number, (name, path) in enumerate(outputs):
        for other, place in (*outputs[number + 1:], *inputs):
            if DESCRIPTOR.fullmatch(os.fspath(path)) and DESCRIPTOR.fullmatch(os.fspath(place)):
                continue
            try:
                same = os.path.samefile(path, place) and os.path.isfile(path)
            except OSError:
                same = not os.path.exists(place) and os.path.realpath(path) == os.path.realpath(place)
            if same:
                return name, other
    return None


@contextlib.contextmanager
def opened(path):
    """The file, open for text. Raises OSError with its name."""
    try:
        with _opened(os.fspath(path)) as file:
            yield file
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextlib.contextmanager
def _opened(path):
    descriptor = DESCRIPTOR.fullmatch(path)
    if descriptor:
        number, out, error, other = descriptor.groups()
        path = os.dup(1 if out else 2 if error else int(number or other))
    elif not os.path.exists(path) or os.path.isfile(path) and os.access(os.path.dirname(os.path.realpath(path)), os.W_OK):
        with _beside(os.path.realpath(path)) as file:
            yield file
        return
    with open(path, "w", encoding="utf-8") as file:
        yield file


@contextlib.contextmanager
def _beside(path):
    """A new file that takes the place of the old one, and its permissions."""
    number, part = tempfile.mkstemp(prefix=".warpsafe-", dir=os.path.dirname(path))
    try:
        with open(number, "w", encoding="utf-8") as file:
            if os.path.exists(path):
                os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC))  # it may be read-only
                mode = stat.S_IMODE(os.stat(path).st_mode)
            else:
                os.umask(mask := os.umask(0o077))
                mode = 0o666 & ~mask
            os.fchmod(number, mode)
            yield file
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
