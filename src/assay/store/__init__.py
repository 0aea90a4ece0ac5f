"""Run folders and results folders on disk: format, readers, locks, verification."""
