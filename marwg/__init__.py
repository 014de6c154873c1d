"""MA-RWG: writes and verifies the related-work section of a scientific paper. Importing this package has no effect."""

__version__ = "0.1.0"
