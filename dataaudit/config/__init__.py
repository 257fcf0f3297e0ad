"""The config: typed structs, and the strict YAML loader."""

from dataaudit.config.load import LoadedConfig, check_names, load_config, presets

__all__ = ["LoadedConfig", "check_names", "load_config", "presets"]
