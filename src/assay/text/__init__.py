"""Texts cut and compared: tokenizers, sentences, stems, common subsequences, edits. Once, for every room."""
