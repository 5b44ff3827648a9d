#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Records of large jobs, and files that are cut, empty, changed or missing: check_files.py WARPSAFE_RANKS [SEED]"""

import json
import os
import pathlib
import random
import re
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading

import generated
from jobs import Asked, ranks

TOOL = sys.argv[1]
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def run(*words):
    return ranks(TOOL, *words)


def check_large(folder):
    generated.write(folder, 64, 1000)
    asked = Asked(TOOL, folder)
    found = asked.find("waits")
    expect(asked.status == 1 and found is not None, f"64 ranks: {asked.status} {asked.said['findings']} {asked.error}")
    if found:
        expect(found["collective"] == 1000 and found["sides"][0]["ranks"] == list(range(63)) and found["sides"][1]["ranks"] == [63],
               f"64 ranks: {found}")
    expect(asked.kinds() == ["waits"], f"64 ranks: other findings {asked.kinds()}")
    # One rank calls something else, long before the end.
    path = next(folder.glob("*.17.1017.nccl.1.collectives"))
    data = bytearray(path.read_bytes())
    for index in range(600, 1000):
        at = (index + 1) * 64
        data[at] ^= 0x5A
    data[601 * 64 + 24] = 77
    path.write_bytes(data)
    asked = Asked(TOOL, folder)
    found = asked.find("different")
    expect(found is not None and found["collective"] == 601 and {"of 333" in found["text"], [17] in [s["ranks"] for s in found["sides"]]}
           >= {True}, f"a different call: {asked.said['findings']}")


def check_outputs(folder):
    generated.write(folder, 4, 60)
    done = run(folder, "--html", folder / "page.html", "--timeline", folder / "timeline.json")
    expect(done.returncode == 1 and "ranks 0 to 2: called it" in done.stdout, f"text: {done.stdout} {done.stderr}")
    page = (folder / "page.html").read_text()
    expect(page.count("class=never title") == 1 and page.count("class=wait title") == 3, "the page's picture")
    expect(not re.search(r"https?://|<script", page), "the page needs a network or a script")
    events = json.loads((folder / "timeline.json").read_text())["traceEvents"]
    expect(sum(event["ph"] == "X" for event in events) == 4 * 60 - 1, "the timeline's events")
    # No output replaces a record, or another output.
    records = {path: path.read_bytes() for path in folder.iterdir()}
    record, link, name = next(folder.glob("*.process")), folder / "link", folder / "name"
    link.symlink_to(record)
    os.link(record, name)
    new = folder / "new"
    for words in (["--html", record], ["--html", link], ["--timeline", name], ["--html", next(folder.glob("*.collectives"))],
                  ["--html", folder / "page.html", "--timeline", folder / "page.html"], ["--html", new, "--timeline", f"{folder}/./new"]):
        done = run(folder, *words)
        expect(done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1 and "are the same file" in done.stderr
               and words[0] in done.stderr, f"{words}: {done.returncode} {done.stdout} {done.stderr}")
    with open(new, "w") as to:
        done = subprocess.run([sys.executable, TOOL, folder, "--html", new], stdout=to, stderr=subprocess.PIPE, text=True, check=False)
    expect(done.returncode == 2 and "and standard output are the same file" in done.stderr, f"the file of standard output: {done}")
    link.unlink(), name.unlink(), new.unlink()
    expect(records == {path: path.read_bytes() for path in folder.iterdir()}, "an output replaced a file")
    expect(run(folder, "--html", os.devnull, "--timeline", os.devnull).returncode == 1, "two outputs to a device")
    piped = subprocess.run(f"{sys.executable} {TOOL} {folder} | head -1", shell=True, capture_output=True, text=True, check=False)
    expect(piped.stderr == "", f"into head: {piped.stderr}")


class Service:
    """Stands in for NCCL's RAS: takes a line, answers in pieces, and closes."""

    def __init__(self, answer):
        self.asked, self._answer = b"", answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        connection, _ = self._socket.accept()
        with connection, self._socket:
            self.asked = connection.recv(100)
            for part in self._answer:
                connection.sendall(part)


def check_ras(folder):
    generated.write(folder, 2, 60)

    def ask(address, *words):
        return ranks(TOOL, folder, "--ras", *words, env={**os.environ, "NCCL_RAS_ADDR": address})

    service = Service((b"NCCL version 2.28.9\n\nWarn", b"ings\n  #0-0 MISMATCH\n"))
    done = ask(service.address)
    expect(service.asked == b"verbose status\n", f"RAS was asked {service.asked}")
    expect(done.returncode == 1 and done.stdout.endswith(f"NCCL's RAS at {service.address} says:\n  NCCL version 2.28.9\n\n  Warnings\n    #0-0 MISMATCH\n"),
           f"RAS: {done.stdout} {done.stderr}")
    service = Service((b"NCCL version 2.28.9",))
    said = json.loads(ask(service.address, "--json").stdout)["ras"]
    expect(said == {"address": service.address, "text": "NCCL version 2.28.9", "problem": None}, f"RAS: {said}")
    for address, why in ((Service(()).address, "closed the connection"), ("127.0.0.1:1", "refused"), ("nowhere", "NCCL_RAS_ADDR is HOST:PORT"),
                         ("host:\N{SUPERSCRIPT TWO}", "NCCL_RAS_ADDR is HOST:PORT"), ("x" * 70 + ":28028", "")):
        done = ask(address)
        expect(done.returncode == 1 and "does not answer" in done.stdout and why in done.stdout and not done.stderr, f"{address}: {done.stdout} {done.stderr}")


def check_foreign_texts(folder):
    """Names and answers from elsewhere do not control the terminal or the page."""
    generated.write(folder, 3, 20)
    for path in folder.glob("*.process"):
        path.write_text(path.read_text().replace("float32", "\\u001b[2Jfloat32\\u009b2J").replace('"NCCL"', '"<b>NCCL\\r"'))
    service = Service((b"\x1b]0;title\x07NCCL\n",))
    done = subprocess.run([sys.executable, TOOL, folder, "--ras", "--html", folder / "page.html"], capture_output=True, check=False,
                          env={**os.environ, "NCCL_RAS_ADDR": service.address})
    said = done.stdout.decode()
    expect(r"\x1b[2Jfloat32\x9b2J" in said and r"\x1b]0;title\x07NCCL" in said, f"foreign texts: {said}")
    expect(not any(letter in said for letter in "\x1b\x9b\x07\r"), f"foreign texts: {said!r}")
    page = (folder / "page.html").read_text()
    expect("&lt;b&gt;NCCL" in page and "<b>" not in page, "foreign texts: HTML in the page")


def check_wrong_types(folder):
    """A line whose fields are of other types is no line of a record, and a time that is no number is none."""
    generated.write(folder, 2, 20)
    originals = {path: path.read_bytes() for path in folder.iterdir()}
    for name, value in (("operations", 0), ("operations", [1]), ("rank", "x"), ("at_ns", []), ("size", None), ("host", 5), ("pid", 1 << 70),
                        ("word", {}), ("joined", "1"), ("exit", [])):
        for path in folder.glob("*.process"):
            lines = [json.loads(line) for line in originals[path].splitlines()]
            for line in lines:
                if name in line:
                    line[name] = value
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = run(folder, "--html", folder / "page.html", "--timeline", folder / "timeline.json")
        expect("Traceback" not in done.stderr, f"{name} {value}: {done.stderr}")
    for number in (float("nan"), float("inf"), -1e38):
        for path, data in originals.items():
            changed = bytearray(data)
            if path.suffix == ".collectives":
                for at in range(64, len(changed), 64):
                    changed[at + 60 : at + 64] = struct.pack("<f", number)
                changed[64 * 3 + 46 : 64 * 3 + 48] = struct.pack("<H", 5)  # it failed
            path.write_bytes(changed)
        done = run(folder, "--html", folder / "page.html", "--timeline", folder / "timeline.json")
        expect("Traceback" not in done.stderr, f"{number}: {done.stderr}")


def check_names(_):
    """Functions as addr2line and c++filt write them."""
    sys.path.insert(0, str(pathlib.Path(TOOL).parent))
    from warpsafe_ranks.places import short

    for function, name in (
        ("main", "main"),
        ("(anonymous namespace)::steps(int)", "steps"),
        ("int Trainer::step<std::vector<float, std::allocator<float> > >(int, bool) const", "Trainer::step"),
        ("c10d::ProcessGroupNCCL::allreduce(std::vector<at::Tensor>&, c10d::AllreduceOptions const&)", "c10d::ProcessGroupNCCL::allreduce"),
        ("run(int)::{lambda(int)#1}::operator()(int) const", "run"),
        ("??", ""),
    ):
        expect(short(function) == name, f"{function}: {short(function)}")


def check_end_while_read(folder):
    """A process that ends between the reading of its files and the look at its state has not died."""
    sys.path.insert(0, str(pathlib.Path(TOOL).parent))
    from warpsafe_ranks.job import Job

    generated.write(folder, 2, 20)
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    for path in folder.glob("*.process"):
        path.write_text(path.read_text().replace("boot-node0", boot).replace('"pid": 100', '"pid": 99999990'))
    job = Job(folder)
    expect(all(map(job.is_dead, job.processes)), "processes that are gone have died")
    job = Job(folder)
    for path in folder.glob("*.process"):
        with path.open("a") as file:
            file.write('{"exit":1700000000000000000}\n')
    expect(not any(map(job.is_dead, job.processes)), "processes that ended well have not died")


class TornReads:
    """A process that writes while its files are read: a read of a record finds the new state beside the old fields, as the copy of
    a page that another processor writes may; the same read again finds all. `first` is called before the first read of records."""

    def __init__(self, ending, state, first=lambda: None):
        self._ending, self._state, self._first = ending, state, first
        self._last = None

    def __enter__(self):
        self._pread, os.pread = os.pread, self._read

    def __exit__(self, *_error):
        os.pread = self._pread

    def _read(self, file, size, offset):
        self._first, first = lambda: None, self._first
        first()
        data = self._pread(file, size, offset)
        path = os.readlink(f"/proc/self/fd/{file}")
        last, self._last = self._last, (path, size, offset)
        if offset == 0 or not path.endswith(self._ending) or last == self._last:
            return data
        torn = bytearray(data)
        for at in range(0, size, 64):
            torn[at : at + self._state] = bytes(self._state)
        return bytes(torn)


def check_read_while_written(folder):
    """A job that goes on while its files are read has no finding and no damage for that."""
    generated.write(folder, 2, 20, made=[20, 20])
    clean = Asked(TOOL, folder)
    expect(clean.says_nothing(), f"a right job: {clean.said}")
    with TornReads(".collectives", 46):
        torn = Asked(TOOL, folder)
    expect(torn.says_nothing(), f"records that are written while they are read: {torn.said['findings']} {torn.said['problems']}")
    records = b"".join(struct.pack("<8Q", 5, 7, 0, 0, 0, 0, 0, 3) for _ in range(20))
    for path in folder.glob("*.collectives"):
        path.with_suffix(".checksums").write_bytes(path.read_bytes()[:64] + records + bytes(64))
    with TornReads(".1001.nccl.1.checksums", 56):
        torn = Asked(TOOL, folder)
    expect(torn.says_nothing(), f"checksums that are written while they are read: {torn.said['findings']}")
    for path in folder.glob("*.checksums"):
        path.unlink()

    # The last call of each rank has a type and a place that were written after the names were read, and one rank has made a communicator.
    packed = generated.records(20)
    fields = list(generated.RECORD.unpack_from(packed, 19 * 64))
    fields[5], fields[7] = 2, 3
    generated.RECORD.pack_into(packed, 19 * 64, *fields)
    for rank, path in enumerate(sorted(folder.glob("*.collectives"))):
        path.write_bytes(generated.HEADER.pack(b"wsranks1", 1, 1000 + rank, 0) + generated.opened(packed, 19)[: 64 * (20 - rank)] + bytes(64 * (43 + rank)))
    names = {path: path.read_text().replace('{"exit": 1700000010020000000}\n', "") for path in folder.glob("*.process")}
    for path, text in names.items():
        path.write_text(text + '{"place": 2, "ob')

    def go_on():
        for path in names:
            with path.open("a") as file:
                file.write('ject": "/opt/new", "offset": 16, "function": ""}\n{"word": 3, "name": "bfloat16"}\n')
                if ".1000." in path.name:
                    file.writelines(json.dumps(line) + "\n" for line in generated.member_lines(2, "fedcba9876543210", 0, 1))
        first = next(folder.glob("*.0.1000.*.collectives"))
        first.with_name(first.name.replace(".1.collectives", ".2.collectives")).write_bytes(generated.record_file(0, 2, [fields]))

    with TornReads("none", 0, go_on):
        asked = Asked(TOOL, folder)
    found = asked.find("waits")
    expect(found is not None and "1024 bfloat16" in found["text"] and found["sides"][0]["place"] == "new+0x10" and asked.kinds() == ["waits"]
           and not asked.said["problems"], f"names that are written while they are read: {asked.said}")


def check_stale_heartbeat(folder):
    """On a busy machine, the time that a killed process wrote last may lie before its last call."""
    generated.write(folder, 4, 10)
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    for path in folder.glob("*.process"):
        path.write_text(path.read_text().replace("boot-node0", boot).replace('"pid": 100', '"pid": 99999990'))
    for path in folder.glob("*.messages"):
        magic, number, pid, _ = generated.HEADER.unpack(path.read_bytes()[: generated.HEADER.size])
        path.write_bytes(generated.HEADER.pack(magic, number, pid, generated.BEGIN) + bytes(64 * 63))
    expect(Asked(TOOL, folder).kinds() == ["died", "waits"], f"an old heartbeat: {Asked(TOOL, folder).kinds()}")


def check_refused(folder):
    for words, status, text in (
        ((folder / "nowhere",), 2, "is not a folder"),
        ((folder,), 2, "has no records"),
        ((folder, "--last", "0"), 2, "--last 0: write a number"),
        ((folder, "--after", "-1"), 2, "--after -1.0: write a number"),
    ):
        done = run(*words)
        expect(done.returncode == status and text in done.stderr, f"{words}: {done.returncode} {done.stderr}")


def check_no_output(folder):
    """Without a place for messages there are still the report and the status."""
    generated.write(folder / "good", 2, 20, made=(20, 20))
    for to in ("2>/dev/full", "2>&-"):
        for name, status, says in (("good", 0, "all ranks made the same calls"), ("nowhere", 2, ""), (".", 2, "")):
            done = subprocess.run(f"{sys.executable} {TOOL} {folder / name} {to}", shell=True, stdout=subprocess.PIPE, text=True, check=False)
            expect(done.returncode == status and says in done.stdout and bool(says) == bool(done.stdout), f"{name} {to}: {done}")
    # Without a place for the report there is no status of one.
    for to, why in ((">/dev/full", "No space left on device"), (">&-", "standard output is closed")):
        done = subprocess.run(f"{sys.executable} {TOOL} {folder / 'good'} {to}", shell=True, stderr=subprocess.PIPE, text=True, check=False)
        expect(done.returncode == 2 and why in done.stderr, f"{to}: {done}")


def check_stopped(folder):
    """A record that ends early says nothing about later calls."""
    ended, waiting = folder / "ended", folder / "waiting"

    def stop(records, rank, why="No space left on device"):
        with next(records.glob(f"*.{rank}.*.process")).open("a") as file:
            file.write(json.dumps({"stopped": why, "at_ns": generated.BEGIN}) + "\n")

    generated.write(ended, 4, 20, made=(20, 5, 8, 3))
    stop(ended, 1)
    stop(ended, 2)
    stop(ended, 3, "the program has closed the record's file")
    notes = ["the record of ranks 1 and 2 ends early, after 5 to 8 calls: No space left on device",
             "the record of rank 3 ends early, after 3 calls: the program has closed the record's file"]
    done = run(ended, "--html", folder / "page.html")
    expect((done.returncode, done.stdout) == (0, "4 of 4 ranks on 1 host, 1 communicator, 36 collectives\n" + "".join(
        f"note: {note}\n" for note in notes) + "no finding in the calls that were recorded\n"), f"stopped: {done}")
    expect(notes[0] in (folder / "page.html").read_text(), "stopped: the page")
    said = Asked(TOOL, ended).said
    expect(said["problems"] == notes and [process["stopped"] for process in said["processes"]] == [
        None, "No space left on device", "No space left on device", "the program has closed the record's file"], f"stopped: {said}")
    # A rank that the others may wait for: in a collective, in another communicator and in a message. It may have made its third communicator.
    waiting.mkdir()
    late = generated.BEGIN + 10_000_000_000
    for rank in range(2):
        stem = waiting / f"node0.{rank}.{1000 + rank}.nccl"
        members = [line for number in (1, 2) for line in generated.member_lines(number, f"{number:016x}", rank, 2)]
        members += generated.member_lines(3, f"{3:016x}", rank, 2)[:1] * rank
        pathlib.Path(f"{stem}.process").write_text("".join(json.dumps(line) + "\n" for line in (generated.process_line("node0", rank, rank, 2), *members)))
        opened = (0, generated.BEGIN, 0, 64, 0, 0, 0, 0, 0, 2, -1, 0, 0, 0.0)
        for number in range(1, 3 + rank):
            pathlib.Path(f"{stem}.{number}.collectives").write_bytes(generated.record_file(rank, number, [opened] * (number == rank + 1)))
        send = (0, generated.BEGIN, 0, 64, 1, 0, 1000, 0, 1, 2, 1, 0, 0, 0.0)
        pathlib.Path(f"{stem}.messages").write_bytes(generated.record_file(rank, 0, [send] * (1 - rank), late))
    stop(waiting, 1)
    asked = Asked(TOOL, waiting)
    expect(asked.kinds() == ["waits", "waits", "message"], f"stopped, and waited for: {asked.said['findings']}")
    if asked.kinds() == ["waits", "waits", "message"]:
        first, _, message = asked.said["findings"]
        expect(first["sides"][1]["what"] == "its record ends early, after all_reduce of 64 bytes (communicator 2)", f"stopped, and waited for: {first}")
        expect(message["text"].endswith("; the record of rank 1 ends before the receive"), f"stopped, and waited for: {message}")


def changed_lines(folder, change):
    """Passes the lines of each file of names through change(list of lines)."""
    for path in folder.glob("*.process"):
        path.write_text("".join(change(path.read_text().splitlines(keepends=True))))


def check_damage(folder):
    """A damaged record is a sentence with the file and the place, and a status of its own."""

    def huge(number):
        return lambda lines: [re.sub(r'"size": \d+', f'"size": {1 << 60}', line) if at == number else line for at, line in enumerate(lines)]

    def state(rank, index, value):
        path = next(folder.glob(f"*.{rank}.*.collectives"))
        data = bytearray(path.read_bytes())
        struct.pack_into("<H", data, 64 * (index + 1) + 46, value)
        path.write_bytes(data)

    def collectives(rank):
        return next(folder.glob(f"*.{rank}.*.collectives"))

    def page(rank, number, made_of):
        """In place of a page of 4096 bytes: another one, or zeros."""
        data = bytearray(collectives(rank).read_bytes())
        data[4096 * number : 4096 * (number + 1)] = bytes(4096) if made_of is None else data[4096 * made_of :][:4096]
        collectives(rank).write_bytes(data)

    def without_line(rank, kind):
        path = next(folder.glob(f"*.{rank}.*.process"))
        path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if kind not in line))

    for what, damage, status, says in (
        ("none", lambda: None, 1, ""),
        # Where the search for the last record looks, and where it does not.
        *((f"page {number} of zeros", lambda number=number: page(1, number, None), 3,
           f"node0.1.1001.nccl.1.collectives: offset {4096 * number}: a record is empty, and later ones are not") for number in range(1, 6)),
        ("a page twice", lambda: page(1, 3, 2), 3, "node0.1.1001.nccl.1.collectives: offset 12288: record 127 of the process follows record 190"),
        ("an older page at the end", lambda: page(1, 5, 4), 3, "node0.1.1001.nccl.1.collectives: offset 20480: record 255 of the process follows record 318"),
        ("pages that are gone", lambda: os.truncate(collectives(1), 4096 * 2), 3,
         "node0.1.1001.nccl.1.collectives: offset 8192: the file is cut: its process made room for more records"),
        ("a cut record", lambda: os.truncate(collectives(1), 4096 * 2 + 7), 3, "offset 8199: the file is cut"),
        ("room that is gone", lambda: os.truncate(collectives(1), 64 * 402), 1, ""),
        ("a communicator without its line", lambda: without_line(1, '"communicator"'), 3,
         "node0.1.1001.nccl.process: the line of communicator 1 is missing"),
        ("a job of 2^60 ranks", lambda: changed_lines(folder, huge(0)), 3,
         "node0.0.1000.nccl.process: offset 0: the first line is missing; node0.0.1000.nccl.process: offset 0: line 1 is not a line of a record "
         "(size 1152921504606846976, where 4194304 is the most)"),
        ("a communicator of 2^60 ranks", lambda: changed_lines(folder, huge(2)), 3, "line 3 is not a line of a record (size 1152921504606846976"),
        ("lists in lists", lambda: changed_lines(folder, lambda lines: [*lines, "[" * 200000 + "\n"]), 3, "line 8 is not a line of a record ("),
        ("an unknown state", lambda: state(1, 5, 7), 3, "node0.1.1001.nccl.1.collectives: offset 384: a record has the state 7, which does not exist"),
        ("half a character", lambda: changed_lines(folder, lambda lines: [line.replace("float32", "\\ud800") for line in lines]), 1, ""),
        ("a last line that is cut", lambda: changed_lines(folder, lambda lines: [*lines[:-1], lines[-1][:-3]]), 1, "it is cut, as the last one of a process"),
        ("a file that is cut in its header", lambda: os.truncate(next(folder.glob("*.1.*.collectives")), 40), 3,
         "node0.1.1001.nccl.1.collectives: offset 40: the file ends in its header"),
        ("a file of something else", lambda: next(folder.glob("*.1.*.messages")).write_bytes(bytes(640)), 3,
         "node0.1.1001.nccl.messages: offset 0: the file does not begin as a record of warpsafe"),
    ):
        for path in folder.iterdir():
            path.unlink()
        generated.write(folder, 3, 400)
        damage()
        for words in ((), ("--json",), ("--html", folder / "page"), ("--timeline", folder / "events")):
            done = run(folder, *words)
            text = done.stdout + done.stderr
            expect(done.returncode == status and says in text and "Traceback" not in text and "does not know" not in text,
                   f"{what} {words}: {done.returncode} {done.stdout} {done.stderr}")
            expect(done.returncode == 1 or "all ranks made the same calls" not in text, f"{what}: it is clean")


def check_written(folder):
    """What is written never destroys what was there."""
    generated.write(folder, 3, 20)
    page, log = folder / "page.html", folder / "log"
    page.write_text("the old page\n")
    page.chmod(0o640)
    generated_by = [sys.executable, TOOL, folder]
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # noqa: E731
    for option in ("--html", "--timeline"):
        done = subprocess.run([*generated_by, option, page], capture_output=True, text=True, check=False, preexec_fn=limit)
        expect((done.returncode, done.stdout, done.stderr) == (2, "", f"warpsafe-ranks: {page}: File too large\n"), f"{option}: {done}")
        expect(page.read_text() == "the old page\n" and not list(folder.glob(".warpsafe-*")), f"{option}: the old page is gone")
    done = run(folder, "--html", page)
    expect(done.returncode == 1 and "<html" in page.read_text() and page.stat().st_mode & 0o777 == 0o640, f"a page: {done} {page.stat()}")
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        log.write_text("before\n")
        with open(log, "a") as to:
            done = subprocess.run([*generated_by, "--html", name], stdout=to, stderr=to, check=False)
        expect(done.returncode == 1 and log.read_text().startswith("before\n<!doctype") and "ranks 0 and 1: called it" in log.read_text(),
               f"{name}: {log.read_text()[:40]}")


def check_broken(folder, chance):
    """Whatever the files hold, the tool says what it can, and one line for what it cannot read."""
    generated.write(folder, 3, 20)
    for path in folder.glob("*.collectives"):
        records = b"".join(struct.pack("<8Q", 5, 7, index % 7 == 3, 0, 1, 0, 0, 3) for index in range(20))
        path.with_suffix(".checksums").write_bytes(path.read_bytes()[:64] + records + bytes(64))
    for path in folder.glob("*.messages"):
        path.with_suffix(".message_checksums").write_bytes(path.read_bytes()[:64] + records + bytes(64))
    originals = {path: path.read_bytes() for path in folder.iterdir()}
    for turn in range(60):
        for path, data in originals.items():
            path.write_bytes(data)
        for _ in range(chance.randint(1, 3)):
            path = chance.choice(list(originals))
            data = bytearray(path.read_bytes() if path.exists() else b"")
            kind = chance.choice(("cut", "bytes", "remove", "line", "number"))
            if kind == "cut":
                del data[chance.randint(0, len(data)) :]
            elif kind == "remove":
                path.unlink(missing_ok=True)
                continue
            elif kind == "line":
                data = bytearray(data.replace(b'"rank":', b'"rnk":', 1).replace(b"]", b"", 1))
            elif kind == "number":
                data = bytearray(re.sub(rb":\d+", lambda _: b":" + chance.choice((b"-5", b"null", b'"x"', b"[]", b"1e99", b"99999")), bytes(data),
                                        count=chance.randint(1, 5)))
            elif data:
                for _ in range(chance.randint(1, 20)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
            path.write_bytes(data)
        done = run(folder, "--json")
        expect(done.returncode in (0, 1, 2, 3) and "Traceback" not in done.stderr and "does not know" not in done.stderr,
               f"turn {turn}: {done.returncode}\n{done.stderr}")


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for check in (check_large, check_names, check_outputs, check_end_while_read, check_read_while_written, check_stale_heartbeat, check_ras, check_refused,
                  check_foreign_texts, check_wrong_types, check_no_output, check_stopped, check_damage, check_written):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_broken(pathlib.Path(folder), random.Random(seed))
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
