COMPILED: bool
FAR: int

class Band:
    def __init__(self, longest: int) -> None: ...
