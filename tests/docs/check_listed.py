#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Each page of docs/ and of a tool's docs/ stands in a list of docs/index.md: check_listed.py PROJECT

Without it the site has no way to the page, and Sphinx refuses to build."""
import os
import pathlib
import re
import sys

FENCE = re.compile(r"(?ms)^( *)```.*?^\1``` *$")


def unlisted(project):
    listed = {line for block in FENCE.finditer((project / "docs/index.md").read_text(encoding="utf-8")) for line in block[0].split()}
    docs = project / "docs"
    for page in (*sorted(docs.rglob("*.md")), *sorted(project.glob("tools/*/docs/*.md"))):
        name = os.path.relpath(page.with_suffix(""), docs)
        if name != "index" and name not in listed:
            yield f"{page.relative_to(project)}: write {name} in a {{toctree}} of docs/index.md"


if __name__ == "__main__":
    problems = list(unlisted(pathlib.Path(sys.argv[1])))
    print(*problems, sep="\n")
    sys.exit(bool(problems))
