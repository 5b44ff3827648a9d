#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Makes the tables of docs/reference/api.md from the headers and from tests/rooms/rooms.txt.

api_page.py PROJECT [--update]: fails if the page differs; with --update it writes the page first.
check_pages.py runs the same comparison."""

import pathlib
import re
import sys

# The page that explains a room, or an entry header.
PAGES = {
    "core": "[Launch configuration](../guide/launch-config.md#check-without-a-device)",
    "error": "[Errors as values](../guide/error-values.md)",
    "dims": "[Grids](../guide/grids.md)",
    "args": "[Arguments](../guide/kernels.md#arguments)",
    "backend": "[Backends](../guide/backends.md)",
    "backend/host": "[The host backend](../guide/backends.md#the-host-backend)",
    "stream": "[Streams and events](../guide/streams.md)",
    "kernel": "[Kernels](../guide/kernels.md), [device code](../guide/device-code.md)",
    "launch": "[Launch configuration](../guide/launch-config.md), [migration](../guide/migration.md)",
    "memory": "[Buffers and copies](../guide/data.md), [memory lifetime](../guide/memory-lifetime.md)",
    "graph": "[Graphs](../guide/graphs.md)",
    "module": "[Modules](../guide/modules.md)",
    "handles": "[Library handles](../guide/handles.md)",
    "compare": "[Debugging wrong results](../tools/compare.md)",
    "debug/journal": "[Debugging launches](../tools/debugging.md)",
    "debug/data": "[Debugging wrong results](../tools/compare.md), [record and replay](../tools/compare.md#record-and-replay-a-launch)",
    "debug": "[Debugging launches](../tools/debugging.md), [log](../tools/log.md), [hangs](../tools/hangs.md)",
    "debug/hooks": "[Debugging launches](../tools/debugging.md)",
    "debug/run": "[Compare two runs](../tools/compare-runs.md#compare-two-runs), [journal format](../tools/compare-runs.md#journal-file-format)",
    "race": "[Race detector](../tools/race-detector.md)",
    "print": "[Printing](../guide/error-values.md#printing)",
    "tool": "[Observers and tools](../internals/observer.md)",
    "warpsafe.hpp": "[Getting started](../guide/tour.md)",
    "compare.hpp": "[Debugging wrong results](../tools/compare.md)",
    "debug.hpp": "[Debugging launches](../tools/debugging.md)",
    "device_check.hpp": "[Checks in kernels](../guide/modules.md#checks-in-kernels)",
    "graph.hpp": "[Graphs](../guide/graphs.md)",
    "host.hpp": "[The host backend](../guide/backends.md#the-host-backend)",
    "kernel_api.hpp": "[Device code](../guide/device-code.md)",
    "memory.hpp": "[Buffers and copies](../guide/data.md)",
    "module.hpp": "[Modules](../guide/modules.md)",
    "print.hpp": "[Printing](../guide/error-values.md#printing)",
    "race.hpp": "[Race detector](../tools/race-detector.md)",
    "tool_api.hpp": "[Observers and tools](../internals/observer.md)",
}
BLOCK = re.compile(r"(<!-- (entries|rooms): .*? -->\n).*?(?=<!-- end -->)", re.S)


def pages(project):
    """The pages whose code the tests check."""
    folders = [project / "docs" / folder for folder in ("", "guide", "internals", "reference", "tools")]
    return [page for folder in (*folders, *sorted(project.glob("tools/*/docs"))) for page in sorted(folder.glob("*.md"))]


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
    return f"[{header.name}](../../{header.relative_to(project).as_posix()})"


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
    return BLOCK.sub(lambda found: found[1] + new[found[2]], (project / "docs/reference/api.md").read_text())


def problems(project):
    if (project / "docs/reference/api.md").read_text() != made(project):
        yield "api.md differs from the headers: run tests/docs/api_page.py PROJECT --update"
    known = {room for room, _ in rooms(project)}
    for header in sorted((project / "include/warpsafe").rglob("*.hpp")):
        folder = header.parent.relative_to(project / "include/warpsafe").as_posix()
        if "detail" not in folder.split("/") and folder not in known | {"."}:
            yield f"api.md: {folder} is no room"


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--update"]:
        (folder / "docs/reference/api.md").write_text(made(folder))
    found = list(problems(folder))
    print("\n".join(found) or "api.md is what the headers are")
    sys.exit(1 if found else 0)
