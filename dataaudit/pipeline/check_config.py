"""Compares a config with the signals and checks that there are."""

from pathlib import Path

from dataaudit.checks import Check, all_checks
from dataaudit.config.load import LoadedConfig, check_names
from dataaudit.config.ranges import SHARE, CheckRanges, Range, check_limits
from dataaudit.errors import ConfigError, UsageError
from dataaudit.order import kind_of
from dataaudit.signals import all_signals


def check_config(loaded: LoadedConfig) -> None:
    """Compares the names and limits in a config with the signals and checks that there are.

    Raises:
        ConfigError: a name is unknown, or a limit lies where no value can be.
    """
    checks = all_checks().values()
    check_names(loaded, all_signals(), {check.id: list(check.options) for check in checks})
    check_limits(
        loaded,
        {name: Range(*each.limits) for name, each in all_signals().items()},
        {check.id: _ranges(check) for check in checks},
    )
    _check_order(loaded)


def _check_order(loaded: LoadedConfig) -> None:
    """Looks at the order of training before hours of measuring: is there one of this kind, and is its folder there."""
    name = loaded.config.order.name
    if name is None:
        return
    try:
        is_file = kind_of(name).is_file
    except UsageError as error:
        raise ConfigError(f"order.name: {str(error).removeprefix(f'--order {name}: ')}") from error
    path = name.partition(":")[2]
    if is_file and not Path(path).parent.is_dir():
        raise ConfigError(f"order.name: {name}: the folder of {path!r} is not there; it starts at the current folder.")


def _ranges(check: Check) -> CheckRanges:
    options = {name: SHARE if isinstance(default, float) else Range(0) for name, default in check.options.items()}
    return CheckRanges(SHARE if check.unit.startswith(("share", "distance")) else Range(), options)
