"""Arrays in, numbers out: resampling, tests, corrections. No text, no records, no other room."""
