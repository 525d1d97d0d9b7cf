"""French. A space that doesn't break stands before a colon and inside quotation marks; so the
names of facts, which a colon may follow, end with one."""

from decimal import Decimal

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

_PLURAL = Decimal(2)
"""What is less than two is singular: 1,5 point."""
_BY_ROWS = "chaque token est une ligne, multipliée à droite par la matrice"
_BY_COLUMNS = "chaque token est une colonne, multipliée à gauche par la matrice"

WORDS = FrameWords(
    PaperWords(
        worksheet="Feuille d’exercices",
        answer_key="Corrigé",
        hints="Indications",
        called="{paper}, version {form}",
        form="Version\xa0",
        own_numbers="{form}, avec les nombres du scénario",
        one_form="version {form}",
        made_from="Empreinte\xa0",
        made_by="Commande\xa0",
        made_from_hash="Empreinte\xa0: {hash}",
        by_command=", commande\xa0: {command}",
        name="Nom",
        id="Numéro",
        date="Date",
        points_of="Points sur {points}",
        points=Counted("{number} point", "{number} points", _PLURAL),
        one_point="point",
        many_points="points",
        solution="Solution",
    ),
    FactWords(
        course="Cours\xa0",
        institution="Établissement\xa0",
        date="Date\xa0",
        name="Nom\xa0",
        id="Numéro\xa0",
        encoder="Encodeur\xa0",
        sentence="Phrase\xa0",
        tokenizer="Tokeniseur\xa0",
        source="Source\xa0",
        sizes="Tailles\xa0",
        encoder_sizes="Tailles dans l’encodeur\xa0",
        scaling="Mise à l’échelle\xa0",
        encoder_scaling="Mise à l’échelle dans l’encodeur\xa0",
        shown="Montré\xa0",
        rounding="Arrondi\xa0",
        products="Produits\xa0",
        tokens=Counted("{number} token", "{number} tokens", _PLURAL),
        layers=Counted("{number} couche", "{number} couches", _PLURAL),
        heads=Counted("{number} tête", "{number} têtes", _PLURAL),
        decimals=Counted("{number} décimale", "{number} décimales", _PLURAL),
        rows_of="les lignes de {queries}",
        carry=(
            "carry, {places}\xa0: chaque résultat est arrondi (les moitiés en s’éloignant de zéro),"
            " et c’est le nombre arrondi qui sert à l’étape suivante. Chaque = se vérifie avec les"
            " chiffres affichés."
        ),
        exact=(
            "exact, {places} sur la page\xa0: les calculs se font sans arrondir, et les nombres ne"
            " sont arrondis (les moitiés en s’éloignant de zéro) que pour être affichés. Un ≈"
            " figure là où les chiffres affichés ne donneraient pas le résultat."
        ),
        scaling_differs="différente d’une couche à l’autre",
        no_scaling="aucune\xa0: les scores entrent tels quels dans la fonction softmax",
        divided_by="les scores sont divisés par {number}",
        about="{exact}, environ {number}",
        rows=f"{_BY_ROWS}\xa0: x W, la ligne fois les colonnes de W",
        rows_out_in=(
            f"{_BY_ROWS}, qui est rangée en sortie × entrée\xa0: x Wᵀ, la ligne fois les lignes"
            " de W"
        ),
        columns=f"{_BY_COLUMNS}\xa0: W x, les lignes de W fois la colonne",
        columns_in_out=(
            f"{_BY_COLUMNS}, qui est rangée en entrée × sortie\xa0: Wᵀ x, les colonnes de W fois"
            " la colonne"
        ),
    ),
    TaskWords(
        compute="Calculez {what}. ({points})",
        part="{what} ({points})",
        two="{first} et {last}",
        numbers=(
            "",
            "un",
            "deux",
            "trois",
            "quatre",
            "cinq",
            "six",
            "sept",
            "huit",
            "neuf",
            "dix",
            "onze",
            "douze",
        ),
        named={
            "scores": "les {count} scores",
            "weights": "les {count} poids",
            "logits": "les {count} logits",
            "counts": "les {count} effectifs",
            "totals": "les {count} totaux",
            "probabilities": "les {count} probabilités",
        },
        numbers_of="les {count} nombres de {name}",
        of_query="{what} de la requête «\xa0{name}\xa0»",
        of_key="{what} de la clé «\xa0{name}\xa0»",
        of_token="{what} du token «\xa0{name}\xa0»",
        of_row="{what} de la ligne «\xa0{name}\xa0»",
        missing="ce qui manque dans les lignes du calcul",
        goes_on="La suite part de ce que vous avez calculé\xa0: {formulas}.",
        how_one_is_done="Comment calculer l’un d’eux",
        common_mistakes="Erreurs fréquentes",
    ),
    KeyWords(
        blank="Case",
        answer="Réponse",
        carry="carry",
        exact="exact",
        accepted="Accepté",
        points="Points",
        range="de {low} à {high}",
        what_is_accepted=(
            "Une réponse est juste si elle découle des nombres de la feuille, quelle que soit la"
            " manière d’arrondir en chemin\xa0: chaque nombre peut être gardé en entier, arrondi"
            " comme indiqué ou avec plus de décimales, et pas chaque fois de la même façon. Tout ce"
            " qui en résulte est accepté, avec une demi-unité du dernier rang de part et d’autre,"
            " bornes comprises. Une demi-unité vaut {halves}. Un nombre qui a moins de décimales ne"
            " compte comme arrondi autrement que s’il se distingue encore de 0 et de chacun des"
            " autres nombres de son tableau."
        ),
        half="{half} ({decimals})",
        either="{first} ou {last}",
        root=" {root} peut être pris égal à {about}.",
        wide=(
            "Arrondir en chemin peut changer ces réponses de plus de cinq unités du dernier"
            " rang\xa0: {blanks}. Avec une décimale de plus pour ce dont elles sont tirées, et non"
            " pour elles-mêmes, elles en disent plus."
        ),
        more="{names} et {count} de plus",
        hidden="Ce que donne cette erreur est aussi accepté\xa0: {mistake} {blanks}.",
        known_mistakes="Erreurs connues et ce qu’elles donnent",
        gives="{mistake} Cela donne {numbers}.",
        number_for="{number} pour {blank}",
        lets_pass="De plus, on laisse passer\xa0: {what}.",
        units="{number} au dernier rang",
        absolute="un écart de {number}",
        relative="un écart de {number} fois le nombre",
        digits="le nombre avec {number} chiffres significatifs",
    ),
    FileWords(
        key="Corrigé",
        answers="Réponses",
        how_to=(
            "Écrivez chaque réponse après son nom, derrière le deux-points et une espace.",
            "Laissez le reste tel quel : form et hash disent à quel exercice vont les réponses.",
        ),
        right="Bonne réponse\xa0: {number}.",
        earns=" Cela rapporte {share}\xa0% des points.",
        paper="Feuille {hash}",
        masked="Écrivez −∞, la valeur d’un score masqué, comme {code}.",
        first_to_last="{first} à {last}",
    ),
    CheckWords(
        how_to=(
            "Écrivez un nombre dans chaque champ, à votre manière\xa0: 0.25,"
            " 0,25, .25, 1/4, 25\xa0%, 2.5e-1, -inf."
            " Il dit aussitôt si c’est ce qui s’ensuit."
        ),
        tally="{right} sur {all} justes",
        check_all="Tout vérifier",
        clear="Effacer",
        right="✓ juste",
        wrong="✗ pas encore",
        unreadable="? pas un nombre",
    ),
)
