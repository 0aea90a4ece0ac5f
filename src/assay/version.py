"""The version, in one place for signatures and manifests."""

VERSION = "0.1.0"
