#!/usr/bin/env bash
# Prints the path of a Python that has exactly what the given requirements file pins. The
# environment lives beside the build output and is made anew when the file changes.
set -euo pipefail

requirements="$1"
if ! command -v python3 >/dev/null; then
  echo "python3 is missing: install Python 3.10 or later with its venv module" >&2
  exit 1
fi
key="$( (python3 --version; cat "$requirements") | cksum | cut -d ' ' -f 1)"
environment="$CARGO_TARGET_DIR/python-$key"
if [ ! -f "$environment/complete" ]; then
  echo "installing $requirements" >&2
  rm -rf "$environment"
  python3 -m venv "$environment" >&2
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" >&2
  touch "$environment/complete"
fi
echo "$environment/bin/python"
