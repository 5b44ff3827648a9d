#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Each page of docs/ stands in a list of docs/index.md: check_listed.py PROJECT

Without it the site has no way to the page, and Sphinx refuses to build."""
import pathlib
import re
import sys

FENCE = re.compile(r"(?ms)^( *)```.*?^\1``` *$")


def unlisted(project):
    listed = {line for block in FENCE.finditer((project / "docs/index.md").read_text(encoding="utf-8")) for line in block[0].split()}
    for page in sorted((project / "docs").rglob("*.md")):
        name = page.relative_to(project / "docs").with_suffix("").as_posix()
        if name != "index" and name not in listed:
            yield f"docs/{name}.md: write {name} in a {{toctree}} of docs/index.md"


if __name__ == "__main__":
    problems = list(unlisted(pathlib.Path(sys.argv[1])))
    print(*problems, sep="\n")
    sys.exit(bool(problems))
