"""The forms that ship with assay, one TOML file each; see `assay judge list`."""
