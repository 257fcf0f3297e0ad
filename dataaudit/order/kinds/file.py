"""An order that was logged: a NumPy file of sample numbers, or a table of steps."""

from pathlib import Path

from dataaudit.order.batches import Order
from dataaudit.order.epochs import EpochOrder
from dataaudit.order.files import index_file, refuse_outside
from dataaudit.order.setup import Setup, layout_of, whole
from dataaudit.order.spelling import Spelled, refuse_other
from dataaudit.order.step_table import read_steps

FORM = "file:FILE"
ABOUT = "A .npy file of sample numbers as read; or JSONL, CSV or Parquet with step and sample, doc_id or id."
IS_FILE = True


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order: a list of sample numbers is cut by the setup, a table and a matrix say their steps."""
    refuse_other(order, ())
    path = Path(order.value)
    if path.suffix.lower() != ".npy":
        return read_steps(order.text, path, setup)
    numbers = index_file(path, dimensions=(1, 2))
    refuse_outside(numbers, setup.samples, path)
    layout = layout_of(setup, "blocks")
    if numbers.ndim == 2:  # a row a step
        layout = layout._replace(grad_accum=1, batch_size=-(-numbers.shape[1] // setup.world_size))
        if layout.step_samples != numbers.shape[1]:
            layout = layout._replace(batch_size=numbers.shape[1], world_size=1)
    flat = numbers.reshape(-1)
    length = whole(len(flat), layout.micro_samples, drop_last=setup.drop_last)
    return EpochOrder(order.text, lambda _: flat, length, layout, repeats=False)
