"""The monitor in a ``transformers.Trainer``: it sees what the model gets, and what loss and gradient norm do."""

import json
import logging
import math
from collections import deque
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import TrainerCallback

from dataaudit.errors import AnomalyError, UsageError
from dataaudit.integrations.trainer_order import TrainerOrder
from dataaudit.losses.watch import SpikeWatch
from dataaudit.monitor import DataMonitor
from dataaudit.monitor.incident import Incident, Reason, StepSamples, of_measure, of_value, write_incident

OnAnomaly = Literal["log", "stop", "raise"]
ACTIONS = ("log", "stop", "raise")
COLUMNS = ("input_ids", "labels", "attention_mask")
STEPS = 32
"""Steps that an incident lists."""
MOST_INCIDENTS = 100
"""Files that one training writes; later incidents are logged."""
WATCHED = ("loss", "grad_norm")

logger = logging.getLogger(__name__)


class DataMonitorCallback(TrainerCallback):
    """Shows each batch of training to a monitor and writes ``incident-<step>.json`` when something is wrong.

    It sees the ids, labels and mask that the model's ``forward`` gets while the model trains, on each rank those of
    this rank; evaluation is passed over. It looks at the loss of each step as the model gives it, and at the trainer's
    logs for what it does not give (the gradient norm). An anomaly that goes on is one incident, until it is gone.

    Args:
        monitor: one with your settings; ``DataMonitor()`` when None.
        on_anomaly: ``log`` a warning; ``stop`` the training after this step, on all ranks; ``raise`` AnomalyError.
        check_steps: steps between two checks of the monitor. Losses are looked at in every step.
        folder: where incidents go; the trainer's ``output_dir`` when None.

    With a checkpoint the monitor's state is saved, and taken up again when the training resumes from it.
    """

    def __init__(
        self,
        monitor: DataMonitor | None = None,
        *,
        on_anomaly: OnAnomaly = "log",
        check_steps: int = 50,
        folder: str | PathLike[str] | None = None,
    ) -> None:
        if on_anomaly not in ACTIONS:
            raise UsageError(f"on_anomaly is {on_anomaly!r}. Expected one of: {', '.join(ACTIONS)}.")
        if check_steps < 1:
            raise UsageError(f"check_steps is {check_steps}. Expected a whole number from 1 on.")
        self.monitor = monitor or DataMonitor()
        self.incidents: list[Path] = []
        self._on_anomaly, self._check_steps, self._folder = on_anomaly, check_steps, folder
        self._watches = {name: SpikeWatch() for name in WATCHED}
        self._anomalies: set[str] = set()
        self._steps: deque[StepSamples] = deque(maxlen=STEPS)
        self._losses: list[torch.Tensor] = []
        self._hooks: list[Any] = []
        self._first_sample = 0
        self._order: TrainerOrder | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Begins to see what the model gets; takes up the state of the checkpoint that is resumed from."""
        loader = kwargs.get("train_dataloader")
        self._order = TrainerOrder(args, getattr(loader, "dataset", None))
        if state.global_step:
            self._resume(_state_file(args, state))
        model = kwargs["model"]
        uncompiled: Any = torch.compiler.disable
        self._hooks = [
            model.register_forward_pre_hook(uncompiled(self._see), with_kwargs=True),
            model.register_forward_hook(uncompiled(self._note_loss)),
        ]
        self._begin_step()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Ends that."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Lets samples come again in another epoch."""
        if state.epoch and float(state.epoch).is_integer():
            self.monitor.new_epoch()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Looks at the step's loss and, every *check_steps* steps, at the data."""
        loss = self._loss()
        self._remember(state.global_step, loss)
        reasons = self._judged("loss", loss)
        if reasons or state.global_step % self._check_steps == 0:
            reasons += self._new_anomalies()
        self._react(reasons, args, state, control)
        self._begin_step()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:  # noqa: ARG002
        """Looks at what the trainer logs and the model does not give."""
        given = bool(self._steps) and self._steps[-1].loss is not None
        reasons = self._judged("grad_norm", (logs or {}).get("grad_norm"))
        if not given:
            reasons += self._judged("loss", (logs or {}).get("loss"))
        self._react(reasons, args, state, control)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Saves the monitor's state in the checkpoint."""
        path = _state_file(args, state)
        if path.parent.is_dir():
            path.write_text(json.dumps(self.monitor.state_dict()), encoding="utf-8")

    def _resume(self, path: Path) -> None:
        if not path.is_file():
            logger.warning("%s is not there: the monitor starts anew.", path)
            return
        try:
            state = json.loads(path.read_bytes())
        except ValueError as error:
            raise UsageError(f"{path} is damaged ({error}). Delete it; the monitor then starts anew.") from error
        self.monitor.load_state_dict(state)

    def _see(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not module.training:
            return
        batch = {name: kwargs[name] for name in COLUMNS if kwargs.get(name) is not None}
        if "input_ids" not in batch and args:
            batch["input_ids"] = args[0]
        if "input_ids" in batch:
            self.monitor.update(batch)

    def _note_loss(self, module: Any, args: Any, output: Any) -> None:  # noqa: ARG002
        loss = output.get("loss") if hasattr(output, "get") else getattr(output, "loss", None)
        if module.training and isinstance(loss, torch.Tensor) and loss.numel() == 1:
            self._losses.append(loss.detach())

    def _loss(self) -> float | None:
        """Returns the step's loss, the mean over its micro-batches; waits for the device."""
        return float(torch.stack(self._losses).float().mean()) if self._losses else None

    def _begin_step(self) -> None:
        self._losses = []
        self._first_sample = self.monitor.seen_samples

    def _remember(self, step: int, loss: float | None) -> None:
        assert self._order is not None, "a step without a beginning"
        rows = self._order.rows(step)
        self._steps.append(
            StepSamples(
                step=step,
                first_sample=self._first_sample,
                samples=self.monitor.seen_samples - self._first_sample,
                rows=rows,
                ids=self._order.ids(rows),
                loss=loss if loss is not None and math.isfinite(loss) else None,
            )
        )

    def _judged(self, name: str, value: Any) -> list[Reason]:
        if not isinstance(value, int | float):
            return []
        watch = self._watches[name]
        level = watch.level
        if not watch.begins(float(value)):
            return []
        before = "nothing before" if level is None else f"those before are {level.mean:.4g} ± {level.sigma:.2g}"
        return [of_value(name, float(value), before)]

    def _new_anomalies(self) -> list[Reason]:
        """Checks the monitor; returns the anomalies that were none at the check before."""
        found = {each.name: each for each in self.monitor.check_anomaly().anomalies}
        new = [of_measure(each) for name, each in found.items() if name not in self._anomalies]
        self._anomalies = set(found)
        return new

    def _react(self, reasons: list[Reason], args: Any, state: Any, control: Any) -> None:
        if reasons:
            self._write(reasons, args, state)
        if self._on_anomaly == "raise" and reasons:
            where = f" See {self.incidents[-1]}." if self.incidents else ""
            raise AnomalyError(f"step {state.global_step}: {' '.join(each.message for each in reasons)}{where}")
        if self._on_anomaly == "stop" and _on_any_rank(bool(reasons), args):
            control.should_training_stop = True

    def _write(self, reasons: list[Reason], args: Any, state: Any) -> None:
        assert self._order is not None
        for reason in reasons:
            logger.warning("step %d: %s: %s", state.global_step, reason.name, reason.message)
        if len(self.incidents) == MOST_INCIDENTS:
            logger.warning("%d incidents are written; the next ones are only logged.", MOST_INCIDENTS)
        if len(self.incidents) >= MOST_INCIDENTS:
            return
        incident = Incident(
            step=state.global_step,
            epoch=state.epoch,
            rank=int(args.process_index),
            reasons=reasons,
            steps=list(self._steps)[::-1],
            trace=self._order.trace(self.monitor.run, state.global_step),
            result=self.monitor.check_anomaly(),
        )
        path = write_incident(incident, Path(self._folder or args.output_dir))
        self.incidents.append(path)
        logger.warning("step %d: written to %s", state.global_step, path)


def _state_file(args: Any, state: Any) -> Path:
    name = f"dataaudit-monitor-{int(args.process_index)}.json"
    return Path(args.output_dir, f"checkpoint-{state.global_step}", name)


def _on_any_rank(flag: bool, args: Any) -> bool:
    """Says whether a flag is set on any rank; every rank must ask."""
    if int(args.world_size) < 2 or not torch.distributed.is_initialized():
        return flag
    found = torch.tensor(int(flag), device=args.device)
    torch.distributed.all_reduce(found, torch.distributed.ReduceOp.MAX)
    return bool(found.item())
