"""The config: typed structs, and the strict YAML loader."""
