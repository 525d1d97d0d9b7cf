"""Sentences that carry numbers: each is read, and compared with the page's tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from tests.auditor import counts
from tests.auditor.calculator import number, rounds_to, same, value
from tests.auditor.formulas import is_formula
from tests.auditor.remarks import REMARKS
from tests.auditor.said import Said
from tests.auditor.tables import Table, Tables

_N = r"−?\d+(?:\.\d+)?"
_DIGIT = re.compile(r"\d")
_NONE: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
_PLACES = {"Encoder": "encoder", "Layer": "layers", "Head": "heads", "Cross-attention": "cross"}


def audit_sentences(
    page: Mapping[str, Any], variants: Mapping[str, Mapping[str, Any]] = _NONE
) -> Iterator[str]:
    """What is false in a page's sentences, or carries a number that nobody knows to check. What
    follows the sentence that compares a variant is said of that one's own page."""
    of = own = Said("", "", page, Tables(page), variants)
    for step in page["steps"]:
        for text in step.get("text", ()):
            if not is_formula(text):  # which has an auditor of its own
                yield from _false(own._replace(text=text, path=step.get("path", "")))
    for text in page["notes"]:
        named = [name for name in variants if text.startswith(f"{name} (")]
        of = own if named or "source" in text else of
        yield from _false(of._replace(text=text))
        if named:
            other = variants[max(named, key=len)]
            of = own._replace(page=other, tables=Tables(other))


def _false(claim: Said) -> Iterator[str]:
    text = claim.text
    for pattern, is_true in _CHECKED:
        for match in pattern.finditer(text):
            try:
                true = is_true(claim, match)
            except (ValueError, KeyError, IndexError, ArithmeticError) as error:
                true = False
                yield f"{type(error).__name__}: {error}"
            if not true:
                yield f"false: {match[0]}"
        text = pattern.sub("", text)
    for rule in _OF_RULES:
        text = rule.sub("", text)
    if _DIGIT.search(text):
        yield f"unread: {text}"


def _attended(claim: Said, match: re.Match[str]) -> bool:
    """A query's largest weight, and all keys that have it."""
    place = [part for word in re.findall(r"[A-Z][a-z-]+(?: \d+)?", match["place"] or "")
             for part in [re.sub(r" (\d+)", r"[\1]", _named(word))]]  # fmt: skip
    path = ".".join(place) if place else claim.path
    own = {name for name in claim.tables._tables if name.endswith("weights")}
    if not place and not claim.path and "weights" not in own:
        path = max(own).rpartition(".")[0]
    table = claim.tables[claim.tables.full("weights", path)]
    return _is_largest(table, match["clause"])


def _named(word: str) -> str:
    head, _, count = word.partition(" ")
    return f"{_PLACES[head]} {count}".strip()


def _claimed(claim: Said, match: re.Match[str]) -> bool:
    """What the source says of rows in words: where that is so, and where the page says it isn't."""
    names = [name for name in claim.variants if claim.text.startswith(f"{name}: ")]
    tables = Tables(claim.variants[names[0]]) if names else claim.tables
    table = tables[match["name"]]
    tokens = [_token(match["row"])] if match["row"] else list(table.rows)
    holding = {token for token in tokens if _claim_holds(table, token, match)}
    verdict = match["verdict"]
    if found := re.fullmatch("is so (?:here|in every row here)(, up to rounding)?", verdict):
        totals = (sum(map(number, table.text[table.rows.index(token)])) for token in tokens)
        off = bool(match["total"]) and any(total != number(match["total"]) for total in totals)
        return holding == {*tokens} and off == bool(found[1])
    if match["row"]:
        return not holding and _rightly_instead(table, tokens[0], verdict)
    right, _, wrong = verdict.partition("but not")
    failing = re.findall(r"((?:“[^”]*”(?:, | and )?)+), whose largest is at “([^”]*)”", wrong)
    told = {token: place for rows, place in failing for token in re.findall("“([^”]*)”", rows)}
    agree = all(_largest(table, token) == [place] for token, place in told.items())
    return agree and {*re.findall("“([^”]*)”", right)} == holding == {*tokens} - {*told}


def _rightly_instead(table: Table, token: str, verdict: str) -> bool:
    if found := re.search(r": (.*) = (.*)", verdict):
        terms = found[1].split(" + ")
        return terms == list(table.text[table.rows.index(token)]) and sum(
            map(number, terms)
        ) == number(found[2])
    return re.findall("“([^”]*)”", verdict) == _largest(table, token)


def _claim_holds(table: Table, token: str, match: re.Match[str]) -> bool:
    row = [number(text) for text in table.text[table.rows.index(token)]]
    if match["total"]:
        said = number(match["total"])
        return sum(row, Decimal(0)).quantize(said, ROUND_HALF_UP) == said
    return _largest(table, token) == [match["column"] or token]


def _largest(table: Table, token: str) -> list[str]:
    row = [number(text) for text in table.text[table.rows.index(token)]]
    return [name for name, x in zip(table.columns, row, strict=True) if x == max(row)]


_CLAUSE = re.compile(
    rf"(?P<query>.+?) attends (?P<how>most to|only to|to all alike) ?(?P<keys>.*?) ?"
    rf"\((?P<weight>{_N})(?P<each> each)?\)"
)


def _is_largest(table: Table, clause: str) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        return False
    query = _token(match["query"])
    row = table.text[table.rows.index(query)]
    most = max(map(number, row))
    keys = [name for name, text in zip(table.columns, row, strict=True) if number(text) == most]
    others = [number(text) for text in row if number(text) != most]
    if match["how"] == "only to" and any(others):
        return False
    if match["how"] == "to all alike":
        return not others and number(match["weight"]) == most
    line, _, unnamed = re.sub(r" and (\d+) others?$", r"\n\1", match["keys"]).partition("\n")
    named = [_token(key) for key in re.split(r", to | and to ", line)]
    if "itself" in named and query.isdigit() and len(table.rows) != len(table.columns):
        return False  # nothing tells which key is of the same token
    named = [query if key == "itself" else key for key in named]
    tied = named == keys[: len(named)] and len(named) + int(unnamed or 0) == len(keys)
    return tied and number(match["weight"]) == most and bool(match["each"]) == (len(keys) > 1)


def _token(text: str) -> str:
    """A token as it is called in a sentence: `“.”`, `token 1`, `query 1`, `key 2`."""
    return re.sub(r"^([Tt]oken|[Qq]uery|key) (?=\d)", "", text).strip("“”")


def _looked_up(claim: Said, match: re.Match[str]) -> bool:
    weights, V = claim.table("weights"), claim.table("V")
    row = weights.text[weights.rows.index(_token(match["query"]))]
    j = weights.columns.index(_token(match["key"]))
    share = (number(row[j]) * 100).quantize(Decimal(1), ROUND_HALF_UP)
    is_most = number(row[j]) == max(map(number, row))
    return is_most and share == number(match["share"]) and V.rows[j] == _token(match["value"])


def _routed(claim: Said, match: re.Match[str]) -> bool:
    """Each token goes to so many experts."""
    rows = claim.table("router.chosen").text
    return all(sum(map(number, row)) == int(match["n"]) for row in rows)


def _sent(claim: Said, match: re.Match[str]) -> bool:
    """The experts of a token, from the largest of its weights on."""
    table = claim.table("routing")
    row = dict(
        zip(table.columns, table.text[table.rows.index(_token(match["token"]))], strict=True)
    )
    shares = re.findall(rf"(expert \d+) \(({_N})\)", match["experts"])
    order = sorted((text for text in row.values() if number(text)), key=number, reverse=True)
    told = [text for _, text in shares] == order[: len(shares)]
    return told and all(row[expert] == text for expert, text in shares)


def _next(claim: Said, match: re.Match[str]) -> bool:
    table = claim.table("probabilities")
    row = [number(text) for text in table.text[table.rows.index(_token(match["row"]))]]
    most = [token for token, p in zip(table.columns, row, strict=True) if p == max(row)]
    return most == [_token(match["token"])] and number(match["p"]) == max(row)


def _sure(claim: Said, match: re.Match[str]) -> bool:
    text = claim.table(match["y"]).text[int(match["k"]) - 1]
    return text == match["p"] and number(match["p"]) * 100 == number(match["share"])


def _perplexed(claim: Said, match: re.Match[str]) -> bool:
    return match["p"] == match["count"] and match["p"] in claim.table("perplexity").text


def _norms(norms: Sequence[str], match: re.Match[str]) -> bool:
    told = match["norms"].split(" → ")
    steps = {(number(b) > number(a)) - (number(b) < number(a)) for a, b in pairwise(told)}
    verdict = {"grows": {1}, "shrinks": {-1}}.get(match["verb"])
    return told in (list(norms), list(norms)[::-1]) and (verdict is None or steps == verdict)


def _loss(claim: Said, place: str) -> str:
    """What is made smaller on this page."""
    losses = ("binary_cross_entropy", "mse", "cross_entropy")
    known = (*(f"averaged.{loss}" for loss in losses), *losses)
    return next(loss for loss in known if f"{place}.{loss}" in claim.tables)


def _progressed(claim: Said, match: re.Match[str]) -> bool:
    """The loss after an update, and by how much it changed."""
    place = f"train[{match['count']}]"
    loss, change = (
        number(claim.tables[f"{place}.{name}"].text[0]) for name in (_loss(claim, place), "change")
    )
    verb = "rose" if change > 0 else "fell" if change < 0 else "changed"
    right = number(match["loss"]) == loss and number(match["by"]) == abs(change)
    return right and match["verb"] == verb


def _trained_otherwise(claim: Said, match: re.Match[str]) -> bool:
    """What the training of a variant came to, and what its first gradients were clipped by."""
    other = claim._replace(tables=Tables(claim.variants[match["variant"]]))
    passes = sum(re.fullmatch(r"train\[\d+\]\.change", name) is not None for name in other.tables)
    place = f"train[{passes}]"
    loss, compared = _loss(other, place), other if match["before"] else claim
    then = loss if match["before"] else f"{place}.{loss}"
    rows = [
        (f"{place}.{loss}", match["its"], other), (then, match["before"] or match["own"], compared),
        ("grad_norm", match["norm"], other), ("clip_factor", match["factor"], other),
    ]  # fmt: skip
    numbers = [(number(entry.tables[name].text[0]), text) for name, text, entry in rows if text]
    return passes == int(match["count"]) and all(n == number(text) for n, text in numbers)


def _goes_to(claim: Said, match: re.Match[str]) -> bool:
    """Each has a gradient on the page, or a part of one."""
    gradients = [name.partition("grad.")[2] for name in claim.tables if "grad." in name]
    return all(
        any(name.endswith(entry) or f"{entry}." in name for name in gradients)
        for entry in re.split(r", | and ", match["names"])
    )


def _sizes(claim: Said, match: re.Match[str]) -> bool:
    """The sizes of gradients on their way back, those of a variant on its own page."""
    page = claim.variants[match["variant"]] if match["variant"] else claim.page
    columns = [
        [row[table["headings"].index("Size")] for row in table["rows"]]
        for table in page["tables"] if "Times the row above" in table["headings"]
    ]  # fmt: skip
    return any(_norms(sizes, match) for sizes in columns)


def _gradient(claim: Said, match: re.Match[str]) -> bool:
    own = claim.tables["factor_norms"].text
    others = [table["text"] for table in claim.page.get("variants", ())]
    return any(_norms(norms, match) for norms in (own, *others))


def _chosen(claim: Said, match: re.Match[str]) -> bool:
    table = claim.table("scores" if match["how"] == "has the largest score" else "counts")
    at = table.rows.index(match["pair"])
    others = [number(text) for text in table.text]
    return rounds_to(number(match["n"]), table.text[at]) and number(table.text[at]) == max(others)


def _grown(claim: Said, match: re.Match[str]) -> bool:
    """A round makes a token; after the last the vocabulary is as large as the page's own."""
    before, after = int(match["before"]), int(match["after"])
    last = max(int(r) for step in claim.page["steps"]
               for r in re.findall(r"^rounds\[(\d+)\]$", step.get("path", "")))  # fmt: skip
    own = int(claim.path.strip("rounds[]"))
    missing = claim.size("vocabulary") - after
    return after == before + 1 and 0 <= missing <= last - own and (own < last or not missing)


def _best_cut(claim: Said, match: re.Match[str]) -> bool:
    return bool(claim.table("best").text[-1] == match["n"])


def _published(claim: Said, match: re.Match[str]) -> bool:
    worked = value(match["working"], lambda name: claim.tables.value(name, claim.path))
    true = rounds_to(worked, match["ours"]) == (match["sign"] == "=") and not same(
        number(match["theirs"]), number(match["ours"])
    )
    full, indices = claim.tables.parted(match["cell"], claim.path)
    ours = claim.tables[full].texts(indices)
    return true and rounds_to(number(match["ours"]), str(ours))


def _not_adding(claim: Said, match: re.Match[str]) -> bool:
    worked = value(match["sum"], lambda name: claim.tables.value(name, claim.path))
    return same(worked, number(match["total"]))


def _not_one(claim: Said, match: re.Match[str]) -> bool:
    weights = claim.table("weights")
    row = map(number, weights.text[weights.rows.index(_token(match["row"]))])
    return sum(row) == number(match["total"]) != 1


def _marked(claim: Said, match: re.Match[str]) -> bool:
    """The source prints other numbers than these cells have."""
    cells = re.findall(
        rf"({_N}|−?∞) for (.+?)(?=, (?:{_N}|−?∞) for | and (?:{_N}|−?∞) for |$)", match["marks"]
    )
    own = [(theirs, claim.tables.parted(cell, claim.path)) for theirs, cell in cells]
    return bool(own) and all(
        not same(number(theirs), number(str(claim.tables[full].texts(indices))))
        for theirs, (full, indices) in own
    )


def _compared(claim: Said, match: re.Match[str]) -> bool:
    """How many rows of a variant's result differ, and where most."""
    own = claim.variants[match["before"]] if match["before"] else claim.page
    both = counts.compared(own, claim.variants[match["variant"]], match["name"])
    row, of = _token(match["row"]), len(both.own)
    name = match["named"] or match["column"]
    column = both.columns.index(name) if name else 0
    whole = match["all"] or (2 if match["both"] else 1)
    n, told_of = int(match["n"] or whole), int(match["of"] or whole)
    its, others = (Decimal(repr(b[row][column])) for b in (both.other, both.own))
    numbers = rounds_to(its, match["its"]) and rounds_to(others, match["own"])
    return (
        numbers
        and (n, told_of) == (both.differing, of)
        and both.is_most(row, column, _rows_shown(claim, match))
    )


def _rows_shown(claim: Said, match: re.Match[str]) -> Sequence[str] | None:
    """The rows that a page has of a variant's result, where it speaks of these; None: all."""
    tables = claim.page["variants"] if match["shown"] else ()
    return next((table["rows"] for table in tables if table["name"] == match["name"]), None)


def _moved(claim: Said, match: re.Match[str]) -> bool:
    """From which row of a table to which, and no token that is told further."""
    begun, ended = claim.tables[match["X"]], claim.tables[match["result"]]
    row = _token(match["row"])
    texts = [
        (table.text[table.rows.index(row)], match[end])
        for table, end in ((begun, "start"), (ended, "end"))
    ]
    whole = "…" not in match["start"]
    distances = {
        name: sum((number(b) - number(a)) ** 2 for a, b in zip(start, end, strict=True))
        for name, start, end in zip(begun.rows, begun.text, ended.text, strict=True)
    }
    furthest = distances[row] == max(distances.values())
    return furthest and all(not whole or list(text) == told.split(", ") for text, told in texts)


def _pruned(_: Said, match: re.Match[str]) -> bool:
    """As many pieces go as are named, and fewer than might where that is said."""
    gone, n, of = len(re.split(", | and ", match["gone"])), int(match["n"]), int(match["of"])
    most, these = match["most"], match["these"]
    return gone == n <= of and (most is None or int(these) == n < int(most) <= of)


def _told_apart(claim: Said, match: re.Match[str]) -> bool:
    """Both names are rows of a table."""
    rows = [q["rows"] for step in claim.page["steps"] for q in step["quantities"] if "rows" in q]
    return any({match["first"], match["second"]} <= set(names) for names in rows)


def _only_numbered(claim: Said, match: re.Match[str]) -> bool:
    """Some table has rows of all these names."""
    steps = (q for step in claim.page["steps"] for q in step["quantities"])
    rows = [q["rows"] for q in (*steps, *claim.page["given"]) if "rows" in q]
    return list(map(str, range(1, int(match["n"]) + 1))) in map(list, rows)


def _shapes(_: Said, match: re.Match[str]) -> bool:
    n, inner, again, m, rows, columns = map(int, re.findall(r"\d+", match[0]))
    return inner == again and (rows, columns) == (n, m)


def _columns_of_keys(claim: Said, match: re.Match[str]) -> bool:
    return len(claim.table("K").columns) == int(match["n"])


def _zeros(_: Said, match: re.Match[str]) -> bool:
    return all(map(Decimal(0).__eq__, map(number, match["zeros"].split(", "))))


def _counted_from(claim: Said, match: re.Match[str]) -> bool:
    """The first sine and cosine of a table of positions are those of the position that is told."""
    first, angle = claim.table(match["P"]).text[0], match["pos"]
    return all(
        rounds_to(
            value(f"{wave}({angle})", lambda name: claim.tables.value(name, claim.path)), text
        )
        for wave, text in zip(("sin", "cos"), first[:2], strict=True)
    )


def _evenly(_: Said, match: re.Match[str]) -> bool:
    return rounds_to(Decimal(int(match["n"] or 2)).ln(), match["loss"])


Check = Callable[[Said, "re.Match[str]"], bool]
_CHECKED: tuple[tuple[re.Pattern[str], Check], ...] = tuple(
    (re.compile(pattern), check)
    for pattern, check in (
        (r"^(?:(?P<place>(?:[A-Z][a-z-]+(?: \d+)?(?: · )?)+): )?(?P<clause>[^:]+? attends (?!.*Shapes:).*\))\.$",
         _attended),
        (rf"The source says that (?:each row of )?(?P<name>[\w.]+)(?:\[(?P<row>[^]]*)\])? (?:has its largest number at"
         rf" (?:its own token|“(?P<column>[^”]*)”)|adds up to (?P<total>{_N}))(?: \([^)]*\))?\. It"
         r" (?P<verdict>is(?:n't)? so.*?)\.$", _claimed),
        (rf"^(?P<token>“.+?”|[Tt]oken \d+) goes to (?P<experts>.+ \({_N}\).*)\.$", _sent),
        (rf"(?P<query>\S+) is most like (?P<key>\S+): (?P<share>{_N}) % of its answer is"
         r" (?P<value>\S+)\.", _looked_up),
        (r"The token goes to the (?P<n>\d+) experts that fit it best", _routed),
        (rf"(?:After|For) (?:token )?(?P<row>\S+) the most likely (?:next token|token|class) is (?P<token>\S+) \((?P<p>{_N})\)\.", _next),
        (rf"[Aa]fter update (?P<count>\d+) the loss is (?P<loss>{_N}): it (?P<verb>rose|fell|changed) by (?P<by>{_N})\.", _progressed),
        (rf"(?P<y>y\[\d+\])\[(?P<k>\d+)\] is (?P<p>{_N}): a probability of (?P<share>{_N}) % that the target is 1\.", _sure),
        (rf"[Ww]ith a perplexity of (?P<p>{_N}) the model is as unsure as if it had to guess among (?P<count>{_N})"
         r" equally likely", _perplexed),
        (rf"^(?:In the variant (?P<variant>.+), o|O)n its way back the size of the gradient goes (?P<norms>{_N}(?: → {_N})*): it (?P<verb>\w+)",
         _sizes),
        (rf"^(?P<variant>.+) \([^()]*\): (?:the gradients together have a norm of (?P<norm>{_N}), above the limit of (?P<limit>{_N})\. Clipped,"
         rf" each is multiplied by (?P<factor>{_N})\. )?[Aa]fter (?P<count>\d+) updates?(?: with the learning rate (?P<rate>{_N}))? the loss is (?P<its>{_N})"
         rf"(?: instead of (?P<own>{_N})|\. Before it was (?P<before>{_N}))\.", _trained_otherwise),
        (r"(?:It goes|They go) to (?P<names>\S+?(?:, \S+?)*(?: and \S+?)?)\.(?= |$)", _goes_to),
        (rf"^Equal probabilities for (?:all (?P<n>\d+)|both) (?:classes|tokens) would give a loss of (?P<loss>{_N}), certainty 0\.$", _evenly),
        (rf"the norm of the factor goes (?P<norms>{_N}(?: → {_N})*): it (?P<verb>\w+)", _gradient),
        (rf"^“(?P<pair>\S+ \S+)” (?P<how>occurs most often|has the largest score) \((?P<n>{_N})\)",
         _chosen),
        (r"the vocabulary grows from (?P<before>\d+) to (?P<after>\d+) tokens", _grown),
        (rf"whose log-probability is (?P<n>{_N})\.", _best_cut),
        (rf"The source(?:, [^,]+,)? prints (?P<theirs>{_N}) for (?P<cell>.+?\]), but (?P<working>.+) (?P<sign>[=≈]) (?P<ours>{_N})\.",
         _published),
        (rf"The numbers that the source prints for .* don't add up to 1: (?P<sum>.*) = (?P<total>{_N})\.",
         _not_adding),
        (rf"the weights of (?P<row>.+) add up to (?P<total>{_N}), not to 1:", _not_one),
        (r"^The source(?:, [^,]+,)? prints (?P<marks>[^:]+? for [^:]+?)(?: and \d+ more numbers otherwise)?(?:: [^.:]+)?\.$", _marked),
        (r"^(?P<gone>.+?) go(?:es)?, (?P<n>\d+) of the (?P<of>\d+) pieces of two or more characters:"
         r"(?:.* This round may prune (?P<most>\d+), but without these (?P<these>\d+) the)?", _pruned),
        (r"^(?P<variant>.+) \([^()]*\): (?:all (?P<all>\d+) rows|(?P<n>\d+) of the (?P<of>\d+) rows|the only row|(?P<both>both rows)) of"
         r" (?P<name>[\w.\[\]]+) differs? from th(?:ose|at) (?:of (?P<own_name>\S+) )?in the (?:scenario itself|variant (?P<before>.+?)):"
         r" (?:the row of|(?P<shown>of those shown )?most that of) (?P<row>.+?),"
         rf" with (?P<its>{_N}) instead of (?P<own>{_N})(?: in column (?:“(?P<named>.+)”|(?P<column>\d+)))?(?:; now the order makes a difference)?\.",
         _compared),
        (r"The (?:block has|layers have|heads have) moved the row of (?P<row>.+) furthest: from \[(?P<start>[^]]*)\] in (?P<X>\S+)"
         r" to \[(?P<end>[^]]*)\] in (?P<result>\S+)\.", _moved),
        (r"distinguished by their positions: “(?P<first>(?P<token>.+) \(\d+\))” and “(?P<second>(?P=token) \(\d+\))”\.",
         _told_apart),
        (r"without words: they are called 1 to (?P<n>\d+)\b", _only_numbered),
        (r"\(\d+ × \d+\)\(\d+ × \d+\) = \(\d+ × \d+\)", _shapes),
        (r"here of d_k = (?P<n>\d+)\.", _columns_of_keys),
        (r"(?P<P>\w+)\[1, 1\] is PE\((?P<pos>\d+), 0\)", _counted_from),
        (r"state(?: is)? \((?P<zeros>0(?:, 0)*)\)", _zeros),
        *REMARKS,
    )
)  # fmt: skip
"""What sentences say of the numbers of a page, and what tells whether it is so."""

_OF_RULES = tuple(
    re.compile(pattern)
    for pattern in (
        r"Before the (?:first|last) \w+(?:, \w+ = (?:−?[\d.∞]+|\w+))+\.",
        r"by the temperature [\d.]+: below 1 it favours likely tokens, above 1 it makes",
        r"−ln of 1 minus the probability", r"if its result is near −1 or 1", r"^[\w ]+: $",
        r"gradients of the row's scores add up to 0\.", r"need not add up to exactly 1", r"turns negative numbers into 0", r"weights between 0 and 1 that add up to 1",
        r"Where the mask is 0, the score", r"ε = 0\.0*1 is added", r"counts pos and i from 0", r"its rows and columns from 1", r"row of a table, counted from 0",
        r"(?:near|between|above|is) [−\d]+(?: and [−\d]+)?(?= lets| holds|, otherwise| by|\b)",
        r"and 0 otherwise", r"is 1 − a²",
        r"^(?:All|None|\d+) of (?:the source's \d+ numbers follow(?: and (?:all|none|\d+) of its \d+ statements (?:is|are) so)?|the source's \d+ statements (?:is|are) so)"
        r"(?:; attn check \S+ says .*)?\.$",
        r"y is 1 for the target and 0 otherwise", r"Both begin at 0",
        r"^What if .+\? attn run .*$",
        r"say --trace '[^']+'\.",
        r"row's weights add up to 1, so one grows",
        r"it costs 10 more than the least probable piece",
        r"The source(?:, [^,]+,)? assumes \[.*\] for .*\. Worked out, it is \[.*\]\.",
    )
)  # fmt: skip
"""Numbers that belong to a rule and not to these numbers."""
