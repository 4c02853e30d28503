"""The version of the package."""

version = "0.1.0"
