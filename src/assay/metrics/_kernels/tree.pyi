COMPILED: bool

class Tree:
    def __init__(self, positions: int, nodes: int, order: int, symbols: int) -> None: ...
