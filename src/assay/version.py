"""The version of assay, also part of signatures and manifests."""

VERSION = "0.1.0"
