"""What steps say on sheets, in German; `{}` stands for a number."""

SENTENCES = {
    "All heads' outputs are set side by side and multiplied by W_O: the attention.": (
        "Die Ausgaben aller Heads werden nebeneinandergestellt und mit W_O multipliziert: die "
        "Attention."
    ),
    "Before the first token, the state is all zeros.": (
        "Vor dem ersten Token besteht der Zustand aus lauter Nullen."
    ),
    "Before the first token, the state and the cell state are all zeros.": (
        "Vor dem ersten Token bestehen Zustand und Zellzustand aus lauter Nullen."
    ),
    "Each head takes its share of the columns of Q, K and V.": (
        "Jeder Head nimmt seinen Teil der Spalten von Q, K und V."
    ),
    "Each input embedding is multiplied by three weight matrices.": (
        "Jedes Eingabe-Embedding wird mit drei Gewichtsmatrizen multipliziert."
    ),
    (
        "The matrices are kept as nn.Linear keeps them, one row for each column of the result, so "
        "they are transposed first."
    ): (
        "Die Matrizen sind wie bei nn.Linear gespeichert, eine Zeile für jede Spalte des "
        "Ergebnisses; sie werden also zuerst transponiert."
    ),
    (
        "Each piece is counted wherever it stands in a word, once for each time that the word "
        "occurs; its probability is its share of all counts."
    ): (
        "Jedes Stück wird überall gezählt, wo es in einem Wort steht, einmal je Vorkommen des "
        "Wortes; seine Wahrscheinlichkeit ist sein Anteil an allen Anzahlen."
    ),
    (
        "Each position gets pairs of a sine and a cosine, of waves that grow longer from pair to "
        "pair."
    ): (
        "Jede Position erhält Paare aus einem Sinus und einem Kosinus, von Wellen, die von Paar zu "
        "Paar länger werden."
    ),
    "PE counts pos and i from {}, P its rows and columns from {}: P[{}, {}] is PE{}.": (
        "PE zählt pos und i ab {}, P seine Zeilen und Spalten ab {}: P[{}, {}] ist PE{}."
    ),
    "With the embeddings all of it adds up to the input embeddings.": (
        "Zusammen mit den Embeddings ergibt das alles die Eingabe-Embeddings."
    ),
    "Each position has its row of a table.": "Jede Position hat ihre Zeile einer Tabelle.",
    "Each query is compared with each key by their dot product.": (
        "Jede Query wird mit jedem Key durch ihr Skalarprodukt verglichen."
    ),
    "Each row is the state after a token.": "Jede Zeile ist der Zustand nach einem Token.",
    (
        "Each score is divided by the square root of the number of key dimensions, here of d_k = "
        "{}."
    ): (
        "Jeder Score wird durch die Wurzel aus der Anzahl der Key-Dimensionen geteilt, hier aus "
        "d_k = {}."
    ),
    "Each token picks its row of the embedding table.": (
        "Jedes Token nimmt seine Zeile der Embedding-Tabelle."
    ),
    "Each token picks its row of the embedding table: its input embedding.": (
        "Jedes Token nimmt seine Zeile der Embedding-Tabelle: sein Eingabe-Embedding."
    ),
    (
        "Each token's vector goes on its own through a first layer, the activation gelu and a "
        "second layer."
    ): (
        "Der Vektor jedes Tokens geht für sich durch eine erste Schicht, die Aktivierung gelu und "
        "eine zweite Schicht."
    ),
    (
        "Each token's vector goes on its own through a first layer, the activation relu, which "
        "turns negative numbers into {}, and a second layer."
    ): (
        "Der Vektor jedes Tokens geht für sich durch eine erste Schicht, die Aktivierung relu, die "
        "negative Zahlen zu {} macht, und eine zweite Schicht."
    ),
    (
        "Each word is cut in its most probable way; the loss adds up how improbable these cuts are."
    ): (
        "Jedes Wort wird auf die wahrscheinlichste Weise zerlegt; der Verlust zählt zusammen, wie "
        "unwahrscheinlich diese Zerlegungen sind."
    ),
    (
        "Then each piece of two or more characters is left out in turn: the words that it was in "
        "are cut anew, and the loss grows."
    ): (
        "Dann wird reihum jedes Stück aus zwei oder mehr Zeichen weggelassen: Die Wörter, in denen "
        "es war, werden neu zerlegt, und der Verlust wächst."
    ),
    (
        "The pieces without which it grows least go; without a piece that is in no best cut it "
        "doesn't grow at all."
    ): (
        "Die Stücke, ohne die er am wenigsten wächst, fallen weg; ohne ein Stück, das in keiner "
        "besten Zerlegung ist, wächst er gar nicht."
    ),
    (
        "For each query, e is raised to each of its scores, and each result is divided by their "
        "sum."
    ): (
        "Für jede Query wird e mit jedem ihrer Scores potenziert, und jedes Ergebnis wird durch "
        "deren Summe geteilt."
    ),
    "For each query, every value is multiplied by its weight, and the products are added.": (
        "Für jede Query wird jeder Value mit seinem Gewicht multipliziert, und die Produkte werden "
        "addiert."
    ),
    (
        "From the left, place by place: which pieces end here, what is the best total where each "
        "of them starts, and which comes to the largest total?"
    ): (
        "Von links, Stelle für Stelle: Welche Stücke enden hier, was ist die beste Summe dort, wo "
        "jedes von ihnen beginnt, und welches kommt auf die größte Summe?"
    ),
    "Then the best pieces are followed back from the end of the word.": (
        "Dann werden die besten Stücke vom Ende des Wortes her zurückverfolgt."
    ),
    (
        "A character that no piece covers is unknown: it costs {} more than the least probable "
        "piece."
    ): (
        "Ein Zeichen, das kein Stück abdeckt, ist unbekannt: Es kostet {} mehr als das "
        "unwahrscheinlichste Stück."
    ),
    (
        "In the words as they are cut so far, each pair of neighbours is counted, once for each "
        "time that its word occurs; the most frequent is merged."
    ): (
        "In den bisher so zerlegten Wörtern wird jedes Paar von Nachbarn gezählt, einmal je "
        "Vorkommen seines Wortes; das häufigste wird verschmolzen."
    ),
    (
        "In the words as they are cut so far, each pair of neighbours is counted; its score "
        "divides that by the counts of its two parts, so that parts that are seldom seen apart "
        "come first."
    ): (
        "In den bisher so zerlegten Wörtern wird jedes Paar von Nachbarn gezählt; sein Score teilt "
        "das durch die Anzahlen seiner beiden Teile, sodass Teile, die selten getrennt vorkommen, "
        "zuerst drankommen."
    ),
    "Input and memory are added up with the bias, and tanh squashes the sum: the new state.": (
        "Eingabe und Gedächtnis werden mit dem Bias addiert, und tanh staucht die Summe: der neue "
        "Zustand."
    ),
    "The initial state is {}: its terms are left out.": (
        "Der Anfangszustand ist {}: Seine Terme entfallen."
    ),
    "The initial cell state is {}: its terms are left out.": (
        "Der anfängliche Zellzustand ist {}: Seine Terme entfallen."
    ),
    "Layer norm subtracts each row's mean and divides by its standard deviation.": (
        "Layer Norm zieht von jeder Zeile ihren Mittelwert ab und teilt durch ihre "
        "Standardabweichung."
    ),
    (
        "Layer norm subtracts each row's mean, divides by its standard deviation, multiplies by γ "
        "and adds β."
    ): (
        "Layer Norm zieht von jeder Zeile ihren Mittelwert ab, teilt durch ihre "
        "Standardabweichung, multipliziert mit γ und addiert β."
    ),
    "The sum of the squares is divided by d_model.": (
        "Die Summe der Quadrate wird durch d_model geteilt."
    ),
    "ε = {} is added inside the root.": "ε = {} wird unter der Wurzel addiert.",
    "No query sees a key that comes after it.": "Keine Query sieht einen Key, der nach ihr kommt.",
    "Where the mask is {}, the score becomes −∞.": "Wo die Maske {} ist, wird der Score zu −∞.",
    (
        "On its way back from the last token a gradient is multiplied, at each time, by W_aa "
        "transposed and by the slope of the activation there; that of tanh is {} − a²."
    ): (
        "Auf dem Rückweg vom letzten Token wird ein Gradient zu jedem Zeitpunkt mit W_aa "
        "transponiert und mit der dortigen Steigung der Aktivierung multipliziert; die von tanh "
        "ist {} − a²."
    ),
    (
        "The factor is the product of these matrices so far, and its norm is the root of the sum "
        "of its squares (the Frobenius norm)."
    ): (
        "Der Faktor ist das bisherige Produkt dieser Matrizen, und seine Norm ist die Wurzel aus "
        "der Summe seiner Quadrate (die Frobeniusnorm)."
    ),
    "Queries are made from the tokens, keys and values from the memory.": (
        "Die Queries werden aus den Tokens gebildet, Keys und Values aus dem Gedächtnis."
    ),
    (
        "The input gate (update) says how much of the candidate is written, the forget gate how "
        "much of the cell state is kept, the output gate how much of it is shown."
    ): (
        "Das Input-Gate (Update) sagt, wie viel vom Kandidaten geschrieben wird, das Forget-Gate, "
        "wie viel vom Zellzustand behalten wird, das Output-Gate, wie viel davon gezeigt wird."
    ),
    (
        "The sigmoid squashes the sum of each gate to numbers between {} and {}, tanh that of the "
        "candidate to numbers between −{} and {}."
    ): (
        "Die Sigmoidfunktion staucht die Summe jedes Gates auf Zahlen zwischen {} und {}, tanh die "
        "des Kandidaten auf Zahlen zwischen −{} und {}."
    ),
    (
        "The last token's vector is multiplied by the unembedding: a logit for each token of the "
        "vocabulary."
    ): (
        "Der Vektor des letzten Tokens wird mit dem Unembedding multipliziert: ein Logit für jedes "
        "Token des Vokabulars."
    ),
    "The logits are divided by the temperature {}.": (
        "Die Logits werden durch die Temperatur {} geteilt."
    ),
    "A softmax turns the logits into probabilities.": (
        "Eine Softmax-Funktion macht aus den Logits Wahrscheinlichkeiten."
    ),
    (
        "The new cell state c is what the forget gate keeps of the old one, and what the input "
        "gate (update) lets in of the candidate; what the output gate shows of tanh(c) is the new "
        "hidden state a."
    ): (
        "Der neue Zellzustand c ist das, was das Forget-Gate vom alten behält, und das, was das "
        "Input-Gate (Update) vom Kandidaten hereinlässt; was das Output-Gate von tanh(c) zeigt, "
        "ist der neue verborgene Zustand a."
    ),
    (
        "The new state lies between the candidate and the old state: an update gate near {} takes "
        "the candidate, one near {} the old state."
    ): (
        "Der neue Zustand liegt zwischen dem Kandidaten und dem alten Zustand: Ein Update-Gate "
        "nahe {} nimmt den Kandidaten, eines nahe {} den alten Zustand."
    ),
    "The output is multiplied by W_O: the attention.": (
        "Die Ausgabe wird mit W_O multipliziert: die Attention."
    ),
    (
        "The reset gate says how much of the memory the candidate may see, the update gate how "
        "much of the memory is replaced."
    ): (
        "Das Reset-Gate sagt, wie viel vom Gedächtnis der Kandidat sehen darf, das Update-Gate, "
        "wie viel vom Gedächtnis ersetzt wird."
    ),
    (
        "The state is multiplied by the weights of the read-out; a sigmoid turns the result into a "
        "probability."
    ): (
        "Der Zustand wird mit den Gewichten der Auslesung multipliziert; eine Sigmoidfunktion "
        "macht aus dem Ergebnis eine Wahrscheinlichkeit."
    ),
    "The sublayer's output is added to its input.": (
        "Die Ausgabe der Teilschicht wird zu ihrer Eingabe addiert."
    ),
    "The token's vector is the cell's input, and is multiplied by the weights of the input.": (
        "Der Vektor des Tokens ist die Eingabe der Zelle und wird mit den Gewichten der Eingabe "
        "multipliziert."
    ),
    "The token's vector is the cell's input.": "Der Vektor des Tokens ist die Eingabe der Zelle.",
    "The vector of each token is multiplied by three weight matrices.": (
        "Der Vektor jedes Tokens wird mit drei Gewichtsmatrizen multipliziert."
    ),
    (
        "The words of the corpus are counted; the most frequent ones are kept, and each gets an ID."
    ): (
        "Die Wörter des Korpus werden gezählt; die häufigsten werden behalten, und jedes bekommt "
        "eine ID."
    ),
    "A word below the cut becomes the unknown token, if there is one.": (
        "Ein Wort unterhalb der Grenze wird zum unbekannten Token, falls es eines gibt."
    ),
    "The coverage is the share of the corpus that the kept words make up.": (
        "Die Abdeckung ist der Anteil des Korpus, den die behaltenen Wörter ausmachen."
    ),
    "What is remembered of the tokens before is multiplied by its own weights.": (
        "Was von den Tokens davor behalten wurde, wird mit eigenen Gewichten multipliziert."
    ),
    "What is remembered of the tokens before is multiplied by its own weights: nothing yet.": (
        "Was von den Tokens davor behalten wurde, wird mit eigenen Gewichten multipliziert: noch "
        "nichts."
    ),
    (
        "There are no weight matrices, so Q, K and V are X here: the input embeddings themselves "
        "are queries, keys and values."
    ): (
        "Es gibt keine Gewichtsmatrizen, also sind Q, K und V hier X: Die Eingabe-Embeddings "
        "selbst sind Queries, Keys und Values."
    ),
    (
        "There are no weight matrices, so V is X here: the input embeddings themselves are the "
        "values; no queries and keys are needed, since the weights are given."
    ): (
        "Es gibt keine Gewichtsmatrizen, also ist V hier X: Die Eingabe-Embeddings selbst sind die "
        "Values; Queries und Keys werden nicht gebraucht, da die Gewichte gegeben sind."
    ),
    "The sentence is cut at white space.": "Der Satz wird an Leerzeichen getrennt.",
    "The sentence is cut at white space, and each token's ID is looked up in the vocabulary.": (
        "Der Satz wird an Leerzeichen getrennt, und die ID jedes Tokens wird im Vokabular "
        "nachgeschlagen."
    ),
}
