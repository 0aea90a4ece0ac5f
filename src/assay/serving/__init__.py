"""What every web server of assay shares."""
