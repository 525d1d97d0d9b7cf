"""QTI 2.1: a package of a test that draws one form, each form an item that holds all that it takes
to answer it.

The files of a package are what is written here; packed they are a .zip file for Canvas, TAO, Onyx
and others. Identifiers, elements and their order are those of the published schema,
imsqti_v2p1.xsd; the test, the items and the manifest refer to each other by relative addresses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attncli.document import Document
from attncli.notation.words import visible
from attncli.questions import points_text
from attncli.render.abilities import Abilities, Page
from attncli.render.exercises._answers import paper_of
from attncli.render.exercises._qti_item import QTI, STYLES, SheetItem, told_by
from attncli.render.exercises._self_marking import DECLARATION, LOOKS, headings, xml

SUFFIXES = (".zip",)
ABILITIES = Abilities(
    keys=("embedded",), self_keyed=True, share=50, hints="embedded", gathered=True, packed=True
)
"""An item marks itself by what is right in it, so the exercise itself is written."""

_NOTES = ".attn .note { border-left: 3px solid rgba(127, 127, 127, .4); padding-left: 1em }\n"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"


def files_of(documents: Sequence[Document], page: Page) -> Mapping[str, str]:  # noqa: ARG001
    """The files of a package by their names. Raises ValueError for a document that doesn't say
    what is right."""
    items = [SheetItem.of(one, paper_of(one, "qti")) for one in documents]
    return {
        "imsmanifest.xml": _manifest(items),
        "test.xml": _test(documents[0], items),
        STYLES: LOOKS + _NOTES,
        **{item.path: item.text for item in items},
    }


render, render_forms = told_by(files_of)


def _manifest(items: Sequence[SheetItem]) -> str:
    mark = items[0].form.paper.hash
    resources = "".join(
        f"""
    <resource identifier="{xml(item.identifier)}" type="imsqti_item_xmlv2p1" href="{item.path}">
      <file href="{item.path}"/>
      <file href="{STYLES}"/>
    </resource>"""
        for item in items
    )
    needed = "".join(
        f'\n      <dependency identifierref="{xml(item.identifier)}"/>' for item in items
    )
    return f"""\
{DECLARATION}
<manifest xmlns="{_PACKAGE}" identifier="manifest-{xml(mark)}">
  <metadata>
    <schema>QTIv2.1 Package</schema>
    <schemaversion>1.0.0</schemaversion>
  </metadata>
  <organizations/>
  <resources>
    <resource identifier="test-{xml(mark)}" type="imsqti_test_xmlv2p1" href="test.xml">
      <file href="test.xml"/>{needed}
    </resource>{resources}
  </resources>
</manifest>
"""


def _test(document: Document, items: Sequence[SheetItem]) -> str:
    """A test of which each student gets one form, with a try more than there are hints. Its score
    is that of the item, unweighted; the weights tell Canvas what an item is worth."""
    title = xml(" · ".join((visible(document.title), *headings(document))))
    tries = 1 + max(len(item.form.document.hints) for item in items)
    drawn = "".join(
        f"""
      <assessmentItemRef identifier="{xml(item.identifier)}" href="{item.path}">
        <weight identifier="points" value="{points_text(item.form.paper.points)}"/>
      </assessmentItemRef>"""
        for item in items
    )
    return f"""\
{DECLARATION}
<assessmentTest xmlns="{QTI}" identifier="test-{xml(items[0].form.paper.hash)}" title="{title}">
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/>
  <testPart identifier="part" navigationMode="nonlinear" submissionMode="individual">
    <itemSessionControl maxAttempts="{tries}" showFeedback="true"/>
    <assessmentSection identifier="forms" title="{title}" visible="false">
      <selection select="1"/>{drawn}
    </assessmentSection>
  </testPart>
  <outcomeProcessing>
    <setOutcomeValue identifier="SCORE">
      <sum>
        <testVariables variableIdentifier="SCORE"/>
      </sum>
    </setOutcomeValue>
  </outcomeProcessing>
</assessmentTest>
"""
