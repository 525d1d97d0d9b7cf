"""What each language has a word or a sentence for; `{…}` stands for what is put in."""

# no lazy annotations here: a named tuple would compile each of them when it is imported
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple


class Counted(NamedTuple):
    """A noun with its number; numbers `below` this are singular, too."""

    one: str
    many: str
    below: Decimal = Decimal(0)

    def of(self, count: Decimal | int, text: str = "") -> str:
        """`1 point`, `2 points`; the number may be written in its own way."""
        alone = count == 1 or count < self.below
        return (self.one if alone else self.many).format(number=text or count)


class PaperWords(NamedTuple):
    """What papers are called, and what they say of themselves."""

    worksheet: str
    answer_key: str
    hints: str
    called: str
    form: str
    own_numbers: str
    one_form: str
    made_from: str
    made_by: str
    made_from_hash: str
    by_command: str
    name: str
    id: str
    date: str
    points_of: str
    points: Counted
    one_point: str
    many_points: str
    solution: str


class FactWords(NamedTuple):
    """What the questions depend on. A colon may follow the name of each."""

    course: str
    institution: str
    date: str
    name: str
    id: str
    encoder: str
    sentence: str
    tokenizer: str
    source: str
    sizes: str
    encoder_sizes: str
    scaling: str
    encoder_scaling: str
    shown: str
    rounding: str
    products: str
    tokens: Counted
    layers: Counted
    heads: Counted
    decimals: Counted
    rows_of: str
    carry: str
    exact: str
    scaling_differs: str
    no_scaling: str
    divided_by: str
    about: str
    rows: str
    rows_out_in: str
    columns: str
    columns_in_out: str


class TaskWords(NamedTuple):
    """What is to be done. `named` are quantities whose names are words for their numbers."""

    compute: str
    part: str
    two: str
    numbers: tuple[str, ...]
    named: Mapping[str, str]
    numbers_of: str
    of_query: str
    of_key: str
    of_token: str
    of_row: str
    missing: str
    goes_on: str
    how_one_is_done: str
    common_mistakes: str


class KeyWords(NamedTuple):
    """What is right, and why."""

    blank: str
    answer: str
    carry: str
    exact: str
    accepted: str
    points: str
    range: str
    what_is_accepted: str
    half: str
    either: str
    root: str
    wide: str
    more: str
    hidden: str
    known_mistakes: str
    gives: str
    number_for: str
    lets_pass: str
    units: str
    absolute: str
    relative: str
    digits: str


class FileWords(NamedTuple):
    """What files to be filled in, and questions that mark themselves, say."""

    key: str
    answers: str
    how_to: tuple[str, ...]
    right: str
    earns: str
    paper: str
    masked: str
    first_to_last: str


class CheckWords(NamedTuple):
    """What a sheet says that checks itself."""

    how_to: str
    tally: str
    check_all: str
    clear: str
    right: str
    wrong: str
    unreadable: str


class FrameWords(NamedTuple):
    """All that frames an exercise and is no mathematics, in one language."""

    paper: PaperWords
    facts: FactWords
    tasks: TaskWords
    keys: KeyWords
    files: FileWords
    check: CheckWords
