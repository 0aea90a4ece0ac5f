"""assay against its peers: same texts, same run, equal values, ratios printed."""
