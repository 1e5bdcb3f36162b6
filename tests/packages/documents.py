"""Reads the code of a page, and what the page says that it prints."""

import re
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path):
    """Pairs of language and text, in the order of the page."""
    return _BLOCK.findall(page.read_text())


def program(page, language):
    """All code of one language, as one program."""
    return "\n".join(text for kind, text in blocks(page) if kind == language)


def printed(page):
    """All of what the page says that its program prints."""
    return "".join(text for kind, text in blocks(page) if kind == "text")
