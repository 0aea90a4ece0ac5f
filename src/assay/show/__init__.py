"""How numbers, tables and figures look, in a terminal, a paper and a page."""
