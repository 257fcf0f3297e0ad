"""Lays a config over the one that it extends."""

from dataaudit.config.document import MarkedList, MarkedMapping, Place
from dataaudit.errors import ConfigError, suggestion

SECTIONS = ("read", "tokenizer", "model", "duplicates", "drift", "order")


def merge(parent: MarkedMapping, child: MarkedMapping) -> MarkedMapping:
    """Returns *child* on top of *parent*, both of them type-correct.

    Rules are merged by id and checks by id, the other sections key by key. Limits (``warn``, ``fail``) and lists are
    replaced whole. A merged rule stays in the parent's place; new rules follow.

    Raises:
        ConfigError: a rule is skipped that the parent does not have.
    """
    result = parent.overlaid(child)
    for section in SECTIONS:
        if section in parent and section in child:
            result[section] = parent[section].overlaid(child[section])
    if "checks" in parent and "checks" in child:
        result["checks"] = _merged_checks(parent["checks"], child["checks"])
    if "rules" in child:
        result["rules"] = _merged_rules(rules_by_id(parent), rules_by_id(child), child["rules"].place)
    return result


def rules_by_id(data: MarkedMapping) -> dict[str, MarkedMapping]:
    """Returns the rules of a config by id.

    Raises:
        ConfigError: an id is missing or stands twice.
    """
    found: dict[str, MarkedMapping] = {}
    for rule in data.get("rules", ()):
        name = rule.get("id")
        if name is None:
            raise ConfigError(f"{rule.place}: a rule without 'id'. Expected a name for reports, such as 'too-short'.")
        if name in found:
            raise ConfigError(
                f"{rule.value_places['id']}: the rule id {name!r} stands here again "
                f"(first in line {found[name].place.line}). Give each rule its own."
            )
        found[name] = rule
    return found


def without_skipped(data: MarkedMapping) -> MarkedMapping:
    """Returns the config without the rules that say ``skip: true``."""
    if "rules" not in data:
        return data
    kept = MarkedList(data["rules"].place)
    for rule, place in zip(data["rules"], data["rules"].places, strict=True):
        if not rule.get("skip", False):
            kept.add(rule, place)
    result = data.overlaid(data)
    result["rules"] = kept
    return result


def _merged_rules(old: dict[str, MarkedMapping], new: dict[str, MarkedMapping], place: Place) -> MarkedList:
    for name, rule in new.items():
        if rule.get("skip") and name not in old:
            raise ConfigError(
                f"{rule.place}: there is no rule {name!r} to skip in the extended config.{suggestion(name, old)}"
            )
    result = MarkedList(place)
    for name in dict.fromkeys([*old, *new]):
        rule = old[name].overlaid(new[name]) if name in old and name in new else old.get(name) or new[name]
        result.add(rule, rule.place)
    return result


def _merged_checks(parent: MarkedMapping, child: MarkedMapping) -> MarkedMapping:
    result = parent.overlaid(child)
    for name in child:
        if name in parent:
            result[name] = parent[name].overlaid(child[name])
            if "options" in parent[name] and "options" in child[name]:
                result[name]["options"] = parent[name]["options"].overlaid(child[name]["options"])
    return result
