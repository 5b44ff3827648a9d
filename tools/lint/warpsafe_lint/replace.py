# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Writes a file of the user's, which is never cut short: it has its old content until the new one is on the disk."""

import contextlib
import errno
import os
import re
import stat
import tempfile

# The system would open the file behind these anew, and empty it.
DESCRIPTOR = re.compile(r"/dev/(?:fd/(\d+)|std(out)|std(err))|/proc/self/fd/(\d+)")
# The folder cannot be written, or the file is a mount of its own, as containers have them.
ONLY_ITSELF = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)


def replace(name, data):
    """Gives a file that content. It keeps its permissions, its owner and its names; a new one has the usual permissions. Raises
    OSError, and then an old file is as it was."""
    name = os.fspath(name)
    descriptor = DESCRIPTOR.fullmatch(name)
    if descriptor:
        number, out, error, other = descriptor.groups()
        _write_all(1 if out else 2 if error else int(number or other), data)
        return
    name = os.path.realpath(name)  # a link stays a link
    try:
        old = os.stat(name)
    except FileNotFoundError:
        old = None
    if old is not None and not os.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", name)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(name, "wb") as file:
            file.write(data)
    elif old is not None and old.st_nlink > 1:
        _overwrite(name, data)
    else:
        try:
            _replace(name, data, old)
        except OSError as failed:
            if old is None or failed.errno not in ONLY_ITSELF:
                raise
            _overwrite(name, data)


def _write_all(file, data):
    while data:
        data = data[os.write(file, data):]


def _replace(name, data, old):
    """Writes beside the file, and takes its place."""
    file, part = tempfile.mkstemp(prefix=".warpsafe-", dir=os.path.dirname(name))
    try:
        try:
            if old is None:
                os.umask(mask := os.umask(0o077))
                os.fchmod(file, 0o666 & ~mask)
            else:
                if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                    os.fchown(file, old.st_uid, old.st_gid)
                os.fchmod(file, stat.S_IMODE(old.st_mode))
            _write_all(file, data)
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(part, name)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def _overwrite(name, data):
    """Writes over the file, for which the disk has the room before the first byte changes."""
    file = os.open(name, os.O_WRONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(file).st_size
        if len(data) > size:
            try:
                os.posix_fallocate(file, 0, len(data))
            except OSError:
                os.ftruncate(file, size)
                raise
        _write_all(file, data)
        os.ftruncate(file, len(data))
        os.fsync(file)
    finally:
        os.close(file)
