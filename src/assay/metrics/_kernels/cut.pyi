COMPILED: bool

ASCII_WORDS: int
SPACES: int
MTEVAL: int
GEM: int
PEELED: int
GEM_ASCII: int

class Cutter:
    def __init__(self) -> None: ...
