# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The pages of the API: one for each public header, made of what Doxygen reads in it. For Sphinx (conf.py).

Doxygen's own pages have another look, another search and the names of internal macros. Its XML has everything."""
import pathlib
import re
import xml.etree.ElementTree

from docutils import nodes
from sphinx.parsers import Parser

# What the library's macros and helpers stand for, in a declaration. A reader needs neither.
NAMES = (
    (r"BOOST_OUTCOME_V2_NAMESPACE", "boost::outcome_v2"),
    (r"\bWARPSAFE_DETAIL_\w+ ?", ""),
    (r"\bdetail::later\s*<\s*[^,<>]+,\s*((?:[^<>]|<[^<>]*>)*?)\s*>", r"\1"),  # names its second argument
    (r"\b(?:warpsafe::)?detail::", ""),
)
# The project's format, where Doxygen has its own.
SPACES = (
    (r"(?<=<) +| +(?=>)", ""),
    (r" ([&*]+) ?(?=\w)", r"\1 "),
    (r" ([&*]+)(?=[,)>.]|$)", r"\1"),
    (r"(?<=[^ =])=(?=[^ =])", " = "),
)
INTERNAL = re.compile(r"WARPSAFE_DETAIL|\bdetail::|\b_|BOOST_")
# A link inside of a text: its target, then its words.
LINK = re.compile("\x01([^\x02]*)\x02([^\x03]*)\x03")


def text_of(element):
    """The text of an element, with its links marked."""
    if element is None:
        return ""
    parts = [element.text or ""]
    for child in element:
        inner = "".join(child.itertext())
        parts.append(f"\x01{child.get('refid')}\x02{inner}\x03" if child.tag == "ref" else inner)
        parts.append(child.tail or "")
    return "".join(parts)


def plain(text):
    return LINK.sub(r"\2", text)


def shown(text, changes=NAMES + SPACES):
    """A part of a declaration, in the words of the library's interface."""
    for found, written in changes:
        text = re.sub(found, written, text)
    return text.strip()


class Entry:
    """A declaration: of a type, a function, a variable, an alias, a concept, an enumeration or a macro."""

    def __init__(self, element, scope):
        self.element, self.scope = element, scope
        self.kind, self.id = element.get("kind"), element.get("id")
        whole = element.findtext("compoundname")
        self.name = (whole or element.findtext("name")).split("::")[-1] if not whole or "<" not in whole else re.split(
            r"::(?![^<]*>)", whole)[-1]
        place = element.find("location")
        self.header, self.line = place.get("file"), int(place.get("line"))
        self.members = []
        self.is_documented = any("".join(element.find(part).itertext()).strip()
                                 for part in ("briefdescription", "detaileddescription"))
        self.anchor = ""

    @property
    def symbol(self):
        return f"{self.scope}::{self.name}" if self.scope and self.kind != "define" else self.name

    def template(self):
        """The lines in front of the declaration: template parameters, and what they require."""
        listed = self.element.find("templateparamlist")
        if listed is None:
            return ""
        parameters = []
        for parameter in listed.iterfind("param"):
            words = f"{text_of(parameter.find('type'))} {parameter.findtext('declname') or ''}".strip()
            default = text_of(parameter.find("defval"))
            parameters.append(shown(words) + (f" = {shown(default)}" if default else ""))
        lines = wrapped("template <", parameters, ">") + "\n"
        required = shown(re.sub(r"\s+", " ", text_of(self.element.find("requiresclause"))), NAMES)
        return lines + (f"requires {required.removeprefix('requires ')}\n" if required else "")

    def declaration(self):
        kind, element = self.kind, self.element
        name = f"\x01\x02{self.name}\x03"  # a link to nothing: the name itself
        if kind in ("class", "struct", "union"):
            bases = [f"{base.get('prot')} {shown(text_of(base))}" for base in element.iterfind("basecompoundref")
                     if base.get("prot") == "public" and "detail::" not in "".join(base.itertext())]
            return f"{self.template()}{kind} {name}" + (f" : {', '.join(bases)}" if bases else "")
        if kind == "concept":
            return f"{self.template()}concept {name}"
        if kind == "define":
            listed = [parameter.findtext("defname") for parameter in element.iterfind("param")]
            return f"#define {name}" + (f"({', '.join(listed)})" if listed else "")
        if kind == "enum":
            under = element.findtext("type")
            return f"enum class {name}" + (f" : {under}" if under else "")
        type_ = shown(text_of(element.find("type")))
        if kind == "typedef":
            if element.findtext("definition").startswith("using"):
                return f"{self.template()}using {name} = {type_}"
            return f"typedef {type_} {name}{element.findtext('argsstring')}"
        words = [word for word, flag in (("static", "static"), ("explicit", "explicit"), ("friend", None))
                 if flag and element.get(flag) == "yes" or word == kind]
        before = " ".join([*words, type_]).strip()
        before += "" if not before or before.endswith(("&", "*")) else " "
        if kind == "variable":
            value = shown(text_of(element.find("initializer")))
            is_short = re.fullmatch(r"=\s*[\w:\x01-\x03.+-]{1,60}", value)
            return f"{self.template()}{before}{name}{element.findtext('argsstring') or ''}" + (
                f" {value}" if is_short else "")
        parameters = []
        for parameter in element.iterfind("param"):
            words = shown(f"{text_of(parameter.find('type'))} {parameter.findtext('declname') or ''}")
            words += parameter.findtext("array") or ""
            default = text_of(parameter.find("defval"))
            parameters.append(words + (f" = {shown(default)}" if default else ""))
        after = re.sub(r"(?s)^.*\)(?=[^)]*$)", "", element.findtext("argsstring") or "")
        after = re.sub(r" ?= ?(default|delete|0)$", r" = \1", after.rstrip())
        return f"{self.template()}{wrapped(f'{before}{name}(', parameters, ')')}{shown(after) and ' ' + shown(after)}"


def wrapped(before, parts, after):
    """`before part, part after` in one line if it is short, otherwise a line for each part."""
    line = f"{before}{', '.join(parts)}{after}"
    if len(plain(line)) <= 84 or not parts:
        return line
    return f"{before}\n    " + ",\n    ".join(parts) + after


class Model:
    """All headers and what they declare. `folder` is Doxygen's folder of XML."""

    def __init__(self, folder):
        self.headers = {}  # a header below include/, and its entries
        self.urls = {}  # the place of every entry and enumerator, by Doxygen's number
        self.symbols = {}  # the places of each name
        compounds, members = {}, {}
        for file in sorted(pathlib.Path(folder).glob("*.xml")):
            for compound in xml.etree.ElementTree.parse(file).getroot().iterfind("compounddef"):
                kind, name = compound.get("kind"), compound.findtext("compoundname")
                if kind == "file":
                    self.headers[compound.find("location").get("file")] = []
                if kind in ("class", "struct", "union", "concept") and name.startswith("warpsafe::"):
                    scope = re.split(r"::(?=[^:<]+(?:<.*)?$)", name)[0]
                    compounds[name] = Entry(compound, scope.removeprefix("warpsafe").removeprefix("::"))
                is_open = kind == "file" or name == "warpsafe" or name.startswith("warpsafe::")
                for member in compound.iter("memberdef") if is_open else ():
                    if kind != "file" or member.get("kind") == "define":
                        scope = "" if kind == "file" else name.removeprefix("warpsafe").removeprefix("::")
                        if re.fullmatch("checks_full|checks_off", scope):
                            scope = ""  # an inline namespace
                        members.setdefault(member.get("id"), (name, Entry(member, scope)))
        for name, entry in compounds.items():
            outer = compounds.get(f"warpsafe::{entry.scope}")
            if entry.element.get("prot", "public") != "public" or not entry.is_documented:
                continue
            if outer is None:
                self.headers.setdefault(entry.header, []).append(entry)
            elif outer.is_documented:
                outer.members.append(entry)
        for name, entry in members.values():
            if entry.element.get("prot") != "public" and not (entry.kind == "friend" and entry.is_documented):
                continue
            if entry.name.startswith(("WARPSAFE_DETAIL", "~", "@")) or entry.name in ("std", "__attribute__"):
                continue
            if name in compounds:
                compounds[name].members.append(entry)
            else:
                self.headers.setdefault(entry.header, []).append(entry)
        for header, entries in self.headers.items():
            taken = {}
            for entry in sorted(entries, key=lambda each: each.line):
                self.place(entry, taken)

    def place(self, entry, taken):
        """Gives the entry and its members their anchors; the same name again gets a number."""
        anchor = re.sub(r"[^\w]+", "-", entry.symbol).strip("-") or entry.kind
        taken[anchor] = taken.get(anchor, 0) + 1
        entry.anchor = anchor if taken[anchor] == 1 else f"{anchor}-{taken[anchor]}"
        page = f"include/{entry.header.removesuffix('.hpp')}.html"
        self.urls[entry.id] = f"{page}#{entry.anchor}"
        for value in entry.element.iterfind("enumvalue"):
            self.urls[value.get("id")] = f"{page}#{entry.anchor}-{value.findtext('name')}"
        if entry.is_documented:
            self.symbols.setdefault(entry.symbol, self.urls[entry.id])
        for member in sorted(entry.members, key=lambda each: each.line):
            self.place(member, taken)


class HeaderParser(Parser):
    """Makes the page of a header. The text of the header itself is read by Doxygen."""
    supported = ("header",)
    model = None  # set by conf.py before Sphinx reads

    def parse(self, inputstring, document):
        header = document.settings.env.docname.removeprefix("include/") + ".hpp"
        page = nodes.section(ids=["page"], classes=["api"])
        page += nodes.title("", "", nodes.literal("", header.removeprefix("warpsafe/")))
        page += code(f"#include <{header}>")
        said = re.search(r"(?m)\A(?:.*\n)*?#pragma once\n\n((?://[^/\n]*\n|//\n)+)\n", inputstring)
        for paragraph in re.split(r"\n//\n", said[1].strip()) if said else ():
            page += prose(re.sub(r"(?m)^// ?", "", paragraph).replace("\n", " "))
        entries = sorted(self.model.headers.get(header, ()), key=lambda each: each.line)
        for group in grouped([each for each in entries if each.is_documented]):
            page += self.section(group)
        page += others(entries)
        inside = [name for name in re.findall(r"(?m)^#include <(warpsafe/[^>]+)>", inputstring)
                  if name in self.model.headers]
        if inside:
            listed = nodes.paragraph("", "Includes ", classes=["includes"])
            for number, name in enumerate(inside):
                listed += nodes.Text(", " if number else "")
                listed += nodes.reference("", "", nodes.literal("", name.removeprefix("warpsafe/")),
                                          refuri=f"page:include/{name.removesuffix('.hpp')}.html")
            page += listed
        document += page

    def section(self, group):
        first = group[0]
        part = nodes.section(ids=[first.anchor], classes=["entry", first.kind])
        part["symbol"] = first.symbol
        part += nodes.title("", "", nodes.literal("", first.name))
        for number, entry in enumerate(group):
            block = declaration(entry)
            if number:
                block["ids"].append(entry.anchor)
            part += block
            for described in ("briefdescription", "detaileddescription"):
                part.extend(description(entry.element.find(described)))
            part.extend(values(entry))
        members = sorted(first.members, key=lambda each: each.line)
        # A constructor has the name of its class, which is documented above it.
        for inner in grouped([each for each in members if each.is_documented]):
            part += self.section(inner)
        part += others(members)
        return part


def grouped(entries):
    """The entries, those of one name together."""
    groups = {}
    for entry in entries:
        groups.setdefault((entry.symbol, entry.kind), []).append(entry)
    return list(groups.values())


def others(entries):
    """One block of the declarations that need no comment. Not those that only refuse a mistake."""
    documented = {entry.symbol for entry in entries if entry.is_documented}
    rest = [entry for entry in entries
            if not entry.is_documented and entry.symbol not in documented and entry.kind != "friend"
            and not INTERNAL.search(signature(entry)) and not entry.name.startswith("operator")]
    if not rest:
        return []
    block = declaration_block(["others"])
    for number, entry in enumerate(rest):
        block += nodes.Text("\n" if number else "")
        line = nodes.inline("", "", ids=[entry.anchor])
        line.extend(linked(entry.declaration()))
        block += line
    return [block]


def signature(entry):
    """What a declaration says, as the header has it."""
    parts = ("templateparamlist", "type", "argsstring", "requiresclause")
    return " ".join("".join(entry.element.find(part).itertext()) for part in parts
                    if entry.element.find(part) is not None)


def declaration_block(classes=()):
    # Sphinx highlights a block whose source is its text, and drops its links.
    return nodes.literal_block("with links", "", classes=["declaration", *classes])


def declaration(entry):
    block = declaration_block()
    own = {parameter.findtext("declname") or (parameter.findtext("type") or "").split(" ")[-1]
           for parameter in entry.element.iterfind("templateparamlist/param")}
    block.extend(linked(entry.declaration(), own))
    return block


def linked(text, own=()):
    """The nodes of a text with marked links. A template parameter is no type of the same name."""
    place = 0
    for found in LINK.finditer(text):
        yield nodes.Text(text[place:found.start()])
        place = found.end()
        if not found[1]:
            yield nodes.strong("", found[2])
        elif found[2] in own:
            yield nodes.Text(found[2])
        else:
            yield nodes.reference("", found[2], refuri=f"api:{found[1]}")
    yield nodes.Text(text[place:])


def description(element):
    """The nodes of a comment."""
    return [node for child in element for node in block_of(child)]


def block_of(element):
    if element.tag == "para":
        paragraph = nodes.paragraph()
        for node in inline(element):
            if isinstance(node, (nodes.Inline, nodes.Text)):
                paragraph += node
                continue
            if paragraph.astext().strip():
                yield paragraph
            yield node
            paragraph = nodes.paragraph()
        if paragraph.astext().strip():
            yield paragraph
    elif element.tag in ("itemizedlist", "orderedlist"):
        yield from inline_block(element)


def inline_block(element):
    listed = nodes.bullet_list() if element.tag == "itemizedlist" else nodes.enumerated_list()
    for item in element.iterfind("listitem"):
        listed += nodes.list_item("", *[node for child in item for node in block_of(child)])
    yield listed


def inline(element):
    if element.text:
        yield nodes.Text(element.text)
    for child in element:
        if child.tag in ("itemizedlist", "orderedlist"):
            yield from inline_block(child)
        elif child.tag == "simplesect":  # "pre": a paragraph that begins with "Precondition:"
            words = nodes.paragraph("", "", nodes.emphasis("", "Precondition: "))
            for part in child.iterfind("para"):
                words.extend(inline(part))
            yield words
        elif child.tag == "ref":
            yield nodes.reference("", "".join(child.itertext()), refuri=f"api:{child.get('refid')}")
        elif child.tag == "ulink":
            yield nodes.reference("", "".join(child.itertext()), refuri=child.get("url"))
        elif child.tag == "computeroutput":
            links = child.findall("ref")
            words = nodes.literal("", "".join(child.itertext()))
            is_link = len(links) == 1 and not child.text
            yield nodes.reference("", "", words, refuri=f"api:{links[0].get('refid')}") if is_link else words
        elif child.tag in ("bold", "emphasis"):
            yield (nodes.strong if child.tag == "bold" else nodes.emphasis)("", "".join(child.itertext()))
        elif child.tag in ("lsquo", "rsquo", "ldquo", "rdquo", "ndash", "mdash"):
            yield nodes.Text(dict(lsquo="‘", rsquo="’", ldquo="“", rdquo="”", ndash="–", mdash="—")[child.tag])
        else:
            yield nodes.Text("".join(child.itertext()))
        if child.tail:
            yield nodes.Text(child.tail)


def values(entry):
    """The enumerators of an enumeration, with their comments."""
    listed = nodes.definition_list(classes=["values"])
    for value in entry.element.iterfind("enumvalue"):
        name = value.findtext("name")
        number = (value.findtext("initializer") or "").removeprefix("=").strip()
        words = nodes.literal("", name + (f" = {number}" if number else ""))
        said = [node for part in ("briefdescription", "detaileddescription") for node in description(value.find(part))]
        listed += nodes.definition_list_item(
            "", nodes.term("", "", words, ids=[f"{entry.anchor}-{name}"]), nodes.definition("", *said))
    return [listed] if len(listed) else []


def code(text):
    return nodes.literal_block(text, text, language="cpp")


def prose(text):
    """A paragraph in which text between backquotes is code."""
    paragraph = nodes.paragraph()
    for number, part in enumerate(text.split("`")):
        paragraph += nodes.literal("", part) if number % 2 else nodes.Text(part)
    return paragraph
