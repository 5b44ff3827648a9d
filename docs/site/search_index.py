# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Writes the index of the site's search: a list of sections, each with its page, its place and its words. For Sphinx
(conf.py). The page reads it as a script, so that the search works without a server."""
import json
import pathlib

from docutils import nodes

MOST_CHARACTERS = 4000  # of a section; the words at its beginning say what it is about


def sections(doctree, url):
    """Each section: its title, its page's title, its address, whether it is a name of the API, and its text."""
    page_title = ""
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title).astext()
        page_title = page_title or title
        parts = [child for child in section.children if not isinstance(child, (nodes.section, nodes.title))]
        # A declaration after its comment, which says more in the list of results.
        parts = [part.astext() for part in sorted(parts, key=lambda part: "declaration" in part.get("classes", ()))]
        text = " ".join(" ".join(parts).split())[:MOST_CHARACTERS]
        is_page = title == page_title
        yield [section.get("symbol") or title, page_title, url + ("" if is_page else f"#{section['ids'][-1]}"),
               1 if section.get("symbol") else 0, text]


def write(app, exception):
    if exception or app.builder.format != "html":
        return
    index = [section for page in sorted(app.env.all_docs)
             for section in sections(app.env.get_doctree(page), app.builder.get_target_uri(page))]
    file = pathlib.Path(app.outdir) / "_static" / "search-index.js"
    file.write_text("warpsafe_search(" + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ");\n",
                    encoding="utf-8")
