"""One module per command: parse arguments, call, render. No logic."""
