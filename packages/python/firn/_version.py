"""The version of the server that the package brings along; `make dist` compares it with the server's."""

__version__ = "0.1.0"
