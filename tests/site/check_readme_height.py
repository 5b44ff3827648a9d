#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""README.md fits on three screens: check_readme_height.py PROJECT

Renders the page as wide as GitHub shows it, in a headless Chromium, and measures its height. Exit code 77: there is no
browser, or no markdown-it (a part of myst_parser)."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import browser

SCREENS, SCREEN = 3, 1080
WIDTH = 838  # of a README on GitHub, in a window of 1280 or more
# The sizes of GitHub's style sheet.
PAGE = f"""<meta charset="utf-8"><style>
body {{ margin: 0 auto; width: {WIDTH}px; font: 16px/1.5 sans-serif }}
h1, h2 {{ margin: 24px 0 16px; padding-bottom: .3em; border-bottom: 1px solid; line-height: 1.25 }}
h1 {{ font-size: 2em }} h2 {{ font-size: 1.5em }}
p, ul, table, pre {{ margin: 0 0 16px }}
pre {{ padding: 16px; font: 85%/1.45 monospace; overflow: auto }} code {{ font: 85% monospace; padding: .2em .4em }}
pre code {{ font-size: 100%; padding: 0 }}
table {{ border-collapse: collapse; display: block; overflow: auto; width: max-content; max-width: 100% }}
td, th {{ padding: 6px 13px; border: 1px solid }}
</style>"""


def html_of(text):
    """The page as HTML, by the Python that Sphinx runs on, or None."""
    sphinx = shutil.which("sphinx-build")
    first = pathlib.Path(sphinx).read_text(errors="replace").split("\n")[0] if sphinx else ""
    python = first[2:].split() if first.startswith("#!") else [sys.executable]
    script = "import sys, markdown_it; print(markdown_it.MarkdownIt('commonmark').enable('table').render(sys.stdin.read()))"
    done = subprocess.run([*python, "-c", script], input=text, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def main():
    html, command = html_of((pathlib.Path(sys.argv[1]) / "README.md").read_text(encoding="utf-8")), browser.find()
    if not command or html is None:
        print("there is no chromium" if not command else "there is no markdown-it")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder, browser.Browser(command) as window:
        file = pathlib.Path(folder) / "readme.html"

        def height(text):
            file.write_text(PAGE + text, encoding="utf-8")
            window.resize(1280, SCREEN)
            window.open(file.as_uri())
            return window.run("document.body.scrollHeight")

        page, screen = height(html), height(f'<div style="height: {SCREEN}px">a screen</div>')
    print(f"README.md is {page} pixels high, {page / SCREEN:.2f} screens of {SCREEN}; limit {SCREENS}")
    sys.exit(screen != SCREEN or not 0 < page <= SCREENS * SCREEN)


if __name__ == "__main__":
    main()
