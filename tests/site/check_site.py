#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Looks at the built site in a headless browser: check_site.py FOLDER [--sample | --all]

Measures pages at the widths of a phone, a tablet, a desk and a wide screen, light and dark: nothing is wider than the
window, no script fails, all text can be read against its background, and code can be copied. The theme's switch, the
search and the phone's navigation are used. Every link of every page is followed in the files. By default, the browser
opens a few pages of each kind; with --all, every page. Exit code 77: there is no browser, or no site."""
import functools
import html.parser
import json
import pathlib
import re
import sys
import time
import urllib.parse

import browser

PROJECT = pathlib.Path(__file__).resolve().parents[2]
WIDTHS = (390, 1024, 1400, 1920)
# One of each kind: text, code, wide tables, long messages, drawings, long names, a type, an enumeration, macros.
SAMPLE = ("docs/index", "docs/guide/tour", "docs/reference/api", "docs/reference/errors", "docs/reference/misuse",
          "docs/performance/launch", "docs/tools/debugging", "docs/hardware",
          "include/warpsafe/dims/safe_grid", "include/warpsafe/error/errc", "include/warpsafe/error/try")
LEAST_CONTRAST = 4.5  # WCAG 2.1, 1.4.3, level AA
PATIENCE = 60  # seconds until a busy machine's browser has done what a click asks for
INTERNAL = ("WARPSAFE_DETAIL", "BOOST_OUTCOME_V2_NAMESPACE", "detail::")

# What a page shows at its width and in its theme. Hidden text has no boxes.
MEASURE = """(() => {
  const numbers = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, axis) => sum + part * [0.2126, 0.7152, 0.0722][axis], 0);
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const color = numbers(getComputedStyle(element).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const pale = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim(), element = texts.currentNode.parentElement;
    if (!text || element.closest("svg, script, style")) continue;
    const style = getComputedStyle(element);
    if (style.visibility !== "visible" || !element.getClientRects().length) continue;
    const [front, back] = [light(numbers(style.color)), light(behind(element))];
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (contrast < LEAST) pale.set(style.color, `${contrast.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  const outside = [...document.querySelectorAll("article *")].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width && box.right > innerWidth + 1 && !element.closest(".table, pre");
  });
  const code = [...document.querySelectorAll("article .highlight > pre")];
  const is_shown = (selector) => !!document.querySelector(selector)?.getClientRects().length;
  return {
    width: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth), inner: innerWidth,
    margin: document.querySelector("h1")?.getBoundingClientRect().left ?? 0,
    pale: [...pale.values()].slice(0, 5), outside: outside.slice(0, 3).map((element) => element.outerHTML.slice(0, 90)),
    without_copy: code.filter((block) => !block.parentElement.querySelector("button.copy")).length,
    navigation: is_shown("nav"), contents: is_shown("aside"),
    images: [...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src),
  };
})()""".replace("LEAST", str(LEAST_CONTRAST))


class Page(html.parser.HTMLParser):
    """The places, the links and the files of a page."""

    def __init__(self, file):
        super().__init__()
        self.ids, self.links, self.files = set(), [], []
        self.has_theme_switch, self.repository = False, ""
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id"))
        self.has_theme_switch |= tag == "button" and given.get("id") == "theme"
        if given.get("class") == "repository":
            self.repository = given["href"]
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in ("link", "script", "img", "source"):
            self.files.extend(given[key] for key in ("href", "src") if given.get(key))


def wait_for(question, is_right):
    """The answer to a question, asked until it is right or PATIENCE ends."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = question()
        if is_right(answer) or time.monotonic() > end:
            return answer
        time.sleep(0.1)


def links(site, pages):
    """What is wrong with the links of these pages. Nothing is fetched from elsewhere."""
    page_of = functools.cache(Page)
    repository = json.loads((PROJECT / "vcpkg.json").read_text(encoding="utf-8")).get("homepage", "")
    for file in pages:
        page = page_of(file)
        if file != site / "index.html" and page.repository != repository:
            yield f"{file.relative_to(site)}: its repository is '{page.repository}', in vcpkg.json '{repository}'"
        if file != site / "index.html" and not page.has_theme_switch:
            yield f"{file.relative_to(site)}: no switch of the theme"
        for link in page.links + page.files:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https", "mailto") and link in page.links:
                continue
            if parts.scheme == "data":
                continue
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            anchor = urllib.parse.unquote(parts.fragment)
            if parts.scheme or parts.netloc:
                yield f"{file.relative_to(site)}: {link} is loaded from elsewhere"
            elif not target.is_file():
                yield f"{file.relative_to(site)}: {link} leads nowhere"
            elif anchor and anchor not in page_of(target).ids:
                yield f"{file.relative_to(site)}: {link} has no such place"


def api(site, pages):
    """Whether each public header has a page, and no page has internal names."""
    for file in (file for file in pages if file.is_relative_to(site / "include")):
        text = html.unescape(file.read_text(encoding="utf-8"))
        declared = "".join(re.findall(r'(?s)<pre class="declaration.*?</pre>', text))
        yield from (f"{file.relative_to(site)}: has the internal name {name}" for name in INTERNAL if name in declared)
    index = site / "_static/search-index.js"
    for title, _, url, *_ in json.loads(index.read_text(encoding="utf-8").removeprefix("warpsafe_search(").rstrip(");\n")):
        path, _, anchor = url.partition("#")
        if not (site / path).is_file() or anchor and f'id="{anchor}"' not in (site / path).read_text(encoding="utf-8"):
            yield f"the search's {title} leads to {url}, which is not there"


def look(window, site, file):
    """What is wrong with the look of a page: of each kind, the first place."""
    name, found = file.relative_to(site), {}
    window.open(file.as_uri())
    for width in WIDTHS:
        window.resize(width)
        for theme in ("light", "dark"):
            window.prefer(theme)
            seen = window.run(MEASURE)
            wrong = {
                f"the page is {seen['width']} wide in a window of {seen['inner']}":
                    seen["width"] > seen["inner"] or seen["inner"] != width,
                f"beyond the window: {seen['outside']}": seen["outside"],
                f"the margin is {seen['margin']}": seen["margin"] < 12,
                f"contrast below {LEAST_CONTRAST}: {seen['pale']}": seen["pale"],
                f"{seen['without_copy']} blocks of code without a copy button": seen["without_copy"],
                f"not shown: {seen['images']}": seen["images"],
                f"the navigation is shown: {seen['navigation']}": seen["navigation"] != (width > 832),
                f"the page's contents are shown: {seen['contents']}": seen["contents"] != (width > 1232)}
            for number, (words, is_wrong) in enumerate(wrong.items()):
                if is_wrong:
                    found.setdefault(number, f"{name}, {width} wide, {theme}: {words}")
    yield from found.values()
    yield from (f"{name}: {problem}" for problem in window.problems())


def use(window, site):
    """What does not work when it is used."""
    window.resize(1400)
    window.prefer("light")
    window.open((site / "docs/guide/tour.html").as_uri())
    color = "getComputedStyle(document.body).backgroundColor"
    before = window.run(color)
    window.run("document.getElementById('theme').click()")
    after = window.run(color)

    def color_of_next_page():
        window.open((site / "docs/index.html").as_uri())
        return window.run(color)

    # Another process of the browser shows the next page, and learns of the choice soon after.
    then = wait_for(color_of_next_page, lambda found: found == after)
    if before == after or then != after:
        yield f"the switch of the theme: {before}, then {after}, then on the next page {then}"
    window.run("document.getElementById('theme').click()")
    if window.run(color) != before:
        yield "the switch of the theme does not switch back"

    window.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    block = "document.querySelector('article .highlight > pre')"
    window.run(f"{block}.parentElement.querySelector('button.copy').click()")
    code = window.run(f"{block}.textContent.trimEnd()")
    copied = wait_for(lambda: window.run("navigator.clipboard.readText()"), lambda text: text == code)
    if copied != code:
        yield f"the copy button copies {copied!r}"

    for query, best in (("launch", "launch"), ("SafeGrid::cover", "SafeGrid::cover"), ("ws::SafeGrid", "SafeGrid"),
                        ("race detector", "Race detector for stream code"), ("size_not_multiple", "Errc")):
        window.open((site / "docs/index.html").as_uri())
        window.run("document.getElementById('search').focus()")
        window.call("Input.insertText", text=query)
        script = "[...document.querySelectorAll('#found li b')].map((title) => title.textContent)"
        titles = wait_for(lambda: window.run(script), bool)  # its index is being read
        if best not in titles[:1 if query != "size_not_multiple" else 15]:
            yield f"the search for {query} finds {titles[:5]}"
        elif query == "SafeGrid::cover":
            window.follow("document.querySelector('#found .chosen a').click()")
            there = window.run("[location.pathname, !!document.querySelector(':target')]")
            if not there[0].endswith("dims/safe_grid.html") or not there[1]:
                yield f"the search's result leads to {there}"
        yield from window.problems()

    window.resize(390)
    window.open((site / "docs/index.html").as_uri())
    shown = "document.getElementById('navigation').getClientRects().length"
    window.run("document.getElementById('menu').click()")
    is_open = window.run(shown)
    window.run("document.querySelector('article p').click()")
    if not is_open or window.run(shown):
        yield "the navigation on a phone does not open and close"
    yield from window.problems()


def main():
    site, options = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    command = browser.find()
    if not command or not (site / "index.html").is_file():
        print("there is no chromium: apt-get install chromium" if not command else f"there is no site in {site}")
        sys.exit(77)
    pages = sorted(site.rglob("*.html"))
    chosen = [file for file in pages if file != site / "index.html"] if "--all" in options else [
        site / f"{name}.html" for name in SAMPLE]
    with browser.Browser(command) as window:
        problems = [*links(site, pages), *api(site, pages), *use(window, site)]
        for file in chosen:
            problems.extend(look(window, site, file))
    print("\n".join(problems[:100]) or f"{len(pages)} pages, {len(chosen)} of them in the browser: no problem")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
