"""Text processing: tokenizers, sentence splitters, stems, longest common subsequences, edit distances."""
