"""How often an order reads each source."""

from types import SimpleNamespace

import numpy as np

from dataaudit.checks import all_checks
from dataaudit.order_quality.facts import Mixture


def test_a_source_without_tokens_does_not_shift_the_others():
    none = np.zeros(0)
    drawn, held = np.array([30, 0, 80, 0]), np.array([10, 0, 40, 0])
    mixture = Mixture(["a", "empty", "b", "planned"], none, False, drawn, held, none, none, none, none)
    outcome = all_checks()["source-epochs"].run(SimpleNamespace(order=SimpleNamespace(mixture=mixture)), {})
    assert outcome.value == 3.0
    assert outcome.message == "a is read 3 times over; the least read 2 times."
    assert outcome.details["sources"] == [
        {"name": "a", "epochs": 3.0, "drawn": 30, "unique": 10},
        {"name": "b", "epochs": 2.0, "drawn": 80, "unique": 40},
    ]
