"""What steps say on sheets, in French; `{}` stands for a number."""

SENTENCES = {
    "All heads' outputs are set side by side and multiplied by W_O: the attention.": (
        "Les sorties de toutes les têtes sont mises côte à côte et multipliées par W_O\xa0: "
        "l’attention."
    ),
    "Before the first token, the state is all zeros.": (
        "Avant le premier token, l’état n’a que des zéros."
    ),
    "Before the first token, the state and the cell state are all zeros.": (
        "Avant le premier token, l’état et celui de la cellule n’ont que des zéros."
    ),
    "Each head takes its share of the columns of Q, K and V.": (
        "Chaque tête prend sa part des colonnes de Q, K et V."
    ),
    "Each input embedding is multiplied by three weight matrices.": (
        "Chaque plongement d’entrée est multiplié par trois matrices de poids."
    ),
    (
        "The matrices are kept as nn.Linear keeps them, one row for each column of the result, so "
        "they are transposed first."
    ): (
        "Les matrices sont rangées comme par nn.Linear, une ligne pour chaque colonne du "
        "résultat\xa0; on les transpose donc d’abord."
    ),
    (
        "Each piece is counted wherever it stands in a word, once for each time that the word "
        "occurs; its probability is its share of all counts."
    ): (
        "Chaque morceau est compté partout où il figure dans un mot, une fois par occurrence du "
        "mot\xa0; sa probabilité est sa part de tous les effectifs."
    ),
    (
        "Each position gets pairs of a sine and a cosine, of waves that grow longer from pair to "
        "pair."
    ): (
        "Chaque position reçoit des paires d’un sinus et d’un cosinus, d’ondes qui s’allongent de "
        "paire en paire."
    ),
    "PE counts pos and i from {}, P its rows and columns from {}: P[{}, {}] is PE{}.": (
        "PE compte pos et i à partir de {}, P ses lignes et colonnes à partir de {}\xa0: P[{}, {}] "
        "est PE{}."
    ),
    "With the embeddings all of it adds up to the input embeddings.": (
        "Ajouté aux plongements, tout cela donne les plongements d’entrée."
    ),
    "Each position has its row of a table.": "Chaque position a sa ligne d’une table.",
    "Each query is compared with each key by their dot product.": (
        "Chaque requête est comparée à chaque clé par leur produit scalaire."
    ),
    "Each row is the state after a token.": "Chaque ligne est l’état après un token.",
    (
        "Each score is divided by the square root of the number of key dimensions, here of d_k = "
        "{}."
    ): (
        "Chaque score est divisé par la racine carrée du nombre de dimensions des clés, ici de d_k "
        "= {}."
    ),
    "Each token picks its row of the embedding table.": (
        "Chaque token prend sa ligne de la table de plongements."
    ),
    "Each token picks its row of the embedding table: its input embedding.": (
        "Chaque token prend sa ligne de la table de plongements\xa0: son plongement d’entrée."
    ),
    (
        "Each token's vector goes on its own through a first layer, the activation gelu and a "
        "second layer."
    ): (
        "Le vecteur de chaque token passe seul par une première couche, l’activation gelu et une "
        "deuxième couche."
    ),
    (
        "Each token's vector goes on its own through a first layer, the activation relu, which "
        "turns negative numbers into {}, and a second layer."
    ): (
        "Le vecteur de chaque token passe seul par une première couche, l’activation relu, qui "
        "change les nombres négatifs en {}, et une deuxième couche."
    ),
    (
        "Each word is cut in its most probable way; the loss adds up how improbable these cuts are."
    ): (
        "Chaque mot est découpé de la façon la plus probable\xa0; la perte additionne combien ces "
        "découpages sont improbables."
    ),
    (
        "Then each piece of two or more characters is left out in turn: the words that it was in "
        "are cut anew, and the loss grows."
    ): (
        "Puis on retire tour à tour chaque morceau de deux caractères ou plus\xa0: les mots où il "
        "figurait sont redécoupés, et la perte croît."
    ),
    (
        "The pieces without which it grows least go; without a piece that is in no best cut it "
        "doesn't grow at all."
    ): (
        "Les morceaux sans lesquels elle croît le moins s’en vont\xa0; sans un morceau qui n’est "
        "dans aucun meilleur découpage, elle ne croît pas du tout."
    ),
    (
        "For each query, e is raised to each of its scores, and each result is divided by their "
        "sum."
    ): (
        "Pour chaque requête, on élève e à chacun de ses scores, et on divise chaque résultat par "
        "leur somme."
    ),
    "For each query, every value is multiplied by its weight, and the products are added.": (
        "Pour chaque requête, chaque valeur est multipliée par son poids, et les produits sont "
        "additionnés."
    ),
    (
        "From the left, place by place: which pieces end here, what is the best total where each "
        "of them starts, and which comes to the largest total?"
    ): (
        "Depuis la gauche, place par place\xa0: quels morceaux finissent ici, quel est le meilleur "
        "total là où chacun commence, et lequel atteint le plus grand total\xa0?"
    ),
    "Then the best pieces are followed back from the end of the word.": (
        "Puis on remonte les meilleurs morceaux depuis la fin du mot."
    ),
    (
        "A character that no piece covers is unknown: it costs {} more than the least probable "
        "piece."
    ): (
        "Un caractère qu’aucun morceau ne couvre est inconnu\xa0: il coûte {} de plus que le "
        "morceau le moins probable."
    ),
    (
        "In the words as they are cut so far, each pair of neighbours is counted, once for each "
        "time that its word occurs; the most frequent is merged."
    ): (
        "Dans les mots tels qu’ils sont découpés jusqu’ici, chaque paire de voisins est comptée, "
        "une fois par occurrence de son mot\xa0; la plus fréquente est fusionnée."
    ),
    (
        "In the words as they are cut so far, each pair of neighbours is counted; its score "
        "divides that by the counts of its two parts, so that parts that are seldom seen apart "
        "come first."
    ): (
        "Dans les mots tels qu’ils sont découpés jusqu’ici, chaque paire de voisins est "
        "comptée\xa0; son score divise cela par les effectifs de ses deux parties, si bien que "
        "celles qu’on voit rarement séparées passent d’abord."
    ),
    "Input and memory are added up with the bias, and tanh squashes the sum: the new state.": (
        "L’entrée et la mémoire sont additionnées avec le biais, et tanh resserre la somme\xa0: le "
        "nouvel état."
    ),
    "The initial state is {}: its terms are left out.": (
        "L’état initial est {}\xa0: ses termes sont omis."
    ),
    "The initial cell state is {}: its terms are left out.": (
        "L’état initial de la cellule est {}\xa0: ses termes sont omis."
    ),
    "Layer norm subtracts each row's mean and divides by its standard deviation.": (
        "La layer norm soustrait de chaque ligne sa moyenne et divise par son écart-type."
    ),
    (
        "Layer norm subtracts each row's mean, divides by its standard deviation, multiplies by γ "
        "and adds β."
    ): (
        "La layer norm soustrait de chaque ligne sa moyenne, divise par son écart-type, multiplie "
        "par γ et ajoute β."
    ),
    "The sum of the squares is divided by d_model.": "La somme des carrés est divisée par d_model.",
    "ε = {} is added inside the root.": "ε = {} est ajouté sous la racine.",
    "No query sees a key that comes after it.": (
        "Aucune requête ne voit une clé qui vient après elle."
    ),
    "Where the mask is {}, the score becomes −∞.": "Là où le masque vaut {}, le score devient −∞.",
    (
        "On its way back from the last token a gradient is multiplied, at each time, by W_aa "
        "transposed and by the slope of the activation there; that of tanh is {} − a²."
    ): (
        "En remontant depuis le dernier token, un gradient est multiplié, à chaque temps, par W_aa "
        "transposée et par la pente de l’activation à cet endroit\xa0; celle de tanh est {} − a²."
    ),
    (
        "The factor is the product of these matrices so far, and its norm is the root of the sum "
        "of its squares (the Frobenius norm)."
    ): (
        "Le facteur est le produit de ces matrices jusqu’ici, et sa norme est la racine de la "
        "somme de ses carrés (la norme de Frobenius)."
    ),
    "Queries are made from the tokens, keys and values from the memory.": (
        "Les requêtes sont tirées des tokens, les clés et les valeurs de la mémoire."
    ),
    (
        "The input gate (update) says how much of the candidate is written, the forget gate how "
        "much of the cell state is kept, the output gate how much of it is shown."
    ): (
        "La porte d’entrée (update) dit combien du candidat est écrit, la porte d’oubli combien de "
        "l’état de la cellule est gardé, la porte de sortie combien en est montré."
    ),
    (
        "The sigmoid squashes the sum of each gate to numbers between {} and {}, tanh that of the "
        "candidate to numbers between −{} and {}."
    ): (
        "La sigmoïde resserre la somme de chaque porte en nombres entre {} et {}, tanh celle du "
        "candidat en nombres entre −{} et {}."
    ),
    (
        "The last token's vector is multiplied by the unembedding: a logit for each token of the "
        "vocabulary."
    ): (
        "Le vecteur du dernier token est multiplié par l’unembedding\xa0: un logit pour chaque "
        "token du vocabulaire."
    ),
    "The logits are divided by the temperature {}.": (
        "Les logits sont divisés par la température {}."
    ),
    "A softmax turns the logits into probabilities.": (
        "Une fonction softmax change les logits en probabilités."
    ),
    (
        "The new cell state c is what the forget gate keeps of the old one, and what the input "
        "gate (update) lets in of the candidate; what the output gate shows of tanh(c) is the new "
        "hidden state a."
    ): (
        "Le nouvel état c de la cellule est ce que la porte d’oubli garde de l’ancien et ce que la "
        "porte d’entrée (update) laisse entrer du candidat\xa0; ce que la porte de sortie montre "
        "de tanh(c) est le nouvel état caché a."
    ),
    (
        "The new state lies between the candidate and the old state: an update gate near {} takes "
        "the candidate, one near {} the old state."
    ): (
        "Le nouvel état est entre le candidat et l’ancien état\xa0: une porte de mise à jour "
        "proche de {} prend le candidat, proche de {} l’ancien état."
    ),
    "The output is multiplied by W_O: the attention.": (
        "La sortie est multipliée par W_O\xa0: l’attention."
    ),
    (
        "The reset gate says how much of the memory the candidate may see, the update gate how "
        "much of the memory is replaced."
    ): (
        "La porte de réinitialisation dit combien de la mémoire le candidat peut voir, la porte de "
        "mise à jour combien de la mémoire est remplacé."
    ),
    (
        "The state is multiplied by the weights of the read-out; a sigmoid turns the result into a "
        "probability."
    ): (
        "L’état est multiplié par les poids de la lecture\xa0; une sigmoïde change le résultat en "
        "probabilité."
    ),
    "The sublayer's output is added to its input.": (
        "La sortie de la sous-couche est ajoutée à son entrée."
    ),
    "The token's vector is the cell's input, and is multiplied by the weights of the input.": (
        "Le vecteur du token est l’entrée de la cellule et est multiplié par les poids de l’entrée."
    ),
    "The token's vector is the cell's input.": "Le vecteur du token est l’entrée de la cellule.",
    "The vector of each token is multiplied by three weight matrices.": (
        "Le vecteur de chaque token est multiplié par trois matrices de poids."
    ),
    (
        "The words of the corpus are counted; the most frequent ones are kept, and each gets an ID."
    ): (
        "Les mots du corpus sont comptés\xa0; les plus fréquents sont gardés, et chacun reçoit un "
        "identifiant."
    ),
    "A word below the cut becomes the unknown token, if there is one.": (
        "Un mot au-dessous du seuil devient le token inconnu, s’il y en a un."
    ),
    "The coverage is the share of the corpus that the kept words make up.": (
        "La couverture est la part du corpus que forment les mots gardés."
    ),
    "What is remembered of the tokens before is multiplied by its own weights.": (
        "Ce qui est retenu des tokens précédents est multiplié par ses propres poids."
    ),
    "What is remembered of the tokens before is multiplied by its own weights: nothing yet.": (
        "Ce qui est retenu des tokens précédents est multiplié par ses propres poids\xa0: rien "
        "encore."
    ),
    (
        "There are no weight matrices, so Q, K and V are X here: the input embeddings themselves "
        "are queries, keys and values."
    ): (
        "Il n’y a pas de matrices de poids, donc Q, K et V sont ici X\xa0: les plongements "
        "d’entrée sont eux-mêmes requêtes, clés et valeurs."
    ),
    (
        "There are no weight matrices, so V is X here: the input embeddings themselves are the "
        "values; no queries and keys are needed, since the weights are given."
    ): (
        "Il n’y a pas de matrices de poids, donc V est ici X\xa0: les plongements d’entrée sont "
        "eux-mêmes les valeurs\xa0; requêtes et clés sont inutiles, puisque les poids sont donnés."
    ),
    "The sentence is cut at white space.": "La phrase est coupée aux espaces.",
    "The sentence is cut at white space, and each token's ID is looked up in the vocabulary.": (
        "La phrase est coupée aux espaces, et l’identifiant de chaque token est cherché dans le "
        "vocabulaire."
    ),
}
