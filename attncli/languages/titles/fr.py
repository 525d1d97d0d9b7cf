"""What steps, parts of pages and tables are called, in French; `{}` stands for a number."""

TITLES = {
    "Attention scores": "Scores d’attention",
    "Embeddings": "Plongements",
    "Feed-forward network": "Réseau feed-forward",
    "Final norm": "Normalisation finale",
    "Gates at time {}": "Portes au temps {}",
    "Gradient factor at time {}": "Facteur du gradient au temps {}",
    "Heads together": "Têtes réunies",
    "How probable pieces are, round {}": "Probabilité des morceaux, tour {}",
    "Input at time {}": "Entrée au temps {}",
    "Learning pieces, round {}": "Apprendre des morceaux, tour {}",
    "Logits": "Logits",
    "Mask": "Masque",
    "Memory at time {}": "Mémoire au temps {}",
    "Next token": "Token suivant",
    "Norm {}": "Normalisation {}",
    "Output projection": "Projection de sortie",
    "Positions": "Positions",
    "Pruning, round {}": "Élagage, tour {}",
    "Queries, keys, values": "Requêtes, clés, valeurs",
    "Read-out at time {}": "Lecture au temps {}",
    "Residual {}": "Résidu {}",
    "Scaling": "Mise à l’échelle",
    "Softmax": "Softmax",
    "State at time {}": "État au temps {}",
    "States": "États",
    "The best cut of": "Le meilleur découpage de",
    "The dictionary": "Le dictionnaire",
    "Weighted sum": "Somme pondérée",
    "Initial state, before the first token": "État initial, avant le premier token",
    "The heads' columns": "Les colonnes des têtes",
    "Tokens": "Tokens",
    "Cross-attention": "Attention croisée",
    "Head {}": "Tête {}",
    "Layer {}": "Couche {}",
    "Encoder": "Encodeur",
    "Word": "Mot",
    "As it is cut before this round": "Découpage avant ce tour",
    "and": "et",
    "A token that comes more than once is told apart by its position:": (
        "Un token qui revient est distingué par sa position\xa0:"
    ),
    "The tokens are given.": "Les tokens sont donnés.",
    "The words as they are cut before this round, with their counts:": (
        "Les mots tels qu’ils sont découpés avant ce tour, avec leurs effectifs\xa0:"
    ),
    "Given, the matrices of each gate in a row of their own:": (
        "Sont données les matrices, celles de chaque porte sur une ligne\xa0:"
    ),
    "As they are given, the weights of": "Tels qu’ils sont donnés, les poids de",
    "add up to": "ont pour somme",
    ", not to {}: each of them may have been rounded on its own.": (
        ", non {}\xa0: chacun peut avoir été arrondi séparément."
    ),
    "Its best cut": "Meilleur découpage",
}
