"""What steps, parts of pages and tables are called, in German; `{}` stands for a number."""

TITLES = {
    "Attention scores": "Attention-Scores",
    "Embeddings": "Embeddings",
    "Feed-forward network": "Feed-Forward-Netz",
    "Final norm": "Letzte Normalisierung",
    "Gates at time {}": "Gates zum Zeitpunkt {}",
    "Gradient factor at time {}": "Gradientenfaktor zum Zeitpunkt {}",
    "Heads together": "Heads zusammen",
    "How probable pieces are, round {}": "Wie wahrscheinlich die Stücke sind, Runde {}",
    "Input at time {}": "Eingabe zum Zeitpunkt {}",
    "Learning pieces, round {}": "Stücke lernen, Runde {}",
    "Logits": "Logits",
    "Mask": "Maske",
    "Memory at time {}": "Gedächtnis zum Zeitpunkt {}",
    "Next token": "Nächstes Token",
    "Norm {}": "Normalisierung {}",
    "Output projection": "Ausgabeprojektion",
    "Positions": "Positionen",
    "Pruning, round {}": "Kürzen, Runde {}",
    "Queries, keys, values": "Queries, Keys, Values",
    "Read-out at time {}": "Auslesen zum Zeitpunkt {}",
    "Residual {}": "Residuum {}",
    "Scaling": "Skalierung",
    "Softmax": "Softmax",
    "State at time {}": "Zustand zum Zeitpunkt {}",
    "States": "Zustände",
    "The best cut of": "Die beste Zerlegung von",
    "The dictionary": "Das Wörterbuch",
    "Weighted sum": "Gewichtete Summe",
    "Initial state, before the first token": "Anfangszustand, vor dem ersten Token",
    "The heads' columns": "Die Spalten der Heads",
    "Tokens": "Tokens",
    "Cross-attention": "Cross-Attention",
    "Head {}": "Head {}",
    "Layer {}": "Schicht {}",
    "Encoder": "Encoder",
    "Word": "Wort",
    "As it is cut before this round": "Zerlegung vor dieser Runde",
    "and": "und",
    "A token that comes more than once is told apart by its position:": (
        "Ein Token, das mehrfach vorkommt, wird durch seine Position unterschieden:"
    ),
    "The tokens are given.": "Die Tokens sind gegeben.",
    "The words as they are cut before this round, with their counts:": (
        "Die Wörter, wie sie vor dieser Runde zerlegt sind, mit ihren Anzahlen:"
    ),
    "Given, the matrices of each gate in a row of their own:": (
        "Gegeben sind, für jedes Gate in einer eigenen Zeile, die Matrizen:"
    ),
    "As they are given, the weights of": "So wie sie gegeben sind, ergeben die Gewichte von",
    "add up to": "zusammen",
    ", not to {}: each of them may have been rounded on its own.": (
        ", nicht {}: Jedes von ihnen kann für sich gerundet worden sein."
    ),
    "Its best cut": "Beste Zerlegung",
}
