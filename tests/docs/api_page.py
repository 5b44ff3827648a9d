#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Makes the tables of docs/api.md from the headers and from tests/rooms/rooms.txt.

api_page.py PROJECT [--update]: fails if the page differs; with --update it writes the page first.
check_pages.py runs the same comparison."""

import pathlib
import re
import sys

# The page that explains a room, or an entry header.
PAGES = {
    "core": "[Launch configuration](launch-config.md#check-without-a-device)",
    "error": "[Errors as values](error-values.md)",
    "dims": "[Grids](grids.md)",
    "args": "[Arguments](kernels.md#arguments)",
    "backend": "[Backends](backends.md)",
    "backend/host": "[The host backend](backends.md#the-host-backend)",
    "stream": "[Streams and events](streams.md)",
    "kernel": "[Kernels](kernels.md)",
    "launch": "[Launch configuration](launch-config.md), [migration](migration.md)",
    "memory": "[Buffers and copies](data.md)",
    "graph": "[Graphs](graphs.md)",
    "module": "[Modules](modules.md)",
    "handles": "[Library handles](handles.md)",
    "compare": "[Debugging wrong results](compare.md)",
    "debug/journal": "[Debugging launches](debugging.md)",
    "debug/data": "[Debugging wrong results](compare.md)",
    "debug": "[Debugging launches](debugging.md)",
    "debug/hooks": "[Debugging launches](debugging.md)",
    "debug/run": "[Compare two runs](debugging.md#compare-two-runs), [journal format](journal.md)",
    "race": "[Race detector](race-detector.md)",
    "print": "[Printing](error-values.md#printing)",
    "warpsafe.hpp": "[Getting started](tour.md)",
    "compare.hpp": "[Debugging wrong results](compare.md)",
    "debug.hpp": "[Debugging launches](debugging.md)",
    "graph.hpp": "[Graphs](graphs.md)",
    "host.hpp": "[The host backend](backends.md#the-host-backend)",
    "kernel_api.hpp": "[Kernels](kernels.md#functions-for-kernel-code)",
    "memory.hpp": "[Buffers and copies](data.md)",
    "module.hpp": "[Modules](modules.md)",
    "print.hpp": "[Printing](error-values.md#printing)",
    "race.hpp": "[Race detector](race-detector.md)",
}
BLOCK = re.compile(r"(<!-- (entries|rooms): .*? -->\n).*?(?=<!-- end -->)", re.S)


def rooms(project):
    """The rows of rooms.txt: each room's folder and what lives there."""
    lines = (project / "tests/rooms/rooms.txt").read_text().splitlines()
    rows = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return [(room, text) for room, text in rows if room != "entry"]


def summary(header):
    """The first sentence of a header's opening comment."""
    comment = re.search(r"#pragma once\n\n((?://.*\n)+)", header.read_text())
    text = " ".join(line.removeprefix("//").strip() for line in comment[1].splitlines()) if comment else ""
    return cell(re.split(r"(?<=[.;]) ", text)[0].rstrip(".;"))


def cell(text):
    """Text in a table, in which `<T>` is no tag."""
    return text.replace("<", r"\<")


def link(header, project):
    return f"[{header.name}](../{header.relative_to(project).as_posix()})"


def tables(project):
    root = project / "include/warpsafe"
    entries = ["| include | what it brings | page |", "| --- | --- | --- |"]
    entries += [f"| {link(header, project)} | {summary(header)} | {PAGES.get(header.name, '')} |"
                for header in sorted(root.glob("*.hpp"))]
    by_room = ["| room | what it holds | headers | page |", "| --- | --- | --- | --- |"]
    for room, text in rooms(project):
        headers = ", ".join(link(header, project) for header in sorted((root / room).glob("*.hpp")))
        by_room.append(f"| `{room}` | {cell(text)} | {headers or 'none'} | {PAGES.get(room, '')} |")
    return {name: "\n".join(["", *rows, "", ""]) for name, rows in (("entries", entries), ("rooms", by_room))}


def made(project):
    """The page as the headers are now."""
    new = tables(project)
    return BLOCK.sub(lambda found: found[1] + new[found[2]], (project / "docs/api.md").read_text())


def problems(project):
    if (project / "docs/api.md").read_text() != made(project):
        yield "api.md differs from the headers: run tests/docs/api_page.py PROJECT --update"
    known = {room for room, _ in rooms(project)}
    for header in sorted((project / "include/warpsafe").rglob("*.hpp")):
        folder = header.parent.relative_to(project / "include/warpsafe").as_posix()
        if "detail" not in folder.split("/") and folder not in known | {"."}:
            yield f"api.md: {folder} is no room"


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--update"]:
        (folder / "docs/api.md").write_text(made(folder))
    found = list(problems(folder))
    print("\n".join(found) or "api.md is what the headers are")
    sys.exit(1 if found else 0)
