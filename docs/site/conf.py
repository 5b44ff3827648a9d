# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The configuration of the documentation's site, for Sphinx. docs/run calls it after Doxygen has written the API."""
import pathlib
import re
import xml.etree.ElementTree

from docutils import nodes
from pygments.lexer import RegexLexer
from pygments.lexers import CppLexer
from pygments.token import Comment, Error, Generic, Text
from sphinx import addnodes
from sphinx.util import logging, osutil

project_folder = pathlib.Path(__file__).resolve().parents[2]

project = "warpsafe"
copyright = "2026 the warpsafe authors. BSL-1.0"  # Sphinx reads this name
config_hpp = (project_folder / "include/warpsafe/core/config.hpp").read_text()
release = version = ".".join(
    re.search(rf"define WARPSAFE_VERSION_{part} (\d+)", config_hpp)[1] for part in ("MAJOR", "MINOR", "PATCH"))

extensions = ["myst_parser"]
# The sources are the pages in the project, so that their links work there too.
root_doc = "docs/index"
include_patterns = ["docs/**.md", "CONTRIBUTING.md", "CHANGELOG.md", "packaging/README.md", "tests/stand_in/README.md"]
exclude_patterns = ["docs/site", "build", ".git", "include", "bench", "src", "tests/[!s]*", "tests/static"]
# The same anchors as on GitHub, so that a link to a heading works in both places.
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"warpsafe {release}"
html_static_path = ["static"]
html_css_files = ["warpsafe.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
# Set by docs/run: Doxygen's list of files and their pages.
api_tags = None

logger = logging.getLogger(__name__)


class Cpp(CppLexer):
    """C++ in which `…` stands for omitted code."""

    def get_tokens_unprocessed(self, text, *arguments, **options):
        for place, kind, value in super().get_tokens_unprocessed(text, *arguments, **options):
            yield place, Comment if kind is Error and value == "…" else kind, value


class Console(RegexLexer):
    """Commands after `$` and their output, in which `#` begins no prompt."""
    tokens = {"root": [(r"^(\$ )(.*\n)", lambda lexer, found, context=None: iter(
        [(found.start(1), Generic.Prompt, found[1]), (found.start(2), Generic.Strong, found[2])])), (r".*\n", Text)]}


def setup(app):
    app.add_lexer("cpp", Cpp)
    app.add_lexer("console", Console)
    app.add_config_value("api_tags", None, "env")
    app.connect("doctree-read", link_files)
    app.connect("doctree-read", wrap_sentences)
    app.connect("doctree-read", stack_tables)


def wrap_sentences(app, doctree):
    """Marks the output of programs and compilers, which is sentences, so that narrow pages wrap it. Columns are not
    wrapped."""
    page = (project_folder / f"{app.env.docname}.md").read_text().splitlines()
    for block in doctree.findall(nodes.literal_block):
        is_refused = block.line is not None and page[block.line - 1].strip() == "```cpp refused"
        has_columns = re.search(r"\S {3,}\S", block.astext())
        if is_refused:  # the message below its line
            block.children = [nodes.Text(re.sub(r"; {2,}// |; // ", ";\n    // ", block.astext()))]
            block.rawsource = block.astext()
        if is_refused or (block.get("language") in ("text", "console") and not has_columns):
            block["classes"].append("sentences")


def stack_tables(app, doctree):
    """Marks a wide table of sentences. A narrow page stacks its cells, each with its column's name, which wide pages
    hide (static/warpsafe.css)."""
    for table in doctree.findall(nodes.table):
        heads = [entry.astext() for row in table.findall(nodes.thead) for entry in row.findall(nodes.entry)]
        cells = list(table.next_node(nodes.tbody).findall(nodes.entry))
        in_words = {number % len(heads) for number, cell in enumerate(cells) if len(cell.astext()) > 12} if heads else ()
        if len(heads) < 4 or len(in_words) < 3:
            continue
        table["classes"].append("stacked")
        for number, cell in enumerate(cells):
            head = heads[number % len(heads)]
            if head and cell.children:
                cell[0].insert(0, nodes.inline("", f"{head}: ", classes=["column"]))


def link_files(app, doctree):
    """Turns links to headers into links to the API. Other files of the project stay links: Sphinx copies them beside
    the pages."""
    if not hasattr(app, "api_pages"):
        tags = xml.etree.ElementTree.parse(app.config.api_tags)
        app.api_pages = {
            project_folder.joinpath(file.findtext("path"), file.findtext("name")): file.findtext("filename")
            for file in tags.iterfind("compound[@kind='file']")}
    page = app.env.docname
    for link in list(doctree.findall(addnodes.download_reference)):
        target = osutil.os_path(link["reftarget"])
        file = (project_folder / page).parent.joinpath(target).resolve()
        if not file.is_relative_to(project_folder / "include"):
            continue
        if file not in app.api_pages:
            logger.warning("Doxygen has no page of %s", file, location=link)
            continue
        url = osutil.relative_uri(app.builder.get_target_uri(page), "api/" + app.api_pages[file])
        link.replace_self(nodes.reference("", "", *link.children, refuri=url, internal=False))
