"""``dataaudit config``: the resolved config, or the JSON Schema for editors."""

from typing import Annotated

import typer

from dataaudit.cli.answer import say
from dataaudit.errors import UsageError


def config(
    name: Annotated[str | None, typer.Option("--config", "-c", help="Preset or YAML file.", metavar="CONFIG")] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the resolved config (what happens anyway).")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema for editors.")] = False,
) -> None:
    """Print the config with all that it extends, or the JSON Schema.

    The resolved config is a config file itself: it stands on its own and means the same.
    """
    from dataaudit.config.json_schema import schema_text
    from dataaudit.config.load import load_config, presets
    from dataaudit.config.render import render_yaml

    if schema and (show or name is not None):
        raise UsageError("--schema goes with no other option: the schema is the same for every config.")
    if schema:
        say(schema_text())
        return
    loaded = load_config(name)
    heading = f"# {loaded.name}, sha256 {loaded.digest}. Presets: {', '.join(presets())}."
    say(f"{heading}\n{render_yaml(loaded.config)}")
