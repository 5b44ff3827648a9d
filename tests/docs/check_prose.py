#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A page that explains takes five minutes, and no sentence has a form that has to be read twice: check_prose.py PROJECT

Prints each page, its words and the limit. 200 words of prose take a minute. Readers look through tables, code and output
at twice that speed, so their words count half. Addresses of links do not count.

Looks for AVOIDED in the pages and in the comments and texts of the headers, examples and tools. And each page of docs/
stands in a list of docs/index.md: without it, the site has no way to the page, and Sphinx refuses to build."""
import pathlib
import re
import sys

MINUTES, WORDS_IN_A_MINUTE = 5, 200
LIMIT = MINUTES * WORDS_IN_A_MINUTE
# Pages that nobody reads from start to end.
LONGER = {
    "CHANGELOG.md": "a list, to look up a version",
    "docs/guide/cookbook.md": "whole programs, one for each task",
    "tests/stand_in/README.md": "a list of what each stand-in models, to look up",
    "docs/hardware/watch.md": "evidence: commands and outputs of runs",
    "docs/reference/compilers.md": "a table, written by a run",
    "docs/reference/errors.md": "one section for each error code",
    "docs/reference/misuse.md": "one row for each mistake",
}
AVOIDED = re.compile(r"\b(such +an?|(is|are) +had|as +by|so +it +is +if|for +who|who +means)\b", re.I)
FENCE = re.compile(r"(?ms)^( *)```.*?^\1``` *$")
ROW = re.compile(r"(?m)^ *\|.*$")


def words_in(text):
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def length(text):
    """The words of a page: those of prose, and half of the others."""
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"(?s)<!--.*?-->", "", text))
    prose = ROW.sub("", FENCE.sub("", text))
    others = words_in(text) - words_in(prose)
    return words_in(prose) + others // 2


def pages(project):
    yield from (project / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    for folder in ("docs", "packaging", "bench", "examples", "tests/stand_in", "tools"):
        yield from sorted((project / folder).rglob("*.md"))


def avoided(text):
    """The number of the line and the words, for each form to avoid. A sentence may go on in the next line."""
    joined = re.sub(r"\n[ \t]*(//[/!]?|#|\*)?[ \t]*", lambda found: "\n".ljust(len(found[0])), text)
    for found in AVOIDED.finditer(re.sub(r"\s", " ", joined)):
        yield text.count("\n", 0, found.start()) + 1, " ".join(found[0].split())


def unlisted(project):
    """The pages of docs/ that are on no list of the site."""
    listed = {line for block in FENCE.finditer((project / "docs/index.md").read_text(encoding="utf-8")) for line in block[0].split()}
    for page in sorted((project / "docs").rglob("*.md")):
        name = page.relative_to(project / "docs").with_suffix("").as_posix()
        if name != "index" and name not in listed:
            yield f"docs/{name}.md: write {name} in a {{toctree}} of docs/index.md"


def self_test():
    prose, code = "word " * LIMIT, "```cpp\n" + "word\n" * LIMIT + "```\n"
    for text, expected in ((prose, LIMIT), (code, (LIMIT + 1) // 2), (f"* {prose}\n## A heading\n{code}", LIMIT + 2 + (LIMIT + 1) // 2),
                           ("| a | b |\n| --- | --- |\n| [c d](e/f.md#g-h) | `i` |\n", 2), ("See [the page](a b c.md).", 3)):
        if length(text) != expected:
            sys.exit(f"the test itself: {length(text)} words, not {expected}, in\n{text[:80]}")
    wrong = "a\n/// Such a\n/// such\n/// an error is had once, as by\n// so it is if"
    if [line for line, _ in avoided(wrong)] != [2, 3, 4, 4, 5] or list(avoided("as well, by such kernels; it had to be a part of a batch")):
        sys.exit(f"the test itself: the forms to avoid are {list(avoided(wrong))}")


if __name__ == "__main__":
    self_test()
    project, problems = pathlib.Path(sys.argv[1]), []
    lengths = {page.relative_to(project).as_posix(): length(page.read_text(encoding="utf-8")) for page in pages(project)}
    for name, words in sorted(lengths.items(), key=lambda row: -row[1]):
        print(f"{name}: {words} words, " + (f"no limit: {LONGER[name]}" if name in LONGER else f"limit {LIMIT}"))
        if words > LIMIT and name not in LONGER:
            problems.append(f"{name} has {words} words, limit {LIMIT}: move a subject to a page of its own")
        if words <= LIMIT and name in LONGER:
            problems.append(f"{name} has {words} words, and needs no exception in LONGER")
    sources = [file for folder in ("include", "examples", "tools") for kind in ("hpp", "cpp", "cu", "py", "in") for file in sorted((project / folder).rglob(f"*.{kind}"))]
    for file in [*pages(project), *sources]:
        problems += [f"{file.relative_to(project)}:{line}: '{words}': name the thing, subject first" for line, words in avoided(file.read_text(encoding="utf-8"))]
    problems += unlisted(project)
    problems += [f"LONGER: there is no {name}" for name in LONGER if name not in lengths]
    print("\n".join(problems) or f"{len(lengths)} pages")
    sys.exit(1 if problems else 0)
