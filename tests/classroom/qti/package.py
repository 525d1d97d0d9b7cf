"""A package: its manifest, its test, its items, and whether they fit each other."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from tests.classroom.qti.schema import PACKAGE, QTI, faults

ITEM, TEST = "imsqti_item_xmlv2p1", "imsqti_test_xmlv2p1"
BUILT_IN = {"numAttempts", "duration", "completionStatus"}
WELL_KNOWN = "imsmanifest.xml"


class Package(NamedTuple):
    """The roots of a package's files, items by their identifiers."""

    manifest: Element
    test: Element
    items: Mapping[str, Element]


def opened(package: bytes) -> Package:
    """A package as it is read; an AssertionError names all that is wrong with it."""
    with ZipFile(io.BytesIO(package)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    assert WELL_KNOWN in files
    roots = {name: ElementTree.fromstring(data) for name, data in files.items() if "xml" in name}
    manifest = roots[WELL_KNOWN]
    wrong = [*faults(manifest, PACKAGE)]
    for name, root in roots.items():
        wrong += [] if root is manifest else [f"{name}: {fault}" for fault in faults(root)]
    assert wrong == []
    resources = [*manifest.iter(f"{{{PACKAGE}}}resource")]
    texts = {file.attrib["href"] for file in manifest.iter(f"{{{PACKAGE}}}file")}
    assert texts == files.keys() - {WELL_KNOWN}, "all files are told of, and there are no others"
    (test,) = (roots[e.attrib["href"]] for e in resources if e.attrib["type"] == TEST)
    items = {
        e.attrib["identifier"]: roots[e.attrib["href"]]
        for e in resources
        if e.attrib["type"] == ITEM
    }
    _check_references(manifest, test, items)
    for name, item in items.items():
        assert item.attrib["identifier"] == name
        assert [*unfitting(item)] == []
    return Package(manifest, test, items)


def _check_references(manifest: Element, test: Element, items: Mapping[str, Element]) -> None:
    drawn = [e.attrib["identifier"] for e in test.iter(f"{{{QTI}}}assessmentItemRef")]
    needed = [e.attrib["identifierref"] for e in manifest.iter(f"{{{PACKAGE}}}dependency")]
    assert drawn == needed == [*items]
    names = [e.attrib["identifier"] for e in manifest.iter(f"{{{PACKAGE}}}resource")]
    assert len(names) == len(set(names)), "identifiers are unique"


def unfitting(item: Element) -> Iterator[str]:
    """What of an item refers to nothing, or is there twice."""
    declared = _told(item, "responseDeclaration", "identifier")
    asked = [
        *_told(item, "textEntryInteraction", "responseIdentifier"),
        *_told(item, "inlineChoiceInteraction", "responseIdentifier"),
        *_told(item, "extendedTextInteraction", "responseIdentifier"),
    ]
    if sorted(declared) != sorted(asked) or len(set(asked)) != len(asked):
        yield f"answers {declared} are asked for at {asked}"
    outcomes = _told(item, "outcomeDeclaration", "identifier")
    for name in {*_told(item, "variable", "identifier")} - {*declared, *outcomes, *BUILT_IN}:
        yield f"{name} isn't declared"
    for name in {*_told(item, "setOutcomeValue", "identifier")} - {*outcomes}:
        yield f"{name} is set and isn't declared"
    feedback = _told(item, "modalFeedback", "identifier")
    if len(feedback) != len(set(feedback)):
        yield "two feedbacks have one name"
    entries = {
        e.text for e in item.iter(f"{{{QTI}}}baseValue") if e.attrib["baseType"] == "identifier"
    }
    entries -= {*_told(item, "inlineChoice", "identifier")}
    if entries - {*feedback}:
        yield f"no feedback for {entries - {*feedback}}"


def _told(item: Element, name: str, attribute: str) -> list[str]:
    return [e.attrib[attribute] for e in item.iter(f"{{{QTI}}}{name}")]
