"""The part of imsqti_v2p1.xsd and imscp_v1p1.xsd that we use, as tables: which children an element
may have, in which order, which attributes, and what these may say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from xml.etree.ElementTree import Element

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"

INLINE = "br em code span sub sup i b strong small samp tt var q cite kbd"
BLOCK = "pre h1 h2 h3 h4 h5 h6 p dl ol ul hr blockquote table div"
EXPRESSION = (
    "and or not gt lt gte lte sum subtract product divide multiple match equal stringMatch isNull "
    "variable baseValue testVariables"
)
RULE = "responseCondition setOutcomeValue exitResponse"


def any_of(*names: str) -> str:
    return f"({'|'.join(' '.join(names).split())})"


PLACES = "textEntryInteraction inlineChoiceInteraction"
FLOW = any_of(INLINE, BLOCK, PLACES) + "*"
TEXT = any_of(INLINE, PLACES) + "*"

CONTENT = {
    "assessmentItem": "responseDeclaration* outcomeDeclaration* templateDeclaration* "
    "templateProcessing? stylesheet* itemBody? responseProcessing? modalFeedback*",
    "responseDeclaration": "defaultValue? correctResponse? mapping? areaMapping?",
    "outcomeDeclaration": "defaultValue? (matchTable|interpolationTable)?",
    "correctResponse": "value value*",
    "defaultValue": "value value*",
    "itemBody": any_of("rubricBlock extendedTextInteraction choiceInteraction", BLOCK) + "*",
    "extendedTextInteraction": "prompt?",
    "choiceInteraction": "prompt? simpleChoice simpleChoice*",
    "rubricBlock": any_of(BLOCK) + "* stylesheet*",
    "responseProcessing": any_of(RULE) + "*",
    "responseCondition": "responseIf responseElseIf* responseElse?",
    "responseIf": f"{any_of(EXPRESSION)} {any_of(RULE)}*",
    "responseElseIf": f"{any_of(EXPRESSION)} {any_of(RULE)}*",
    "setOutcomeValue": any_of(EXPRESSION),
    "modalFeedback": any_of(INLINE, BLOCK) + "* stylesheet*",
    "assessmentTest": "outcomeDeclaration* timeLimits? stylesheet* testPart testPart* "
    "outcomeProcessing? testFeedback*",
    "testPart": "preCondition* branchRule* itemSessionControl? timeLimits? "
    "(assessmentSection|assessmentSectionRef) (assessmentSection|assessmentSectionRef)* "
    "testFeedback*",
    "assessmentSection": "preCondition* branchRule* itemSessionControl? timeLimits? selection? "
    "ordering? rubricBlock* (assessmentItemRef|assessmentSection|assessmentSectionRef)*",
    "assessmentItemRef": "preCondition* branchRule* itemSessionControl? timeLimits? "
    "variableMapping* weight* templateDefault*",
    "outcomeProcessing": "(outcomeCondition|setOutcomeValue|exitTest)*",
    "table": "caption? col* colgroup* thead? tfoot? tbody tbody*",
    **dict.fromkeys(("thead", "tbody", "tfoot"), "tr tr*"),
    "tr": "(th|td)*",
    **dict.fromkeys(("ul", "ol"), "li*"),
    **dict.fromkeys(("and", "or", "sum"), f"{any_of(EXPRESSION)} {any_of(EXPRESSION)}*"),
    "multiple": any_of(EXPRESSION) + "*",
    **dict.fromkeys(
        ("gt", "lt", "gte", "lte", "match", "equal", "stringMatch", "subtract"),
        f"{any_of(EXPRESSION)} {any_of(EXPRESSION)}",
    ),
    **dict.fromkeys(("th", "td", "div", "li", "simpleChoice"), FLOW),
    **dict.fromkeys(("p", "span", "code", "b", "strong", "em", "h4", "h5", "h6"), TEXT),
    **dict.fromkeys(
        ("variable", "baseValue", "value", "textEntryInteraction", "stylesheet", "br", "selection",
         "itemSessionControl", "testVariables", "weight"),
        "",
    ),
    "inlineChoiceInteraction": "inlineChoice inlineChoice*",
    "inlineChoice": "",
    "manifest": "metadata? organizations resources manifest*",
    "metadata": "schema? schemaversion?",
    "organizations": "organization*",
    "resources": "resource*",
    "resource": "metadata? file* dependency*",
    **dict.fromkeys(("schema", "schemaversion", "file", "dependency"), ""),
}  # fmt: skip
"""Children by the names of elements: names in order, with `?`, `*` and alternatives in
parentheses. An element that isn't here isn't used."""

WITH_TEXT = frozenset(
    [
        "th",
        "td",
        "simpleChoice",
        "div",
        "li",
        "p",
        "span",
        "code",
        "b",
        "strong",
        "em",
        "h4",
        "h5",
        "h6",
        "modalFeedback",
        "value",
        "baseValue",
        "inlineChoice",
        "schema",
        "schemaversion",
    ]
)

NAME = r"[^\W\d][\w.-]*"
ANY = r"[^\t\n]*"
ADDRESS = r"[\w./-]+"
TRUTH = "true|false"
NUMBER = r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?"
WHOLE = r"[+-]?\d+"
KIND = "boolean|directedPair|duration|file|float|identifier|integer|pair|point|string|uri"
MANY = "single|multiple|ordered|record"
VIEW = "author|candidate|proctor|scorer|testConstructor|tutor"

CELL = {
    "class": ANY, "headers": ANY, "scope": "row|col|rowgroup|colgroup", "abbr": ANY,
    "axis": ANY, "rowspan": WHOLE, "colspan": WHOLE, "align": ANY, "valign": ANY,
}  # fmt: skip
ATTRIBUTES = {
    "assessmentItem": {
        "identifier!": ANY, "title!": ANY, "adaptive!": TRUTH, "timeDependent!": TRUTH,
        "label": ANY, LANG: ANY, "toolName": ANY, "toolVersion": ANY,
    },
    "responseDeclaration": {"identifier!": NAME, "cardinality!": MANY, "baseType": KIND},
    "outcomeDeclaration": {
        "identifier!": NAME, "cardinality!": MANY, "baseType": KIND, "view": VIEW,
        "interpretation": ANY, "longInterpretation": ADDRESS, "normalMaximum": NUMBER,
        "normalMinimum": NUMBER, "masteryValue": NUMBER,
    },
    "stylesheet": {"href!": ADDRESS, "type!": ANY, "media": ANY, "title": ANY},
    "extendedTextInteraction": {
        "responseIdentifier!": NAME, "expectedLength": WHOLE, "expectedLines": WHOLE, "base": WHOLE,
        "class": ANY,
    },
    "choiceInteraction": {
        "responseIdentifier!": NAME, "shuffle!": TRUTH, "maxChoices!": WHOLE, "minChoices": WHOLE,
    },
    "simpleChoice": {"identifier!": NAME, "fixed": TRUTH},
    "rubricBlock": {"view!": f"({VIEW})( ({VIEW}))*", "use": ANY, "class": ANY},
    "textEntryInteraction": {
        "responseIdentifier!": NAME, "expectedLength": WHOLE, "base": WHOLE, "class": ANY,
        "patternMask": ANY, "placeholderText": ANY, "stringIdentifier": NAME, "format": ANY,
    },
    "inlineChoiceInteraction": {
        "responseIdentifier!": NAME, "shuffle!": TRUTH, "required": TRUTH, "class": ANY,
    },
    "inlineChoice": {"identifier!": NAME, "fixed": TRUTH, "class": ANY},
    "setOutcomeValue": {"identifier!": NAME},
    "variable": {"identifier!": NAME, "weightIdentifier": NAME},
    "baseValue": {"baseType!": KIND},
    "stringMatch": {"caseSensitive!": TRUTH, "substring": TRUTH},
    "equal": {"toleranceMode!": "exact|absolute|relative", "tolerance": ANY},
    "testVariables": {"variableIdentifier!": NAME, "sectionIdentifier": NAME, "baseType": KIND},
    "modalFeedback": {
        "outcomeIdentifier!": NAME, "showHide!": "show|hide", "identifier!": NAME, "title": ANY,
    },
    "assessmentTest": {"identifier!": ANY, "title!": ANY, "toolName": ANY, "toolVersion": ANY},
    "testPart": {
        "identifier!": ANY, "navigationMode!": "linear|nonlinear",
        "submissionMode!": "individual|simultaneous",
    },
    "itemSessionControl": {
        "maxAttempts": WHOLE, "showFeedback": TRUTH, "allowReview": TRUTH, "showSolution": TRUTH,
        "allowComment": TRUTH, "allowSkipping": TRUTH, "validateResponses": TRUTH,
    },
    "assessmentSection": {
        "identifier!": ANY, "title!": ANY, "visible!": TRUTH, "required": TRUTH, "fixed": TRUTH,
        "keepTogether": TRUTH,
    },
    "weight": {"identifier!": NAME, "value!": NUMBER},
    "selection": {"select!": WHOLE, "withReplacement": TRUTH},
    "assessmentItemRef": {
        "identifier!": ANY, "href!": ADDRESS, "category": ANY, "required": TRUTH, "fixed": TRUTH,
    },
    "th": CELL,
    "td": CELL,
    **{name: {"class": ANY} for name in ("div", "span", "p", "table", "tr", "code", "ul")},
    "manifest": {"identifier!": NAME},
    "resource": {"identifier!": NAME, "type!": ANY, "href": ADDRESS},
    "file": {"href!": ADDRESS},
    "dependency": {"identifierref!": NAME},
}  # fmt: skip
"""What attributes may say, whole; those with a `!` must be there."""


def faults(element: Element, namespace: str = QTI) -> Iterator[str]:
    """What the schema doesn't allow in an element and whatever is in it."""
    prefix = f"{{{namespace}}}"
    if not element.tag.startswith(prefix):
        yield f"{element.tag} isn't of {namespace}"
        return
    name = element.tag.removeprefix(prefix)
    if name not in CONTENT:
        yield f"{name} isn't known"
        return
    children = "".join(f"{child.tag.removeprefix(prefix)} " for child in element)
    if not re.fullmatch(_pattern(CONTENT[name]), children):
        yield f"{name} holds {children}, not {CONTENT[name]}"
    texts = (element.text, *(child.tail for child in element))
    if name not in WITH_TEXT and any((text or "").strip() for text in texts):
        yield f"{name} holds text"
    yield from _of_attributes(name, element)
    for child in element:
        yield from faults(child, namespace)


def _of_attributes(name: str, element: Element) -> Iterator[str]:
    known = ATTRIBUTES.get(name, {})
    needed = {key.removesuffix("!") for key in known if key.endswith("!")}
    for key in needed - element.attrib.keys():
        yield f"{name} has no {key}"
    allowed = {key.removesuffix("!"): pattern for key, pattern in known.items()}
    for key, value in element.attrib.items():
        if key not in allowed:
            yield f"{name} has {key}"
        elif not re.fullmatch(allowed[key], value):
            yield f"{name} has {key}={value!r}"


@cache
def _pattern(content: str) -> str:
    """A content as a pattern of names with a space behind each."""
    return (
        re.sub(r"\w+", lambda name: f"(?:{name[0]}_)", content).replace(" ", "").replace("_", " ")
    )
