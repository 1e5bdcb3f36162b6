"""`python -m firn` is the command."""

from firn._command import main

main()
