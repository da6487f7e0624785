"""Does the validator notice? Definitions that are broken on purpose, and which level catches each."""
