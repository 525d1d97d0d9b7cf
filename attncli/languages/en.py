"""English."""

from attncli.languages.words import (
    CheckWords,
    Counted,
    FactWords,
    FileWords,
    FrameWords,
    KeyWords,
    PaperWords,
    TaskWords,
)

_BY_ROWS = "each token is a row, multiplied by the matrix from the right"
_BY_COLUMNS = "each token is a column, multiplied by the matrix from the left"

WORDS = FrameWords(
    PaperWords(
        worksheet="Worksheet",
        answer_key="Answer key",
        hints="Hints",
        called="{paper}, form {form}",
        form="Form",
        own_numbers="{form}, with the numbers of the scenario",
        one_form="form {form}",
        made_from="Made from",
        made_by="Made by",
        made_from_hash="Made from {hash}",
        by_command=", by {command}",
        name="Name",
        id="ID",
        date="Date",
        points_of="Points of {points}",
        points=Counted("{number} point", "{number} points"),
        one_point="point",
        many_points="points",
        solution="Solution",
    ),
    FactWords(
        course="Course",
        institution="Institution",
        date="Date",
        name="Name",
        id="ID",
        encoder="Encoder",
        sentence="Sentence",
        tokenizer="Tokenizer",
        source="Source",
        sizes="Sizes",
        encoder_sizes="Encoder sizes",
        scaling="Scaling",
        encoder_scaling="Encoder scaling",
        shown="Shown",
        rounding="Rounding",
        products="Products",
        tokens=Counted("{number} token", "{number} tokens"),
        layers=Counted("{number} layer", "{number} layers"),
        heads=Counted("{number} head", "{number} heads"),
        decimals=Counted("{number} decimal", "{number} decimals"),
        rows_of="the rows of {queries}",
        carry=(
            "carry, {places}: every result is rounded, half away from zero, and the"
            " rounded number is what the next step uses. Each = can be checked from the digits"
            " shown."
        ),
        exact=(
            "exact, {places} on the page: the sums are done in full precision and rounded,"
            " half away from zero, only to be shown. A ≈ stands where the digits shown would not"
            " give the result."
        ),
        scaling_differs="differs from layer to layer",
        no_scaling="none: the scores go into the softmax as they are",
        divided_by="scores are divided by {number}",
        about="{exact}, about {number}",
        rows=f"{_BY_ROWS}: x W, the row times the columns of W",
        rows_out_in=f"{_BY_ROWS}, which is kept out × in: x Wᵀ, the row times the rows of W",
        columns=f"{_BY_COLUMNS}: W x, the rows of W times the column",
        columns_in_out=(
            f"{_BY_COLUMNS}, which is kept in × out: Wᵀ x, the columns of W times the column"
        ),
    ),
    TaskWords(
        compute="Compute {what}. ({points})",
        part="{what} ({points})",
        two="{first} and {last}",
        numbers=(
            "",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ),
        named={
            "scores": "the {count} scores",
            "weights": "the {count} weights",
            "logits": "the {count} logits",
            "counts": "the {count} counts",
            "totals": "the {count} totals",
            "probabilities": "the {count} probabilities",
        },
        numbers_of="the {count} numbers of {name}",
        of_query="{what} of the query “{name}”",
        of_key="{what} of the key “{name}”",
        of_token="{what} of the token “{name}”",
        of_row="{what} of the row “{name}”",
        missing="what is missing inside the lines",
        goes_on="It goes on from what you have worked out: {formulas}.",
        how_one_is_done="How one of them is done",
        common_mistakes="Common mistakes",
    ),
    KeyWords(
        blank="Blank",
        answer="Answer",
        carry="carry",
        exact="exact",
        accepted="Accepted",
        points="Points",
        range="{low} to {high}",
        what_is_accepted=(
            "An answer is right if it follows from the numbers on the sheet, however one rounds on"
            " the way: each number may be kept in full, rounded as stated or to more decimals, and"
            " not each time alike. What that leads to is accepted, with half a unit of the last"
            " place around it, both ends included. Half a unit is {halves}. A number with fewer"
            " decimals counts as rounded otherwise only if these still tell it from 0 and from each"
            " other number of its table."
        ),
        half="{half} ({decimals})",
        either="{first} or {last}",
        root=" {root} may be taken as {about}.",
        wide=(
            "Rounding on the way may change these by more than five units of the last place:"
            " {blanks}. With another decimal for what they are made of, and not for them, they"
            " tell more."
        ),
        more="{names} and {count} more",
        hidden="What this mistake gives is accepted, too: {mistake} {blanks}.",
        known_mistakes="Known mistakes, by what they give",
        gives="{mistake} It gives {numbers}.",
        number_for="{number} for {blank}",
        lets_pass="Besides, this lets pass: {what}.",
        units="{number} in the last place",
        absolute="a difference of {number}",
        relative="a difference of {number} of the number",
        digits="the number with {number} significant digits",
    ),
    FileWords(
        key="Key",
        answers="Answers",
        how_to=(
            "Write each answer behind its name, after the colon and a space.",
            "Leave all else as it is: form and hash say which exercise the answers belong to.",
        ),
        right="Right: {number}.",
        earns=" This earns {share} % of the points.",
        paper="Paper {hash}",
        masked="Type −∞, what a masked score is, as {code}.",
        first_to_last="{first} to {last}",
    ),
    CheckWords(
        how_to=(
            "Write a number into each field, as you are used to: 0.25,"
            " 0,25, .25, 1/4, 25 %, 2.5e-1, -inf."
            " It says at once whether it follows."
        ),
        tally="{right} of {all} right",
        check_all="Check all",
        clear="Clear",
        right="✓ right",
        wrong="✗ not yet",
        unreadable="? not a number",
    ),
)
