# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The files of one process, as tools/ranks/record writes them (tools/ranks/docs/files.md)."""

import collections
import dataclasses
import enum
import errno
import glob
import io
import json
import math
import os
import pathlib
import re
import struct

RECORD = struct.Struct("<QqqQIIHHHHiIIf")
ENDINGS = (".process", ".messages", ".collectives", ".checksums", ".message_checksums")
HEADER = struct.Struct("<8sIIq40x")
MAGIC = b"wsranks1"
SEND, RECEIVE = 1000, 1001
# The places of the number and of the state in an unpacked record.
ORDER, STATE = 4, 9
# The offset and the size of the state in a record of a call and in one of checksums, in bytes.
CALL_STATE, CHECKSUM_STATE = (46, 2), (56, 4)

# How a file of records grows (tools/ranks/record/record_file.hpp), in records.
FIRST_CHUNK, LARGEST_CHUNK = 64, 16384
# A damaged page may be as large as this (in bytes), and so many are read at once.
PIECE = 1 << 16
EMPTY = "a record is empty, and later ones are not"

# No job has more processes; a larger number is damage, and a list of all ranks would exhaust the memory.
MOST_RANKS = 1 << 22


class Damage(ValueError):
    """A file that holds what no process writes."""

    def __init__(self, path, offset, what):
        super().__init__(f"{pathlib.Path(path).name}: offset {offset}: {what}")
        self.path = str(path)


# The fields of the files of names that are no texts.
NUMBERS = {"warpsafe_ranks", "pid", "rank", "local_rank", "size", "at_ns", "word", "place", "offset", "caller", "line",
           "communicator", "parent", "joined", "status", "left", "exit", "stream"}
HEADER_FIELDS = ("host", "boot", "pid", "rank", "size", "operations")


def checked(line):
    """The same line with texts that can be written. Raises TypeError for a damaged one."""
    for name, value in line.items():
        expected = int if name in NUMBERS else list if name == "operations" else str
        if type(value) is not expected or (expected is int and abs(value) >= 1 << 63):
            raise TypeError(f"the type of {name}")
        if expected is list and not all(isinstance(word, str) for word in value):
            raise TypeError(f"the type of {name}")
        if name in ("rank", "size") and value > MOST_RANKS:
            raise TypeError(f"{name} {value}, where {MOST_RANKS} is the most")
        if expected is str:
            line[name] = unpaired(value)
        elif expected is list:
            line[name] = [unpaired(word) for word in value]
    return line


def unpaired(text):
    """A text without halves of characters, which JSON can hold and no file can."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class State(enum.IntEnum):
    """How far a call is."""

    FREE = 0
    BEGUN = 1
    SUBMITTED = 2
    UNWATCHED = 3
    ENDED = 4
    FAILED = 5


@dataclasses.dataclass(frozen=True)
class Record:
    """A collective or a message."""

    digest: int
    begin_ns: int
    end_ns: int
    count: int
    order: int
    place: int
    operation: int
    type: int
    reduction: int
    state: int
    root: int
    stream: int
    group: int
    device_us: float

    @property
    def tag(self):
        """Of a message; -1: any."""
        tag = self.digest >> 32
        return tag - (1 << 32) if tag >> 31 else tag

    @property
    def arrived_ns(self):
        """When this member was ready: on the device, where its end is known, otherwise in the call."""
        if 0 < self.device_us < math.inf and self.state == State.ENDED:
            return self.end_ns - int(self.device_us * 1000)
        return self.begin_ns

    @property
    def status(self):
        """What a call that failed returned."""
        return int(self.device_us) if math.isfinite(self.device_us) else 0


# A record without what a class costs, where many are read.
Fields = collections.namedtuple("Fields", [field.name for field in dataclasses.fields(Record)])


class OpenFiles:
    """The files that were read last. A large job has more files than a process may open, and to map them would count as
    this process' memory."""

    MOST = 200

    def __init__(self):
        self._files = collections.OrderedDict()

    def read(self, path, offset, size):
        file = self._files.pop(path, None)
        if file is None:
            if len(self._files) >= self.MOST:
                os.close(self._files.popitem(last=False)[1])
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._files[path] = file
        return os.pread(file, size, offset)

    def read_records(self, path, offset, size, state):
        """Whole records. Their process may write them meanwhile, and a read can see a new state beside old fields. A process
        writes the state last, so each record gets the state that it had before its fields were read."""
        before, data = self.read(path, offset, size), self.read(path, offset, size)
        if before == data:
            return data
        begin, width = state
        settled = bytearray(data[: len(before)])
        for at in range(begin, len(settled), RECORD.size):
            settled[at : at + width] = before[at : at + width]
        return bytes(settled)


class Records:
    """The records of a file. Single ones are read: a file of a long run is never read whole."""

    FILES = OpenFiles()

    def __init__(self, path):
        self._path = str(path)
        size = os.stat(path).st_size
        if size == 0:
            raise FileNotFoundError(errno.ENOENT, "it is empty", self._path)
        if size < RECORD.size:
            raise Damage(path, size, "the file ends in its header")
        magic, self.communicator, self.pid, self.heartbeat_ns = HEADER.unpack(self.FILES.read(self._path, 0, HEADER.size))
        if magic != MAGIC:
            raise Damage(path, 0, "the file does not begin as a record of warpsafe")
        self._count = self._end(size)
        self.check_around(self._count - 1)

    def _end(self, size):
        """How many records there are. The file has room for more: the first free one is behind the last one."""
        low, room = 0, size // RECORD.size - 1
        while True:
            high = room
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if self._is_free(middle) else (middle + 1, high)
            if low == room and not _is_grown(size):
                raise Damage(self._path, size, "the file is cut: its process made room for more records")
            if low == room or not self._has_data_behind(low, size):
                return low
            # If the process has not written it since, it was never the first free one.
            if self._is_free(low):
                raise Damage(self._path, (low + 1) * RECORD.size, EMPTY)

    def _is_free(self, index):
        return self._fields(index, self._read(index, index + 1))[0][STATE] == State.FREE

    def _has_data_behind(self, index, size):
        """Whether anything is written behind this record. The record may be half written."""
        for offset in range((index + 2) * RECORD.size, size, PIECE):
            data = self.FILES.read(self._path, offset, min(PIECE, size - offset))
            if data.count(0) != len(data):
                return True
        return False

    def check_around(self, index):
        """Raises Damage if a page near this record is not the one that was written there."""
        first = max(0, index - PIECE // RECORD.size)
        records = self.window(first, min(self._count, index + PIECE // RECORD.size))
        for at, (before, after) in enumerate(zip(records, records[1:]), first + 1):
            if after[ORDER] <= before[ORDER]:
                raise Damage(self._path, (at + 1) * RECORD.size,
                             f"record {after[ORDER]} of the process follows record {before[ORDER]}")

    def _unpacked(self, first, data):
        """The fields of records from `first` on, which exist."""
        found = self._fields(first, data)
        for index, record in enumerate(found, first):
            if record[STATE] == State.FREE:
                raise Damage(self._path, (index + 1) * RECORD.size, EMPTY)
        return found

    def _fields(self, first, data):
        found = list(RECORD.iter_unpack(data))
        for index, record in enumerate(found, first):
            if record[STATE] > State.FAILED:
                raise Damage(self._path, (index + 1) * RECORD.size, f"a record has the state {record[STATE]}, which does not exist")
        return found

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        return Record(*self._unpacked(index, self._read(index, index + 1))[0])

    def _read(self, first, end):
        offset, size = (first + 1) * RECORD.size, (end - first) * RECORD.size
        data = self.FILES.read_records(self._path, offset, size, CALL_STATE)
        if len(data) != size:
            raise Damage(self._path, offset + len(data), "the file became shorter while it was read")
        return data

    def window(self, first, end):
        """The fields of the records from `first` to before `end`, each as a tuple."""
        return self._unpacked(first, self._read(first, end))

    def open_ones(self, most=1000):
        """The indices of the records that have not ended, of the last `most`. Later ones may have ended: a request of MPI
        ends in a wait of its own."""
        first = max(0, self._count - most)
        return [index for index, record in enumerate(self.window(first, self._count), first)
                if record[STATE] in (State.BEGUN, State.SUBMITTED)]


class Checksums:
    """What the collectives of a member read and wrote, by their numbers. Read by column: most runs have no finding, and
    whole columns are compared at once."""

    SIZE = 64
    INPUT, OUTPUT, INPUT_NANS, INPUT_INFINITIES, INPUT_FIRST, OUTPUT_NANS, OUTPUT_INFINITIES, STATE = range(8)
    HAS_INPUT, HAS_OUTPUT = 1, 2

    def __init__(self, path, count):
        self._path = str(path)
        header = Records.FILES.read(self._path, 0, HEADER.size)
        if len(header) < HEADER.size or HEADER.unpack(header)[0] != MAGIC:
            raise Damage(path, 0, "the file does not begin as a record of warpsafe")
        self._count = max(0, min(count, os.stat(path).st_size // self.SIZE - 1))

    def __len__(self):
        return self._count

    def window(self, first, end):
        """A function that gives a column of the records from `first` to before `end`."""
        data = Records.FILES.read_records(self._path, (first + 1) * self.SIZE, (end - first) * self.SIZE, CHECKSUM_STATE)
        if len(data) != (end - first) * self.SIZE:
            raise Damage(self._path, (first + 1) * self.SIZE + len(data), "the file became shorter while it was read")
        numbers = memoryview(data).cast("Q")
        return lambda column: numbers[column :: self.SIZE // 8]


def _is_grown(size):
    """Whether a file has this size in bytes after some number of chunks."""
    total, chunk = 0, FIRST_CHUNK
    while total < size and chunk < LARGEST_CHUNK:
        total += chunk * RECORD.size
        chunk *= 2
    return total == size or (total < size and (size - total) % (LARGEST_CHUNK * RECORD.size) == 0)


class NoRecords:
    """In place of a file that cannot be read."""

    heartbeat_ns = 0

    def __len__(self):
        return 0

    def open_ones(self, _most=0):
        return []


class Member:
    """A process in a communicator."""

    def __init__(self, library, line):
        self.library = library  # of this process: the file of names with its words
        self.number = line["communicator"]
        self.id = line["id"]
        self.kind = line["library"]
        self.rank = line["rank"]
        self.size = line["size"]
        self.parent = line.get("parent", 0)
        self.place = line.get("place", 0)
        self.made_ns = line["at_ns"]
        self.is_joined = False
        self.failed_with = 0
        self.left = ""
        self.records = NoRecords()
        self.checksums = NoRecords()

    @property
    def process(self):
        return self.library.process


class Library:
    """What one library (NCCL or MPI) recorded in a process. `damaged`: files to leave out, with the reason."""

    def __init__(self, stem, damaged):
        self.stem = stem
        self._damaged = damaged
        self.process = None
        self.header = {}
        self.words, self.places, self.members = {}, {}, {}
        self.exit_ns = 0
        self.stopped = ""
        self.problems, self.is_damaged = [], False
        self._bytes_read, self._lines_read = 0, 0
        self._read_names(is_rest=False)
        if not self.header:
            self._read_names(is_rest=True)
        if not self.header:
            raise Damage(f"{self.stem}.process", 0, "; ".join(["the first line is missing", *self.problems[:1]]))
        self.messages = self._records(".messages")
        self.message_checksums = self._checksums(".message_checksums", len(self.messages))
        for member in self.members.values():
            member.records = self._records(f".{member.number}.collectives")
            member.checksums = self._checksums(f".{member.number}.checksums", len(member.records))
        others = self._other_communicators()
        # A process that still runs writes a name, and then the record that has its number: the records may have names that were
        # not there before. A communicator that is that new has no records here, and counts as one that is not made yet.
        before = dict(self.members)
        self._read_names(is_rest=True)
        for number in others - self.members.keys():
            self._damage(f"{self.stem.name}.process: the line of communicator {number} is missing")
        self.members = before

    def _other_communicators(self):
        """The numbers of communicators that have records and no line so far. Each has its line before its first record."""
        paths = self.stem.parent.glob(f"{glob.escape(self.stem.name)}.*.collectives")
        named = ((path.name[len(self.stem.name) + 1 :].partition(".")[0], path) for path in sorted(paths))
        return {int(number) for number, path in named
                if number.isdecimal() and int(number) not in self.members and len(self._opened(path, Records))}

    def _damage(self, text):
        self.problems.append(text)
        self.is_damaged = True

    def _opened(self, path, reader, *more):
        try:
            if str(path) in self._damaged:
                raise ValueError(self._damaged[str(path)])
            return reader(path, *more)
        except FileNotFoundError as error:  # nothing was recorded, as on a full disk
            self.problems.append(f"{path.name}: {error.strerror}")
        except OSError as error:
            self._damage(f"{path.name}: {error.strerror}")
        except ValueError as error:
            self._damage(str(error))
        return NoRecords()

    def _records(self, ending):
        return self._opened(pathlib.Path(f"{self.stem}{ending}"), Records)

    def _checksums(self, ending, count):
        path = pathlib.Path(f"{self.stem}{ending}")
        return self._opened(path, Checksums, count) if path.exists() else NoRecords()

    def _read_names(self, is_rest):
        """Reads the lines that were not read before. A line whose end is not written yet belongs to the rest."""
        with open(f"{self.stem}.process", "rb") as file:
            file.seek(self._bytes_read)
            data = file.read()
        if not is_rest:
            data = data[: data.rfind(b"\n") + 1]
        for line in io.BytesIO(data):
            begin, self._bytes_read = self._bytes_read, self._bytes_read + len(line)
            self._lines_read += 1
            if line == b"\n":
                continue
            try:
                self._take(json.loads(line.decode(errors="replace")))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                says = f"{self.stem.name}.process: offset {begin}: line {self._lines_read} is not a line of a record"
                if not line.endswith(b"\n"):
                    self.problems.append(f"{says}: it is cut, as the last one of a process that was killed can be")
                else:
                    self._damage(f"{says} ({str(error)[:200]})")

    def _take(self, line):
        line = checked(line)
        if "warpsafe_ranks" in line:
            if any(name not in line for name in HEADER_FIELDS):
                raise KeyError("a field of the first line")
            self.header = line
        elif "word" in line:
            self.words[line["word"]] = line["name"]
        elif "place" in line and "object" in line:
            self.places[line["place"]] = line
        elif "communicator" in line:
            self.members[line["communicator"]] = Member(self, line)
        elif "joined" in line:
            member = self.members[line["joined"]]
            member.failed_with = line["status"]
            if line["status"] == 0:
                member.is_joined = True
                # A communicator that does not block may not know them yet.
                if line["rank"] >= 0 and line["size"] >= 0:
                    member.rank, member.size = line["rank"], line["size"]
        elif "left" in line:
            self.members[line["left"]].left = line["how"]
        elif "exit" in line:
            self.exit_ns = line["exit"]
        elif "stopped" in line:
            self.stopped = line["stopped"]
        elif "no_checksums" in line:
            self.problems.append(f"{self.stem.name}: there are no checksums: {line['no_checksums']}")

    def ended_since(self):
        """Looks for an end that was written after the file was read."""
        with open(f"{self.stem}.process", "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 1000))
            ends = re.findall(rb'^\{"exit":(\d+)', file.read(), re.MULTILINE)
        if ends:
            self.exit_ns = int(ends[-1])

    def operation(self, record):
        if record.operation in (SEND, RECEIVE):
            return "send" if record.operation == SEND else "receive"
        names = self.header["operations"]
        return names[record.operation] if record.operation < len(names) else f"operation {record.operation}"


class Process:
    """A process of the job."""

    def __init__(self, first):
        header = first.header
        self.host, self.boot, self.pid = header["host"], header["boot"], header["pid"]
        self.rank, self.size = header["rank"], header["size"]
        self.program = header.get("program", "")
        self.libraries = []

    def add(self, library):
        library.process = self
        self.libraries.append(library)

    @property
    def members(self):
        return [member for library in self.libraries for member in library.members.values()]

    @property
    def exit_ns(self):
        return max(library.exit_ns for library in self.libraries)

    @property
    def stopped(self):
        """Why its record ends early; "": it does not."""
        return next((library.stopped for library in self.libraries if library.stopped), "")

    @property
    def calls(self):
        """How many calls were recorded."""
        return sum(len(library.messages) for library in self.libraries) + sum(len(member.records) for member in self.members)

    @property
    def heartbeat_ns(self):
        return max(library.messages.heartbeat_ns for library in self.libraries)

    def __str__(self):
        return f"rank {self.rank}" if self.rank >= 0 else f"process {self.pid} on {self.host}"


def read(folder, damaged):
    """The processes with records in `folder`, by rank, what could not be read, and whether that is damage."""
    processes, problems, is_damaged = {}, [], False
    for path in sorted(pathlib.Path(folder).glob("*.process")):
        try:
            library = Library(path.with_suffix(""), damaged)
        except (OSError, ValueError) as error:
            # A process that has just begun has written nothing yet.
            is_damaged = is_damaged or not (path.exists() and path.stat().st_size == 0)
            problems.append(str(error))
            continue
        problems += library.problems
        is_damaged = is_damaged or library.is_damaged
        header = library.header
        key = header["host"], header["boot"], header["pid"]
        if key not in processes:
            processes[key] = Process(library)
        processes[key].add(library)
    found = sorted(processes.values(), key=lambda process: (process.rank < 0, process.rank, process.host, process.pid))
    return found, problems, is_damaged
