"""Writing cards in the browser, with the guide beside every field: the card editor of `assay server start`."""
