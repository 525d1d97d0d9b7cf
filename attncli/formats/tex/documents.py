"""Whole files: an article, an exam, or a fragment of either; and each kind of block in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from attncli.document import blocks as doc
from attncli.document.blocks import Document, Fields, Section, as_on_paper, each, in_lines
from attncli.document.pictures import PICTURES, Picture
from attncli.document.questions import Paper, counted_points, points_text
from attncli.document.tables import SideBySide
from attncli.formats.pictures_in_tables import in_tables
from attncli.formats.tex import tables
from attncli.formats.tex.products import has_room, laid_out, stand_together
from attncli.formats.tex.setting import (
    GUIDE_WIDTH,
    Setting,
    article,
    colour_macros,
    escaped,
    exam,
    guides,
    macros_for,
    math_width,
    on_one_line,
    spans,
    word,
)
from attncli.formats.tex.working import INDENT, addition, pieces, working
from attncli.formats.writers import (
    Products,
    Tables,
    with_products_together,
    with_tables_together,
    written,
)
from attncli.maths.equations.tree import Equation
from attncli.maths.notation.latex import latex
from attncli.names import Word
from attncli.option_values import PAPER_SIZES

_BETWEEN_ROWS = 2.5
_DEEPEST = 10
"""How deep a tree's lines are set in; what is deeper stands below each other."""


def blocks(them: Iterable[doc.Block], setting: Setting) -> list[str]:
    """Lists the text of each block; small matrices that follow each other go side by side, and
    products that there is room for stand as on paper."""
    shown = as_on_paper(in_lines(them, partial(has_room, setting=setting)))
    beside = with_products_together(shown, partial(stand_together, setting=setting))
    return list(written(with_tables_together(beside), _WRITERS, setting))


def formulas(them: Sequence[Equation], setting: Setting) -> str:
    """Sets formulas on one line if there is room for them, else one a line."""
    texts = [latex(formula, setting.formula) for formula in them]
    if not texts:
        return ""
    if sum(math_width(text) + _BETWEEN_ROWS for text in texts) <= setting.room:
        return "\\[\n  " + on_one_line(r", \qquad ".join(texts)) + "\n\\]"
    lines = " \\\\\n  ".join(_formula(text, setting) for text in texts)
    return f"\\begin{{gather*}}\n  {lines}\n\\end{{gather*}}"


def _formula(text: str, setting: Setting) -> str:
    """Sets a formula, broken between its terms if need be, and before the = if that isn't
    enough."""
    room = setting.room - INDENT
    rows = pieces(text, room)
    if _widest(rows) > room:
        left, _, right = text.partition(" = ")
        rows = min(rows, [left, *pieces(f"= {right}", room)], key=_widest)
    if len(rows) == 1:
        return rows[0]
    lines = (r" \\" + "\n    " + r"&\qquad ").join(rows)
    return f"\\begin{{aligned}}[t]\n    &{lines}\n  \\end{{aligned}}"


def _widest(rows: Sequence[str]) -> float:
    """Measures how wide rows are, of which all but the first are set in."""
    return max(math_width(row) + INDENT * bool(k) for k, row in enumerate(rows))


def facts(block: doc.DefinitionList, setting: Setting) -> str:
    close = _CLOSE if setting.working.hidden else ""
    items = "\n".join(rf"\item[{escaped(label)}] {spans(text)}" for label, text in block.rows)
    return f"\\begin{{description}}\\raggedright{close}\n{items}\n\\end{{description}}"


def _points(block: doc.Bullets, _: Setting) -> str:
    items = "\n".join(rf"\item {spans(item)}" for item in block.items)
    return f"\\begin{{itemize}}\\raggedright\n{items}\n\\end{{itemize}}"


def _tree(block: doc.Tree, _: Setting) -> str:
    """Sets a line for each part, below what it belongs to; the numbers stand in a column."""
    lines = "\n".join(map(_tree_line, block.rows, block.guides, block.has_parts))
    return f"{{\\parskip 0pt\\parindent 0pt\\raggedright\n{lines}\n}}"


def _tree_line(row: doc.TreeRow, before: str, has_parts: bool) -> str:
    drawn = before if len(before) <= _DEEPEST else before[: _DEEPEST - 1] + before[-1]
    indent = 3 + GUIDE_WIDTH * len(drawn)
    number = rf"\makebox[2.5em][r]{{{escaped(row.numbers)}}}" if row.numbers else ""
    start = (
        rf"\hangindent {indent + 1:g}em\noindent\strut\makebox[3em][l]{{{number}}}{guides(drawn)}"
    )
    title = rf"\textbf{{{spans(row.title)}}}" if has_parts else spans(row.title)
    made = f": {spans(row.made)}" if row.made else ""
    return rf"{start}{title}{made}\par"


def _fields(block: doc.Fields, _: Setting) -> str:
    fields = r"\quad ".join(rf"{escaped(name)} \hrulefill" for name in block.names)
    return (
        "\\noindent\\fbox{\\parbox{\\dimexpr\\linewidth-2\\fboxsep-2\\fboxrule}{%\n"
        f"\\vspace{{3ex}}\\noindent {fields}\\vspace{{1ex}}}}}}\\par"
    )


def _word_blank(block: doc.WordBlank, setting: Setting) -> str:
    """Sets a question, its options, and a place for the answer."""
    options = [
        rf"\mbox{{{label}) {spans((option,))}}}"
        for label, option in zip(block.labels, block.options, strict=False)
    ]
    place = setting.place("" if block.answer is None else spans((block.answer,)))
    listed = "".join(rf"{option}\quad " for option in options)
    return (
        f"{{\\raggedright {spans(block.text)}\\\\*[1ex]\n"
        f"{listed}\\hspace*{{\\fill}}\\mbox{{{escaped(block.heading)} {place}}}\\par}}\\medskip"
    )


def _products(piece: Products, setting: Setting) -> str:
    """Sets products as on paper, and their lines below them."""
    working = (line for block in piece.blocks for line in block.working)
    return "\n\n".join([laid_out(piece, setting), *blocks(working, setting)])


def _picture(block: Picture, setting: Setting) -> str:
    """Sets the numbers of a picture, which LaTeX doesn't draw."""
    return "\n\n".join(blocks(in_tables(block), setting))


def _answer_space(block: doc.AnswerSpace, setting: Setting) -> str:
    more = setting.lines_to_end if block.to_end else ""
    return setting.lines_to_write.format(block.lines) + more


def _figure(block: doc.Figure, _: Setting) -> str:
    """Sets a picture whose file stands beside the source, where there is one that TeX reads."""
    name, instead = block.name.raw, spans((Word(block.instead),))
    if not re.fullmatch(r"[\w.-]+", name):
        return instead
    shown = f"\\includegraphics[width=0.6\\linewidth]{{{name}}}"
    drawn = f"\\IfFileExists{{{name}}}{{{shown}}}{{{instead}}}"
    return f"\\ifdefined\\includegraphics{drawn}\\else {instead}\\fi"


_WRITERS: Mapping[type, Callable[[Any, Setting], str]] = {
    Tables: lambda block, setting: tables.matrices(block.matrices, setting),
    doc.DefinitionList: facts,
    doc.Paragraph: lambda block, _: spans(block.text),
    doc.Bullets: _points,
    doc.Subheading: lambda block, setting: setting.subheading.format(spans(block.text)),
    doc.Callout: lambda block, _: (
        f"\\begin{{quote}}\\raggedright\n{spans(block.text)}\n\\end{{quote}}"
    ),
    doc.Derivation: working,
    doc.ColumnSum: addition,
    Products: _products,
    doc.Table: tables.table,
    SideBySide: tables.side_by_side,
    doc.Tree: _tree,
    doc.Graph: lambda block, _: tables.graph(block),
    doc.Fields: _fields,
    doc.WordBlank: _word_blank,
    doc.Figure: _figure,
    doc.AnswerSpace: _answer_space,
    **dict.fromkeys(PICTURES, _picture),
}
"""How each block is written."""


ARTICLE_ROOM, EXAM_ROOM, FRAGMENT_ROOM, GRID_ROOM = 41.0, 41.0, 33.0, 46.5
"""Ems between the margins: 166 mm of A4 at 11 pt are 43, less the indent of displays and some to
spare, and of a grid 186 mm are 48; of a fragment those of an article that says nothing of its own,
360 pt."""
_CLOSE = r"\labelsep 0.5em\itemsep 0pt\parsep 0pt"
"""Facts in an exam, whose questions have no labels."""

_RATHER_NEXT = r"\par\vfil\penalty-300\vfilneg\medskip"
_BETWEEN = {"compact": _RATHER_NEXT, "lines": _RATHER_NEXT, "pages": r"\newpage"}
_LED_TO = r"\par\nopagebreak\medskip"
"""What stands between questions, of which one that would go over the end of a page begins on the
next (The TeXbook, `\\filbreak`), and behind what leads to one."""
_SHEETS = ("exercise", "sheet")

# TeX begins a paragraph for a display that none is there for, and leaves its first line empty.
_DISPLAYS = (r"\[", r"\begin{align", r"\begin{gather")

_PACKAGES = r"""% pdfTeX, XeTeX and LuaTeX all take this file.
\ifdefined\Umathcode\else\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}\fi
\usepackage[margin=22mm]{geometry}
\usepackage[fleqn]{amsmath}
\usepackage{booktabs}
\setlength\mathindent{1em}
\setlength\parindent{0pt}
\setlength\parskip{1ex plus 0.5ex}
\setlength\emergencystretch{4em}
\AtBeginDocument{\abovedisplayskip 1.2ex plus 0.5ex\abovedisplayshortskip 0.6ex
  \belowdisplayskip 1ex plus 0.5ex\belowdisplayshortskip\belowdisplayskip}
\allowdisplaybreaks
"""
_COLOURS = "\\IfFileExists{colortbl.sty}{\\usepackage{xcolor}\\usepackage{colortbl}}{}\n"
_FIGURES = "\\IfFileExists{graphicx.sty}{\\usepackage{graphicx}}{}\n"
_ARTICLE = "\\documentclass[11pt,a4paper]{article}\n" + _PACKAGES + _COLOURS
_EXAM = (
    "\\documentclass[addpoints,11pt,a4paper]{exam}\n"
    + _PACKAGES
    + r"""\geometry{vmargin={16mm,20mm},footskip=9mm}
\pagestyle{foot}
\setlength\linefillheight{8mm}
\pointsinrightmargin
\setlength\rightpointsmargin{24mm}
\pointpoints{ONE_POINT}{MANY_POINTS}
\marginpointname{ \points}
\renewcommand\questionlabel{}
\renewcommand\questionshook{\leftmargin 0pt\labelwidth 0pt\labelsep 0pt}
\CorrectChoiceEmphasis{\bfseries\boldmath}
"""
)
_FOOT = r"""\makeatletter
\def\ps@paper{{\let\@oddhead\@empty
  \def\@oddfoot{{\footnotesize\rlap{{{}}}\hfil {}\hfil\llap{{{}}}}}}}
\makeatother
\pagestyle{{paper}}
"""
_LAST = "last-page"
_DENSE = r"""\geometry{vmargin={13mm,17mm},footskip=9mm}
\setlength\parskip{0.6ex plus 0.3ex}
"""
_TOGETHER = r"""% the class labels each question by its number, which no sheet may have again
\let\sheetshook\questionshook
\renewcommand\questionshook{\sheetshook\setcounter{question}{\value{numquestions}}}
"""
_KEYED = r"""% a solution may go over pages, so it has a rule instead of a frame
\renewenvironment{TheSolution}{\par\bigskip\hrule\medskip\noindent\textbf{SOLUTION}\par}{\par}
% This is the sheet. Take the % away before \printanswers, or say
%   pdflatex '\def\withanswers{}\input{this file}'
% for the key.
% \printanswers
\ifdefined\withanswers\printanswers\fi
"""


def file(document: Document, *, fragment: bool) -> str:
    """Writes the document as a file of its own, or as a fragment without a preamble."""
    paper = document.paper
    if paper is not None and paper.kind in _SHEETS:
        return _exam_file(document, paper, fragment=fragment)
    is_grid = paper is not None and paper.kind == "grid"
    room = FRAGMENT_ROOM if fragment else GRID_ROOM if is_grid else ARTICLE_ROOM
    body = _article_body(document, article(room, fragment=fragment))
    if fragment:
        return _fragment(body, "amsmath and booktabs")
    preamble = _on(_ARTICLE, document.paper)
    if document.paper is None:
        return _whole(preamble, body)
    foot = (escaped(document.paper.made_from), _paging(document.paper, _LAST), word(document.title))
    return _whole(preamble + _FOOT.format(*foot), body + _label(_LAST))


def _label(last: str) -> str:
    return f"\\label{{{last}}}"


def _on(preamble: str, paper: Paper | None) -> str:
    """Returns the preamble of what is printed on the paper's own size; a grid has more on a
    page."""
    size = PAPER_SIZES[0] if paper is None else paper.size
    if paper is not None and paper.kind == "grid":
        preamble = preamble.replace("margin=22mm", "margin=12mm,bottom=20mm,footskip=9mm", 1)
    return preamble.replace(f"{PAPER_SIZES[0]}paper", f"{size}paper", 1)


def _whole(preamble: str, body: str) -> str:
    start = f"{preamble}{macros_for(body)}{colour_macros(body)}"
    return f"{start}\n\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"


def _fragment(body: str, needs: str) -> str:
    start = f"% To be \\input into a document that loads {needs}.\n"
    start += "\\begingroup\\allowdisplaybreaks\\emergencystretch 4em"
    start += "\\parindent 0pt\\splitmaxdepth\\maxdepth\n"
    return f"{start}{macros_for(body)}{colour_macros(body)}\n{body}\n\n\\endgroup\n"


def _together(parts: Iterable[str]) -> str:
    """Joins the parts as paragraphs. A display goes on with the running text before it, since a
    paragraph that began with it would begin with an empty line."""
    page = ""
    running = False
    for part in filter(None, parts):
        goes_on = running and part.startswith(_DISPLAYS)
        page += f"\n{part}" if goes_on else f"\n\n{part}"
        running = not part.startswith(("\\", "{"))
    return page.strip()


def _article_body(document: Document, setting: Setting) -> str:
    parts: list[str] = []
    if document.facts is not None or document.paper is not None:
        called = "" if document.paper is None else rf" \hfill {escaped(document.paper.called)}"
        parts.append(setting.title.format(word(document.title) + called))
    if document.paper is not None:
        parts.append(_small_print(document.paper))
        document = document._replace(paper=None)  # whose marks are in it
    parts += blocks(document.lead, setting)
    parts += blocks(document.opening, setting)
    for section in document.sections:
        if section.is_data:
            continue  # told by what comes before it or after it
        parts.append(setting.heading.format(spans(section.heading)))
        parts += _section_parts(section, setting)
        parts += blocks(section.solution, setting)
    return _together([*parts, *blocks((*document.closing, *document.foot), setting)])


def _section_parts(section: Section, setting: Setting) -> list[str]:
    return [formulas(section.formulas, setting), *blocks(section.blocks, setting)]


def _exam_file(document: Document, paper: Paper, *, fragment: bool) -> str:
    setting = exam(FRAGMENT_ROOM if fragment else EXAM_ROOM, with_key=paper.kind == "exercise")
    body = _exam_body(document, paper, setting)
    if fragment:
        return _fragment(body, "amsmath and booktabs, of the class exam")
    keyed = ""
    if paper.kind == "exercise":
        keyed = _KEYED.replace("SOLUTION", escaped(paper.words.paper.solution))
    figures = _FIGURES if _has_figures(document) else ""
    preamble = f"{_preamble(paper)}{figures}{_footer(document, paper)}\n{keyed}"
    return _whole(preamble, body + _label(_LAST))


def _has_figures(document: Document) -> bool:
    """Tells whether somebody's own picture stands on a paper."""
    blocks = (block for section in document.sections for block in section.blocks)
    return any(isinstance(block, doc.Figure) for block in each(blocks))


def _preamble(paper: Paper) -> str:
    """Returns the preamble of an exam, with what its points are called."""
    words = paper.words.paper
    named = _on(_EXAM if paper.layout != "compact" else _EXAM + _DENSE, paper)
    named = named.replace("ONE_POINT", escaped(words.one_point))
    return named.replace("MANY_POINTS", escaped(words.many_points))


def _footer(document: Document, paper: Paper, last: str = _LAST) -> str:
    made, paging = escaped(paper.made_from), _paging(paper, last)
    return rf"\footer{{{made}}}{{{paging}}}{{{word(document.title)}}}"


def _paging(paper: Paper, last: str) -> str:
    """Says which page of how many this is; the last of them has the label `last`."""
    before, _, rest = paper.words.paper.page_of.partition("{number}")
    between, _, behind = rest.partition("{count}")
    return rf"{escaped(before)}\thepage{{}}{escaped(between)}\pageref{{{last}}}{escaped(behind)}"


def together(documents: Iterable[Document]) -> str:
    """Writes papers as one file, each with pages of its own; sheets each with a footer, too."""
    papers = [*documents]
    first, apart = papers[0].paper, "\n\n\\clearpage\n\n"
    if first is None:
        setting = article(ARTICLE_ROOM, fragment=False)
        bodies = (f"\\setcounter{{page}}{{1}}%\n{_article_body(own, setting)}" for own in papers)
        return _whole(_on(_ARTICLE, None), apart.join(bodies))
    body = apart.join(map(_numbered_sheet, papers, count(1)))
    return _whole(_preamble(first) + _TOGETHER, body)


def _numbered_sheet(sheet: Document, number: int) -> str:
    paper, last = sheet.paper, f"{_LAST}{number}"
    assert paper is not None
    body = _exam_body(sheet, paper, exam(EXAM_ROOM, with_key=False))
    return f"{_footer(sheet, paper, last)}\\setcounter{{page}}{{1}}%\n{body}{_label(last)}"


def _exam_body(document: Document, paper: Paper, setting: Setting) -> str:
    """Writes what the whole exercise depends on and the first question, then a page or more for
    each of the others."""
    top = [block for block in each(document.opening) if isinstance(block, Fields)]
    others = [block for block in document.opening if not isinstance(block, Fields)]
    called = escaped(paper.called)
    fields = "\n\n".join(blocks(top, setting))
    if paper.kind == "exercise":
        called = _unless_key(called, escaped(paper._replace(kind="key").called))
        fields = _unless_key(fields, "")
    title = rf"{word(document.title)} \hfill {called}"
    parts = [setting.title.format(title), fields]
    parts += [facts(document.facts, setting)] if document.facts and document.facts.rows else []
    parts += [_small_print(paper), *blocks(others, setting)]
    leads = any(not section.questions for section in document.sections[:1])
    start = r"\newpage" if paper.cover else _RATHER_NEXT if leads else ""
    parts += [start, r"\begin{questions}"]
    between = ""
    for section in document.sections:
        parts.append("\n".join(filter(None, (between, _question(section, paper, setting)))))
        between = _BETWEEN[paper.layout] if section.questions else _LED_TO
    return _together([*parts, r"\end{questions}", *blocks(document.closing, setting)])


def _question(section: Section, paper: Paper, setting: Setting) -> str:
    """Writes a question with its points at the right; the class counts whole ones."""
    is_whole = section.points == int(section.points)
    points = f"[{points_text(section.points)}]" if section.points and is_whole else ""
    start = f"\\question{points} \\textbf{{{spans(section.heading)}}}"
    if not is_whole:
        start += rf" \hfill ({escaped(counted_points(section.points, paper.words))})"
    solution = blocks(section.solution, setting)
    texts = ["\\begin{solution}", *solution, "\\end{solution}"] if solution else []
    first, *parts = _section_parts(section, setting)
    start = "\n".join(filter(None, (start, first)))  # a formula goes on with its heading's line
    return _together([start, *parts, *texts])


def _unless_key(sheet: str, key: str) -> str:
    """Writes what stands on the sheet, and in its place on the key."""
    return rf"\ifprintanswers {key}\else {sheet}\fi"


def _small_print(paper: Paper) -> str:
    """Says what the paper was made from; on the key, by which command."""
    words = paper.words.paper
    called = escaped(words.made_from_hash.format(hash=paper.hash))
    before, _, behind = map(escaped, words.by_command.partition("{command}"))
    command = rf"{before}\texttt{{{word(paper.command)}}}{behind}"
    made_by = command if paper.tells_command else ""
    if paper.kind == "exercise":
        made_by = _unless_key("", made_by)
    return rf"{{\footnotesize\raggedright {called}{made_by}\par}}"
