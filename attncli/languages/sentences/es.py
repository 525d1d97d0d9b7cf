"""What steps say on sheets, in Spanish; `{}` stands for a number."""

SENTENCES = {
    "All heads' outputs are set side by side and multiplied by W_O: the attention.": (
        "Las salidas de todas las cabezas se ponen una junto a otra y se multiplican por W_O: la "
        "atención."
    ),
    "Before the first token, the state is all zeros.": (
        "Antes del primer token, el estado es todo ceros."
    ),
    "Before the first token, the state and the cell state are all zeros.": (
        "Antes del primer token, el estado y el de la celda son todo ceros."
    ),
    "Each head takes its share of the columns of Q, K and V.": (
        "Cada cabeza toma su parte de las columnas de Q, K y V."
    ),
    "Each input embedding is multiplied by three weight matrices.": (
        "Cada embedding de entrada se multiplica por tres matrices de pesos."
    ),
    (
        "The matrices are kept as nn.Linear keeps them, one row for each column of the result, so "
        "they are transposed first."
    ): (
        "Las matrices se guardan como en nn.Linear, una fila por cada columna del resultado; por "
        "eso primero se trasponen."
    ),
    (
        "Each piece is counted wherever it stands in a word, once for each time that the word "
        "occurs; its probability is its share of all counts."
    ): (
        "Cada pieza se cuenta dondequiera que esté en una palabra, una vez por aparición de la "
        "palabra; su probabilidad es su parte de todos los recuentos."
    ),
    (
        "Each position gets pairs of a sine and a cosine, of waves that grow longer from pair to "
        "pair."
    ): (
        "Cada posición recibe pares de un seno y un coseno, de ondas que se alargan de par en par."
    ),
    "PE counts pos and i from {}, P its rows and columns from {}: P[{}, {}] is PE{}.": (
        "PE cuenta pos e i desde {}, P sus filas y columnas desde {}: P[{}, {}] es PE{}."
    ),
    "With the embeddings all of it adds up to the input embeddings.": (
        "Sumado a los embeddings, todo ello da los embeddings de entrada."
    ),
    "Each position has its row of a table.": "Cada posición tiene su fila de una tabla.",
    "Each query is compared with each key by their dot product.": (
        "Cada consulta se compara con cada clave por su producto escalar."
    ),
    "Each row is the state after a token.": "Cada fila es el estado después de un token.",
    (
        "Each score is divided by the square root of the number of key dimensions, here of d_k = "
        "{}."
    ): (
        "Cada puntuación se divide entre la raíz cuadrada del número de dimensiones de las claves, "
        "aquí de d_k = {}."
    ),
    "Each token picks its row of the embedding table.": (
        "Cada token toma su fila de la tabla de embeddings."
    ),
    "Each token picks its row of the embedding table: its input embedding.": (
        "Cada token toma su fila de la tabla de embeddings: su embedding de entrada."
    ),
    (
        "Each token's vector goes on its own through a first layer, the activation gelu and a "
        "second layer."
    ): (
        "El vector de cada token pasa por sí solo por una primera capa, la activación gelu y una "
        "segunda capa."
    ),
    (
        "Each token's vector goes on its own through a first layer, the activation relu, which "
        "turns negative numbers into {}, and a second layer."
    ): (
        "El vector de cada token pasa por sí solo por una primera capa, la activación relu, que "
        "convierte los números negativos en {}, y una segunda capa."
    ),
    (
        "Each word is cut in its most probable way; the loss adds up how improbable these cuts are."
    ): (
        "Cada palabra se corta de la manera más probable; la pérdida suma lo improbables que son "
        "esos cortes."
    ),
    (
        "Then each piece of two or more characters is left out in turn: the words that it was in "
        "are cut anew, and the loss grows."
    ): (
        "Luego se quita por turno cada pieza de dos o más caracteres: las palabras en que estaba "
        "se cortan de nuevo, y la pérdida crece."
    ),
    (
        "The pieces without which it grows least go; without a piece that is in no best cut it "
        "doesn't grow at all."
    ): (
        "Se van las piezas sin las que crece menos; sin una pieza que no está en ningún mejor "
        "corte no crece nada."
    ),
    (
        "For each query, e is raised to each of its scores, and each result is divided by their "
        "sum."
    ): (
        "Para cada consulta se eleva e a cada una de sus puntuaciones, y cada resultado se divide "
        "entre la suma de todos."
    ),
    "For each query, every value is multiplied by its weight, and the products are added.": (
        "Para cada consulta se multiplica cada valor por su peso, y se suman los productos."
    ),
    (
        "From the left, place by place: which pieces end here, what is the best total where each "
        "of them starts, and which comes to the largest total?"
    ): (
        "Desde la izquierda, lugar por lugar: ¿qué piezas terminan aquí, cuál es el mejor total "
        "donde empieza cada una, y cuál llega al mayor total?"
    ),
    "Then the best pieces are followed back from the end of the word.": (
        "Luego se siguen las mejores piezas hacia atrás desde el final de la palabra."
    ),
    (
        "A character that no piece covers is unknown: it costs {} more than the least probable "
        "piece."
    ): (
        "Un carácter que ninguna pieza cubre es desconocido: cuesta {} más que la pieza menos "
        "probable."
    ),
    (
        "In the words as they are cut so far, each pair of neighbours is counted, once for each "
        "time that its word occurs; the most frequent is merged."
    ): (
        "En las palabras tal como están cortadas hasta ahora se cuenta cada par de vecinos, una "
        "vez por aparición de su palabra; el más frecuente se une."
    ),
    (
        "In the words as they are cut so far, each pair of neighbours is counted; its score "
        "divides that by the counts of its two parts, so that parts that are seldom seen apart "
        "come first."
    ): (
        "En las palabras tal como están cortadas hasta ahora se cuenta cada par de vecinos; su "
        "puntuación divide eso entre los recuentos de sus dos partes, de modo que las que rara vez "
        "se ven separadas van primero."
    ),
    "Input and memory are added up with the bias, and tanh squashes the sum: the new state.": (
        "La entrada y la memoria se suman con el sesgo, y tanh comprime la suma: el nuevo estado."
    ),
    "The initial state is {}: its terms are left out.": (
        "El estado inicial es {}: sus términos se omiten."
    ),
    "The initial cell state is {}: its terms are left out.": (
        "El estado inicial de la celda es {}: sus términos se omiten."
    ),
    "Layer norm subtracts each row's mean and divides by its standard deviation.": (
        "Layer norm resta a cada fila su media y divide entre su desviación típica."
    ),
    (
        "Layer norm subtracts each row's mean, divides by its standard deviation, multiplies by γ "
        "and adds β."
    ): (
        "Layer norm resta a cada fila su media, divide entre su desviación típica, multiplica por "
        "γ y suma β."
    ),
    "The sum of the squares is divided by d_model.": (
        "La suma de los cuadrados se divide entre d_model."
    ),
    "ε = {} is added inside the root.": "ε = {} se suma dentro de la raíz.",
    "No query sees a key that comes after it.": (
        "Ninguna consulta ve una clave que viene después de ella."
    ),
    "Where the mask is {}, the score becomes −∞.": (
        "Donde la máscara es {}, la puntuación pasa a −∞."
    ),
    (
        "On its way back from the last token a gradient is multiplied, at each time, by W_aa "
        "transposed and by the slope of the activation there; that of tanh is {} − a²."
    ): (
        "En su camino de vuelta desde el último token, un gradiente se multiplica, en cada tiempo, "
        "por W_aa traspuesta y por la pendiente de la activación en él; la de tanh es {} − a²."
    ),
    (
        "The factor is the product of these matrices so far, and its norm is the root of the sum "
        "of its squares (the Frobenius norm)."
    ): (
        "El factor es el producto de estas matrices hasta ahora, y su norma es la raíz de la suma "
        "de sus cuadrados (la norma de Frobenius)."
    ),
    "Queries are made from the tokens, keys and values from the memory.": (
        "Las consultas salen de los tokens, las claves y los valores de la memoria."
    ),
    (
        "The input gate (update) says how much of the candidate is written, the forget gate how "
        "much of the cell state is kept, the output gate how much of it is shown."
    ): (
        "La puerta de entrada (update) dice cuánto del candidato se escribe, la de olvido cuánto "
        "del estado de la celda se conserva, la de salida cuánto de él se muestra."
    ),
    (
        "The sigmoid squashes the sum of each gate to numbers between {} and {}, tanh that of the "
        "candidate to numbers between −{} and {}."
    ): (
        "La sigmoide comprime la suma de cada puerta a números entre {} y {}, tanh la del "
        "candidato a números entre −{} y {}."
    ),
    (
        "The last token's vector is multiplied by the unembedding: a logit for each token of the "
        "vocabulary."
    ): (
        "El vector del último token se multiplica por el unembedding: un logit para cada token del "
        "vocabulario."
    ),
    "The logits are divided by the temperature {}.": (
        "Los logits se dividen entre la temperatura {}."
    ),
    "A softmax turns the logits into probabilities.": (
        "Una función softmax convierte los logits en probabilidades."
    ),
    (
        "The new cell state c is what the forget gate keeps of the old one, and what the input "
        "gate (update) lets in of the candidate; what the output gate shows of tanh(c) is the new "
        "hidden state a."
    ): (
        "El nuevo estado c de la celda es lo que la puerta de olvido conserva del antiguo y lo que "
        "la de entrada (update) deja pasar del candidato; lo que la de salida muestra de tanh(c) "
        "es el nuevo estado oculto a."
    ),
    (
        "The new state lies between the candidate and the old state: an update gate near {} takes "
        "the candidate, one near {} the old state."
    ): (
        "El nuevo estado está entre el candidato y el antiguo: una puerta de actualización cercana "
        "a {} toma el candidato, una cercana a {} el antiguo."
    ),
    "The output is multiplied by W_O: the attention.": (
        "La salida se multiplica por W_O: la atención."
    ),
    (
        "The reset gate says how much of the memory the candidate may see, the update gate how "
        "much of the memory is replaced."
    ): (
        "La puerta de reinicio dice cuánto de la memoria puede ver el candidato, la de "
        "actualización cuánto de la memoria se reemplaza."
    ),
    (
        "The state is multiplied by the weights of the read-out; a sigmoid turns the result into a "
        "probability."
    ): (
        "El estado se multiplica por los pesos de la lectura; una sigmoide convierte el resultado "
        "en una probabilidad."
    ),
    "The sublayer's output is added to its input.": "La salida de la subcapa se suma a su entrada.",
    "The token's vector is the cell's input, and is multiplied by the weights of the input.": (
        "El vector del token es la entrada de la celda y se multiplica por los pesos de la entrada."
    ),
    "The token's vector is the cell's input.": "El vector del token es la entrada de la celda.",
    "The vector of each token is multiplied by three weight matrices.": (
        "El vector de cada token se multiplica por tres matrices de pesos."
    ),
    (
        "The words of the corpus are counted; the most frequent ones are kept, and each gets an ID."
    ): (
        "Se cuentan las palabras del corpus; se conservan las más frecuentes, y cada una recibe un "
        "ID."
    ),
    "A word below the cut becomes the unknown token, if there is one.": (
        "Una palabra por debajo del corte pasa a ser el token desconocido, si lo hay."
    ),
    "The coverage is the share of the corpus that the kept words make up.": (
        "La cobertura es la parte del corpus que forman las palabras conservadas."
    ),
    "What is remembered of the tokens before is multiplied by its own weights.": (
        "Lo que se recuerda de los tokens anteriores se multiplica por sus propios pesos."
    ),
    "What is remembered of the tokens before is multiplied by its own weights: nothing yet.": (
        "Lo que se recuerda de los tokens anteriores se multiplica por sus propios pesos: nada "
        "todavía."
    ),
    (
        "There are no weight matrices, so Q, K and V are X here: the input embeddings themselves "
        "are queries, keys and values."
    ): (
        "No hay matrices de pesos, así que Q, K y V son aquí X: los propios embeddings de entrada "
        "son consultas, claves y valores."
    ),
    (
        "There are no weight matrices, so V is X here: the input embeddings themselves are the "
        "values; no queries and keys are needed, since the weights are given."
    ): (
        "No hay matrices de pesos, así que V es aquí X: los propios embeddings de entrada son los "
        "valores; no hacen falta consultas ni claves, pues se dan los pesos."
    ),
    "The sentence is cut at white space.": "La frase se corta en los espacios.",
    "The sentence is cut at white space, and each token's ID is looked up in the vocabulary.": (
        "La frase se corta en los espacios, y el ID de cada token se busca en el vocabulario."
    ),
}
