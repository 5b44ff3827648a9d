#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Builds the site of a copy of the project whose vcpkg.json has a homepage: check_homepage.py FOLDER

Each page of that site must link to the homepage, and the link must fit on a phone. The project's own vcpkg.json has no
homepage until the project has an address. Exit code 77: the generators are not installed."""
import json
import pathlib
import shutil
import subprocess
import sys

import browser
import check_site

HOMEPAGE = "https://example.org/a-group/warpsafe?tab=readme&plain=1"


def copy_of_project(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("cmake", "docs", "examples", "include", "packaging", "test_package", "tests", "tools", "bench"):
        shutil.copytree(check_site.PROJECT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for file in check_site.PROJECT.iterdir():
        if file.is_file() and file.name != ".git":
            shutil.copy(file, folder)
    manifest = json.loads((folder / "vcpkg.json").read_text(encoding="utf-8")) | {"homepage": HOMEPAGE}
    (folder / "vcpkg.json").write_text(json.dumps(manifest), encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    project, site = folder / "project", folder / "site/html"
    copy_of_project(project)
    built = subprocess.run([project / "docs/run", site.parent], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode:
        print(built.stdout)
        sys.exit(built.returncode)
    # Compared with the project itself, which has no homepage, each page has one link too many.
    pages = [file for file in sorted(site.rglob("*.html")) if file != site / "index.html"]
    told = [problem for problem in check_site.links(site, pages) if "its repository is" in problem]
    problems = [] if len(told) == len(pages) else [f"{len(told)} of {len(pages)} pages have a link to the homepage: {told[:3]}"]
    check_site.PROJECT = project
    problems += check_site.links(site, pages)
    if command := browser.find():
        with browser.Browser(command) as window:
            problems += check_site.look(window, site, site / "docs/guide/tour.html")
            window.resize(390)
            shown = window.run("document.querySelector('a.repository').getClientRects().length")
            if not shown:
                problems.append("the link to the homepage is hidden on a phone")
    print("\n".join(problems[:50]) or f"{len(pages)} pages link to the homepage")
    shutil.rmtree(folder)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
