COMPILED: bool
BEAM: int
