"""Spanish."""

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

_BY_ROWS = "cada token es una fila, multiplicada por la derecha por la matriz"
_BY_COLUMNS = "cada token es una columna, multiplicada por la izquierda por la matriz"

WORDS = FrameWords(
    PaperWords(
        worksheet="Hoja de ejercicios",
        answer_key="Soluciones",
        hints="Pistas",
        called="{paper}, versión {form}",
        form="Versión",
        own_numbers="{form}, con los números del escenario",
        one_form="versión {form}",
        made_from="Huella",
        made_by="Orden",
        made_from_hash="Huella: {hash}",
        by_command=", orden: {command}",
        name="Nombre",
        id="Número",
        date="Fecha",
        points_of="Puntos de {points}",
        points=Counted("{number} punto", "{number} puntos"),
        one_point="punto",
        many_points="puntos",
        solution="Solución",
    ),
    FactWords(
        course="Curso",
        institution="Institución",
        date="Fecha",
        name="Nombre",
        id="Número",
        encoder="Codificador",
        sentence="Frase",
        tokenizer="Tokenizador",
        source="Fuente",
        sizes="Tamaños",
        encoder_sizes="Tamaños en el codificador",
        scaling="Escalado",
        encoder_scaling="Escalado en el codificador",
        shown="Se muestra",
        rounding="Redondeo",
        products="Productos",
        tokens=Counted("{number} token", "{number} tokens"),
        layers=Counted("{number} capa", "{number} capas"),
        heads=Counted("{number} cabeza", "{number} cabezas"),
        decimals=Counted("{number} decimal", "{number} decimales"),
        rows_of="las filas de {queries}",
        carry=(
            "carry, {places}: cada resultado se redondea (las mitades, alejándose de cero), y el"
            " número redondeado es el que usa el paso siguiente. Cada = se comprueba con las cifras"
            " mostradas."
        ),
        exact=(
            "exact, {places} en la página: las cuentas se hacen con toda la precisión y solo se"
            " redondea (las mitades, alejándose de cero) para mostrarlas. Hay un ≈ donde las cifras"
            " mostradas no darían el resultado."
        ),
        scaling_differs="distinto en cada capa",
        no_scaling="ninguno: las puntuaciones entran tal cual en la función softmax",
        divided_by="las puntuaciones se dividen entre {number}",
        about="{exact}, aproximadamente {number}",
        rows=f"{_BY_ROWS}: x W, la fila por las columnas de W",
        rows_out_in=(
            f"{_BY_ROWS}, que se guarda como salida × entrada: x Wᵀ, la fila por las filas de W"
        ),
        columns=f"{_BY_COLUMNS}: W x, las filas de W por la columna",
        columns_in_out=(
            f"{_BY_COLUMNS}, que se guarda como entrada × salida: Wᵀ x, las columnas de W por la"
            " columna"
        ),
    ),
    TaskWords(
        compute="Calcule {what}. ({points})",
        part="{what} ({points})",
        two="{first} y {last}",
        numbers=(
            "",
            "un",
            "dos",
            "tres",
            "cuatro",
            "cinco",
            "seis",
            "siete",
            "ocho",
            "nueve",
            "diez",
            "once",
            "doce",
        ),
        named={
            "scores": "las {count} puntuaciones",
            "weights": "los {count} pesos",
            "logits": "los {count} logits",
            "counts": "los {count} recuentos",
            "totals": "los {count} totales",
            "probabilities": "las {count} probabilidades",
        },
        numbers_of="los {count} números de {name}",
        of_query="{what} de la consulta «{name}»",
        of_key="{what} de la clave «{name}»",
        of_token="{what} del token «{name}»",
        of_row="{what} de la fila «{name}»",
        missing="lo que falta en las líneas del cálculo",
        goes_on="Se sigue con lo que ha calculado: {formulas}.",
        how_one_is_done="Cómo se calcula uno de ellos",
        common_mistakes="Errores frecuentes",
    ),
    KeyWords(
        blank="Hueco",
        answer="Respuesta",
        carry="carry",
        exact="exact",
        accepted="Se acepta",
        points="Puntos",
        range="de {low} a {high}",
        what_is_accepted=(
            "Una respuesta es correcta si se deduce de los números de la hoja, se redondee como se"
            " redondee por el camino: cada número puede usarse completo, redondeado como se indica"
            " o con más decimales, y no siempre igual. Se acepta todo lo que así resulta, con media"
            " unidad de la última cifra alrededor, incluidos ambos extremos. Media unidad es"
            " {halves}. Un número con menos decimales solo cuenta como redondeado de otro modo si"
            " aún se distingue de 0 y de cada uno de los demás números de su tabla."
        ),
        half="{half} ({decimals})",
        either="{first} o {last}",
        root=" {root} puede tomarse como {about}.",
        wide=(
            "Redondear por el camino puede cambiar estas respuestas en más de cinco unidades de la"
            " última cifra: {blanks}. Con un decimal más para aquello de lo que salen, y no para"
            " ellas, dicen más."
        ),
        more="{names} y {count} más",
        hidden="También se acepta lo que da este error: {mistake} {blanks}.",
        known_mistakes="Errores conocidos y lo que dan",
        gives="{mistake} Da {numbers}.",
        number_for="{number} para {blank}",
        lets_pass="Además se admite: {what}.",
        units="{number} en la última cifra",
        absolute="una diferencia de {number}",
        relative="una diferencia de {number} veces el número",
        digits="el número con {number} cifras significativas",
    ),
    FileWords(
        key="Soluciones",
        answers="Respuestas",
        how_to=(
            "Escriba cada respuesta detrás de su nombre, tras los dos puntos y un espacio.",
            "Deje todo lo demás como está: form y hash dicen a qué ejercicio pertenecen.",
        ),
        right="Correcto: {number}.",
        earns=" Vale el {share} % de los puntos.",
        paper="Hoja {hash}",
        masked="Escriba −∞, el valor de una puntuación enmascarada, como {code}.",
        first_to_last="{first} a {last}",
    ),
    CheckWords(
        how_to=(
            "Escriba un número en cada campo, como acostumbre: 0.25,"
            " 0,25, .25, 1/4, 25 %, 2.5e-1, -inf."
            " El campo dice enseguida si es el que resulta."
        ),
        tally="{right} de {all} correctos",
        check_all="Comprobar todo",
        clear="Vaciar",
        right="✓ correcto",
        wrong="✗ todavía no",
        unreadable="? no es un número",
    ),
)
