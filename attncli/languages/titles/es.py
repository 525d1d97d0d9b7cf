"""What steps, parts of pages and tables are called, in Spanish; `{}` stands for a number."""

TITLES = {
    "Attention scores": "Puntuaciones de atención",
    "Embeddings": "Embeddings",
    "Feed-forward network": "Red feed-forward",
    "Final norm": "Normalización final",
    "Gates at time {}": "Puertas en el tiempo {}",
    "Gradient factor at time {}": "Factor del gradiente en el tiempo {}",
    "Heads together": "Cabezas juntas",
    "How probable pieces are, round {}": "Probabilidad de las piezas, ronda {}",
    "Input at time {}": "Entrada en el tiempo {}",
    "Learning pieces, round {}": "Aprender piezas, ronda {}",
    "Logits": "Logits",
    "Mask": "Máscara",
    "Memory at time {}": "Memoria en el tiempo {}",
    "Next token": "Token siguiente",
    "Norm {}": "Normalización {}",
    "Output projection": "Proyección de salida",
    "Positions": "Posiciones",
    "Pruning, round {}": "Poda, ronda {}",
    "Queries, keys, values": "Consultas, claves, valores",
    "Read-out at time {}": "Lectura en el tiempo {}",
    "Residual {}": "Residuo {}",
    "Scaling": "Escalado",
    "Softmax": "Softmax",
    "State at time {}": "Estado en el tiempo {}",
    "States": "Estados",
    "The best cut of": "El mejor corte de",
    "The dictionary": "El diccionario",
    "Weighted sum": "Suma ponderada",
    "Initial state, before the first token": "Estado inicial, antes del primer token",
    "The heads' columns": "Las columnas de las cabezas",
    "Tokens": "Tokens",
    "Cross-attention": "Atención cruzada",
    "Head {}": "Cabeza {}",
    "Layer {}": "Capa {}",
    "Encoder": "Codificador",
    "Word": "Palabra",
    "As it is cut before this round": "Corte antes de esta ronda",
    "and": "y",
    "A token that comes more than once is told apart by its position:": (
        "Un token que aparece más de una vez se distingue por su posición:"
    ),
    "The tokens are given.": "Los tokens están dados.",
    "The words as they are cut before this round, with their counts:": (
        "Las palabras tal como están cortadas antes de esta ronda, con sus recuentos:"
    ),
    "Given, the matrices of each gate in a row of their own:": (
        "Se dan las matrices, las de cada puerta en una fila propia:"
    ),
    "As they are given, the weights of": "Tal como se dan, los pesos de",
    "add up to": "suman",
    ", not to {}: each of them may have been rounded on its own.": (
        ", no {}: puede que cada uno se haya redondeado por su cuenta."
    ),
    "Its best cut": "Mejor corte",
}
