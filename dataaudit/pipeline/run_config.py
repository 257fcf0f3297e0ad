"""The config that a run is judged with, in its folder."""

from dataclasses import replace

from dataaudit.config.load import LoadedConfig, load_config
from dataaudit.errors import ConfigError, RunError
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.store import RunFolder, pretty_json

CONFIG = "config.json"


def has_config(run: RunFolder, loaded: LoadedConfig) -> bool:
    """Says whether the run was planned or judged last with these settings."""
    path = run.path / CONFIG
    return path.is_file() and path.read_bytes() == pretty_json(loaded.config)


def write_config(run: RunFolder, loaded: LoadedConfig) -> None:
    """Writes the settings."""
    run.write(CONFIG, pretty_json(loaded.config))


def stored_config(run: RunFolder, plan: Plan) -> LoadedConfig:
    """Returns the config that a run was planned or judged with last.

    Raises:
        RunError: there is none, or it is damaged or of another version.
    """
    path = run.path / CONFIG
    if not path.exists():
        raise RunError(f"{run.path}: the run was never finished. Run the same dataaudit audit command again.")
    try:
        return replace(load_config(str(path)), name=plan.config_name)
    except ConfigError as error:
        raise RunError(
            f"{path} is damaged or of another version. Run the same dataaudit audit command again.\n{error}"
        ) from error
