"""Libraries of training that tests compare with: a test is skipped where one is missing, but never in CI."""

import importlib
import os
import warnings
from types import ModuleType

import pytest


def real_library(name: str) -> ModuleType:
    """Imports a library, or skips the module that asks for it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except (ImportError, OSError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{name} does not load here: {error}", allow_module_level=True)
