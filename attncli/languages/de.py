"""German."""

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

_BY_ROWS = "jedes Token ist eine Zeile, die von rechts mit der Matrix multipliziert wird"
_BY_COLUMNS = "jedes Token ist eine Spalte, die von links mit der Matrix multipliziert wird"

WORDS = FrameWords(
    PaperWords(
        worksheet="Aufgabenblatt",
        answer_key="Lösungsblatt",
        hints="Hinweise",
        called="{paper}, Form {form}",
        form="Form",
        own_numbers="{form}, mit den Zahlen des Szenarios",
        one_form="Form {form}",
        made_from="Erstellt aus",
        made_by="Erstellt mit",
        made_from_hash="Erstellt aus {hash}",
        by_command=" mit {command}",
        name="Name",
        id="Nummer",
        date="Datum",
        points_of="Punkte von {points}",
        points=Counted("{number} Punkt", "{number} Punkte"),
        one_point="Punkt",
        many_points="Punkte",
        solution="Lösung",
    ),
    FactWords(
        course="Kurs",
        institution="Einrichtung",
        date="Datum",
        name="Name",
        id="Nummer",
        encoder="Encoder",
        sentence="Satz",
        tokenizer="Tokenizer",
        source="Quelle",
        sizes="Größen",
        encoder_sizes="Größen im Encoder",
        scaling="Skalierung",
        encoder_scaling="Skalierung im Encoder",
        shown="Gezeigt",
        rounding="Rundung",
        products="Produkte",
        tokens=Counted("{number} Token", "{number} Tokens"),
        layers=Counted("{number} Schicht", "{number} Schichten"),
        heads=Counted("{number} Head", "{number} Heads"),
        decimals=Counted("{number} Dezimalstelle", "{number} Dezimalstellen"),
        rows_of="die Zeilen von {queries}",
        carry=(
            "carry, {places}: Jedes Ergebnis wird gerundet (bei 5 vom Nullpunkt weg), und mit der"
            " gerundeten Zahl wird im nächsten Schritt weitergerechnet. Jedes = lässt sich mit den"
            " gezeigten Ziffern nachrechnen."
        ),
        exact=(
            "exact, {places} auf dem Blatt: Gerechnet wird mit voller Genauigkeit und nur für die"
            " Anzeige gerundet (bei 5 vom Nullpunkt weg). Ein ≈ steht da, wo die gezeigten Ziffern"
            " das Ergebnis nicht ergeben würden."
        ),
        scaling_differs="von Schicht zu Schicht verschieden",
        no_scaling="keine: Die Scores gehen unverändert in die Softmax-Funktion ein",
        divided_by="die Scores werden geteilt durch {number}",
        about="{exact}, ungefähr {number}",
        rows=f"{_BY_ROWS}: x W, die Zeile mal die Spalten von W",
        rows_out_in=(
            f"{_BY_ROWS}; diese ist als Ausgabe × Eingabe gespeichert: x Wᵀ, die Zeile mal die"
            " Zeilen von W"
        ),
        columns=f"{_BY_COLUMNS}: W x, die Zeilen von W mal die Spalte",
        columns_in_out=(
            f"{_BY_COLUMNS}; diese ist als Eingabe × Ausgabe gespeichert: Wᵀ x, die Spalten von W"
            " mal die Spalte"
        ),
    ),
    TaskWords(
        compute="Berechnen Sie {what}. ({points})",
        part="{what} ({points})",
        two="{first} und {last}",
        numbers=(
            "",
            "eine",
            "zwei",
            "drei",
            "vier",
            "fünf",
            "sechs",
            "sieben",
            "acht",
            "neun",
            "zehn",
            "elf",
            "zwölf",
        ),
        named={
            "scores": "die {count} Scores",
            "weights": "die {count} Gewichte",
            "logits": "die {count} Logits",
            "counts": "die {count} Anzahlen",
            "totals": "die {count} Summen",
            "probabilities": "die {count} Wahrscheinlichkeiten",
        },
        numbers_of="die {count} Zahlen von {name}",
        of_query="{what} der Query „{name}“",
        of_key="{what} des Keys „{name}“",
        of_token="{what} des Tokens „{name}“",
        of_row="{what} der Zeile „{name}“",
        missing="das, was in den Zeilen der Rechnung fehlt",
        goes_on="Es geht mit dem weiter, was Sie berechnet haben: {formulas}.",
        how_one_is_done="So wird jeweils die erste berechnet",
        common_mistakes="Häufige Fehler",
    ),
    KeyWords(
        blank="Lücke",
        answer="Antwort",
        carry="carry",
        exact="exact",
        accepted="Anerkannt",
        points="Punkte",
        range="{low} bis {high}",
        what_is_accepted=(
            "Eine Antwort ist richtig, wenn sie aus den Zahlen auf dem Blatt folgt, wie auch immer"
            " unterwegs gerundet wird: Jede Zahl darf ungerundet, wie angegeben gerundet oder auf"
            " mehr Stellen gerundet verwendet werden, und nicht jedes Mal gleich. Was sich so"
            " ergibt, wird anerkannt, mit einer halben Einheit der letzten Stelle darum herum,"
            " beide Enden eingeschlossen. Eine halbe Einheit ist {halves}. Eine Zahl mit weniger"
            " Stellen gilt nur dann als anders gerundet, wenn sie so noch von 0 und von jeder"
            " anderen Zahl ihrer Tabelle zu unterscheiden ist."
        ),
        half="{half} ({decimals})",
        either="{first} oder {last}",
        root=" Für {root} darf {about} eingesetzt werden.",
        wide=(
            "Runden unterwegs kann diese um mehr als fünf Einheiten der letzten Stelle ändern:"
            " {blanks}. Mit einer Dezimalstelle mehr für das, woraus sie berechnet werden, und"
            " nicht für sie selbst, sagen sie mehr aus."
        ),
        more="{names} und {count} weitere",
        hidden="Was dieser Fehler ergibt, wird ebenfalls anerkannt: {mistake} {blanks}.",
        known_mistakes="Bekannte Fehler und was sie ergeben",
        gives="{mistake} Das ergibt {numbers}.",
        number_for="{number} für {blank}",
        lets_pass="Außerdem wird durchgelassen: {what}.",
        units="{number} in der letzten Stelle",
        absolute="ein Unterschied von {number}",
        relative="ein Unterschied vom {number}-Fachen der Zahl",
        digits="die Zahl mit {number} gültigen Ziffern",
    ),
    FileWords(
        key="Lösungen",
        answers="Antworten",
        how_to=(
            "Schreiben Sie jede Antwort hinter ihren Namen, nach dem Doppelpunkt und einem"
            " Leerzeichen.",
            "Lassen Sie alles andere, wie es ist: form und hash sagen, zu welcher Aufgabe die"
            " Antworten gehören.",
        ),
        right="Richtig: {number}.",
        earns=" Dafür gibt es {share} % der Punkte.",
        paper="Blatt {hash}",
        masked="Geben Sie −∞, den Wert eines maskierten Scores, als {code} ein.",
        first_to_last="{first} bis {last}",
    ),
    CheckWords(
        how_to=(
            "Schreiben Sie in jedes Feld eine Zahl, wie Sie es gewohnt sind: 0.25,"
            " 0,25, .25, 1/4, 25 %, 2.5e-1, -inf."
            " Es sagt sofort, ob sie sich ergibt."
        ),
        tally="{right} von {all} richtig",
        check_all="Alles prüfen",
        clear="Leeren",
        right="✓ richtig",
        wrong="✗ noch nicht",
        unreadable="? keine Zahl",
    ),
)
