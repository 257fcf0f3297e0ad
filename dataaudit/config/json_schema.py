"""The JSON Schema of the config, for editors."""

import re
from typing import Any

import msgspec

from dataaudit.config.schema import Config

DRAFT = "http://json-schema.org/draft-07/schema#"
FIELD_LINE = re.compile(r"^(\w+): (.+)$", re.MULTILINE)


def config_schema() -> dict[str, Any]:
    """Returns the JSON Schema of a config file, in the draft that YAML editors understand (7).

    Keys that a file may leave to the one it extends are not required.
    """
    schema = msgspec.json.schema(Config)
    definitions: dict[str, Any] = schema.pop("$defs")
    for definition in definitions.values():
        _describe(definition)
    definitions["Rule"]["required"] = ["id"]
    definitions["Level"] |= {"minProperties": 1, "maxProperties": 1}
    whole: dict[str, Any] = _moved({"title": "dataaudit config", **schema, "definitions": definitions})
    return {"$schema": DRAFT, **whole}


def schema_text() -> str:
    """Returns the JSON Schema as indented JSON with a final newline."""
    return msgspec.json.format(msgspec.json.encode(config_schema()), indent=2).decode() + "\n"


def _describe(definition: dict[str, Any]) -> None:
    """Moves the lines ``name: text`` of a docstring to the properties of those names."""
    text = definition["description"]
    described = dict(FIELD_LINE.findall(text))
    for name, schema in definition["properties"].items():
        reference = schema.pop("$ref", None)
        if reference is not None:
            # Draft 7 ignores everything beside a $ref.
            schema["allOf"] = [{"$ref": reference}]
        schema["description"] = described[name]
    definition["description"] = FIELD_LINE.sub("", text).strip()


def _moved(value: Any) -> Any:
    """Returns a schema whose references point to where draft 7 keeps definitions."""
    if isinstance(value, dict):
        return {key: _moved(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_moved(item) for item in value]
    return value.replace("#/$defs/", "#/definitions/") if isinstance(value, str) else value
