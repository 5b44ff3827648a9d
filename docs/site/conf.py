# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The configuration of the documentation's site, for Sphinx. docs/run calls it after Doxygen has read the headers."""
import json
import pathlib
import re
import sys

from docutils import nodes
from pygments.lexer import RegexLexer
from pygments.lexers import CppLexer
from pygments.token import Comment, Error, Generic, Text
from sphinx import addnodes
from sphinx.util import logging, osutil

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import api_pages  # noqa: E402
import search_index  # noqa: E402

project_folder = pathlib.Path(__file__).resolve().parents[2]

project = "warpsafe"
copyright = "2026 the warpsafe authors. BSL-1.0"  # Sphinx reads this name
config_hpp = (project_folder / "include/warpsafe/core/config.hpp").read_text()
release = version = ".".join(
    re.search(rf"define WARPSAFE_VERSION_{part} (\d+)", config_hpp)[1] for part in ("MAJOR", "MINOR", "PATCH"))

extensions = ["myst_parser"]
# The sources are the pages in the project, so that their links work there too.
root_doc = "docs/index"
include_patterns = ["docs/**.md", "include/warpsafe/**.hpp", "CONTRIBUTING.md", "CHANGELOG.md", "packaging/*.md", "tools/*/docs/*.md", "tests/stand_in/README.md", "tests/amd_runtime/README.md", "tests/planted/README.md", "examples/distributed/README.md"]
exclude_patterns = ["docs/site", "build", ".git", "include/warpsafe/**/detail/*", "bench", "src", "tests/[!aps]*", "tests/static"]
source_suffix = {".md": "markdown", ".hpp": "header"}
# The same anchors as on GitHub, so that a link to a heading works in both places.
myst_heading_anchors = 4

# A theme of the project's own, so that the site is the same with every version of Sphinx.
html_theme = "warpsafe"
html_theme_path = ["theme"]
html_title = f"warpsafe {release}"
# The only place of the repository's address is "homepage" in vcpkg.json. Without it, no page has a link to one.
repository = json.loads((project_folder / "vcpkg.json").read_text()).get("homepage", "")
html_theme_options = {"repository": repository}
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_domain_indices = False
# Set by docs/run: Doxygen's folder of XML.
api_xml = None

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
    app.add_config_value("api_xml", None, "env")
    app.add_source_parser(api_pages.HeaderParser)
    app.connect("builder-inited", read_api)
    app.connect("doctree-read", link_files)
    app.connect("doctree-read", link_names)
    app.connect("doctree-read", link_api)
    app.connect("doctree-read", wrap_sentences)
    app.connect("doctree-read", stack_tables)
    app.connect("html-page-context", add_rooms)
    app.connect("build-finished", search_index.write)


def read_api(app):
    app.builder.search = False  # search_index.py instead: it finds sections and names, also without a server
    api_pages.HeaderParser.model = api_pages.Model(app.config.api_xml)


def add_rooms(app, page, template, context, doctree):
    """The headers by room, for the navigation of the API."""
    rooms = {}
    for header in sorted(api_pages.HeaderParser.model.headers, key=lambda header: header.rpartition("/")[::2]):
        room = header.rpartition("/")[0].removeprefix("warpsafe").removeprefix("/")
        rooms.setdefault(room, []).append((header.rpartition("/")[2], f"include/{header.removesuffix('.hpp')}"))
    context["rooms"] = rooms
    context["in_api"] = page.startswith("include/") or page == "docs/reference/api"


def wrap_sentences(app, doctree):
    """Marks the output of programs and compilers, which is sentences, so that narrow pages wrap it. Columns are not
    wrapped."""
    if app.env.docname.startswith("include/"):
        return
    page = (project_folder / f"{app.env.docname}.md").read_text().splitlines()
    for block in doctree.findall(nodes.literal_block):
        is_refused = page[min(block.line or 1, len(page)) - 1].strip() == "```cpp refused" or (
            re.search(r"(?m)^.{60,}; +// .{40}", block.astext()))  # of README.md, in index.md
        has_columns = re.search(r"\S {3,}\S", block.astext())
        if is_refused:  # the message below its line
            block.children = [nodes.Text(re.sub(r"; +// ", ";\n    // ", block.astext()))]
            block.rawsource = block.astext()
        if is_refused or (block.get("language") in ("text", "console") and not has_columns):
            block["classes"].append("sentences")


def stack_tables(app, doctree):
    """Marks a wide table of sentences. A narrow page stacks its cells, each with its column's name, which wide pages
    hide (static/warpsafe.css)."""
    for table in list(doctree.findall(nodes.table)):
        box = nodes.container(classes=["table"])  # which scrolls, instead of the page
        table.replace_self(box)
        box += table
        heads = [entry.astext() for row in table.findall(nodes.thead) for entry in row.findall(nodes.entry)]
        cells = list(table.next_node(nodes.tbody).findall(nodes.entry))
        in_words = {number % len(heads) for number, cell in enumerate(cells) if len(cell.astext()) > 12} if heads else ()
        if len(heads) < 3 or len(in_words) < 3:
            continue
        table["classes"].append("stacked")
        for number, cell in enumerate(cells):
            head = heads[number % len(heads)]
            if head and cell.astext().strip():
                cell[0].insert(0, nodes.inline("", f"{head}: ", classes=["column"]))


def link_files(app, doctree):
    """Turns links to headers into links to the API. Other files of the project stay links: Sphinx copies them beside
    the pages."""
    headers = api_pages.HeaderParser.model.headers
    page = app.env.docname
    for link in list(doctree.findall(lambda node: isinstance(node, (addnodes.download_reference, addnodes.pending_xref)))):
        target = osutil.os_path(link.get("reftarget") or "")
        file = (project_folder / page).parent.joinpath(target).resolve()
        if not target.endswith(".hpp"):
            continue
        if not file.is_relative_to(project_folder / "include"):  # an example's: a file like any other, not a page
            download = addnodes.download_reference("", "", *link.children, reftarget=target)
            download["filename"] = app.env.dlfiles.add_file(page, app.env.relfn2path(target, page)[0])
            link.replace_self(download)
            continue
        header = str(file.relative_to(project_folder / "include"))
        if header not in headers:
            logger.warning("the API has no page of %s", file, location=link)
            continue
        url = app.builder.get_relative_uri(page, f"include/{header.removesuffix('.hpp')}")
        link.replace_self(nodes.reference("", "", *link.children, refuri=url, internal=True))


def link_names(app, doctree):
    """Links the first mention of a name of the API on a page, such as `SafeGrid` or `ws::launch(…)`."""
    if app.env.docname.startswith("include/"):
        return
    linked = set()
    for literal in list(doctree.findall(nodes.literal)):
        written = re.fullmatch(r"(?:ws::|warpsafe::)?([\w:]+)(?:<.*>)?((?:::\w+)?)(\(.*\))?", literal.astext())
        name = written and written[1] + written[2]
        # A word such as `size` is rather a variable of the example.
        is_name = written and (written[3] or re.search(r"[A-Z_]|::", name))
        is_linked = any(isinstance(parent, (nodes.reference, nodes.title, addnodes.pending_xref, addnodes.download_reference))
                        for parent in (literal.parent, literal.parent.parent))
        if is_name and not is_linked and name not in linked and name in api_pages.HeaderParser.model.symbols:
            linked.add(name)
            literal.replace_self(nodes.reference(
                "", "", literal.deepcopy(), refuri=f"page:{api_pages.HeaderParser.model.symbols[name]}"))


def link_api(app, doctree):
    """Completes the links inside of the API, which Doxygen made. What has no place on a page is no link."""
    page = app.env.docname
    if page.startswith("include/"):
        app.env.metadata[page]["orphan"] = True  # the navigation lists the rooms, not one long list
    for link in list(doctree.findall(nodes.reference)):
        kind, _, target = link.get("refuri", "").partition(":")
        if kind not in ("api", "page"):
            continue
        url = api_pages.HeaderParser.model.urls.get(target) if kind == "api" else target
        if url is None:
            link.replace_self(link.children)
            continue
        own, _, anchor = url.partition("#")
        here = app.builder.get_target_uri(page)
        link["refuri"] = f"#{anchor}" if own == here else osutil.relative_uri(here, url)
        link["internal"] = True
