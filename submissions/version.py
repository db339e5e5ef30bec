"""The version that a submission's provenance names."""

VERSION = "0.1.0"
