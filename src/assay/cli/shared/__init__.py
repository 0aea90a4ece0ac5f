"""What several commands share: options, output, loading."""
