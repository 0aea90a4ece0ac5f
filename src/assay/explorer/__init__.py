"""Pages and reports over results folders."""
