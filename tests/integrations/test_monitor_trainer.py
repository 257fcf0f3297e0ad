"""The monitor in a real Trainer: it sees what the model gets, writes incidents, stops, and resumes."""

import json
import logging
import math
import random
import shlex
from types import SimpleNamespace

import pytest
from real_libraries import real_library

from dataaudit import DataMonitor
from dataaudit.errors import AnomalyError, DataAuditError

torch = real_library("torch")
transformers = real_library("transformers")

from dataaudit.integrations.transformers import DataMonitorCallback  # noqa: E402

IDS, LENGTH = 64, 12


def rows(count, *, masked=(), repeated=False):
    rng = random.Random(3)
    found = [[rng.randrange(IDS) for _ in range(LENGTH)] for _ in range(count)]
    if repeated:
        found = [found[0]] * count
    return [
        {"input_ids": ids, "labels": [-100] * LENGTH if row in masked else list(ids)} for row, ids in enumerate(found)
    ]


def trained(folder, dataset, callback, *, resume=None, **settings):
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=IDS, n_positions=LENGTH, n_embd=8, n_layer=1, n_head=1, bos_token_id=0, eos_token_id=0
    )
    settings = {"per_device_train_batch_size": 1, "save_strategy": "no", "logging_steps": 1, **settings}
    arguments = transformers.TrainingArguments(
        str(folder), use_cpu=True, dataloader_pin_memory=False, report_to=[], disable_tqdm=True, seed=5, **settings
    )
    evaluated = rows(3) if settings.get("eval_strategy") else None
    model = transformers.GPT2LMHeadModel(config)
    trainer = transformers.Trainer(
        model, arguments, train_dataset=dataset, eval_dataset=evaluated, callbacks=[callback]
    )
    trainer.train(resume_from_checkpoint=resume)
    return trainer


def incident(callback):
    return json.loads(callback.incidents[0].read_bytes())


def test_a_batch_without_labels_ends_training_with_an_incident_that_names_its_row(tmp_path):
    callback = DataMonitorCallback(on_anomaly="stop")
    trainer = trained(tmp_path, rows(40, masked={13}), callback, num_train_epochs=2)
    assert trainer.state.global_step < 40
    (path,) = callback.incidents
    assert path == tmp_path / f"incident-{trainer.state.global_step}.json"
    found = incident(callback)
    assert {each["kind"] for each in found["reasons"]} == {"not-a-number", "anomaly"}
    assert {"loss", "masked_batch_count"} <= {each["name"] for each in found["reasons"]}
    assert (found["steps"][0]["rows"], found["steps"][0]["loss"]) == ([13], None)
    assert found["steps"][0]["step"] == found["step"] == trainer.state.global_step
    command = shlex.split(found["trace"])
    assert command[:3] == ["dataaudit", "trace", "RUN"]
    assert command[3:] == ["--step", str(found["step"]), "--order", "hf-trainer:5", "--batch-size", "1"]


def test_raising_ends_training_at_that_step(tmp_path):
    callback = DataMonitorCallback(on_anomaly="raise")
    with pytest.raises(AnomalyError, match=r"loss is nan.*incident-\d+\.json"):
        trained(tmp_path, rows(40, masked={13}), callback, num_train_epochs=1)
    assert incident(callback)["steps"][0]["rows"] == [13]


def test_logging_goes_on_and_an_anomaly_that_stays_is_one_incident(tmp_path, caplog):
    callback = DataMonitorCallback(DataMonitor(window_size=20, vocab_size=IDS), check_steps=2)
    with caplog.at_level(logging.WARNING, "dataaudit"):
        trainer = trained(
            tmp_path, rows(30, repeated=True), callback, per_device_train_batch_size=2, num_train_epochs=1
        )
    assert trainer.state.global_step == 15
    assert len(callback.incidents) == 1
    assert [each["name"] for each in incident(callback)["reasons"]] == ["duplicate_ratio"]
    assert "duplicate_ratio" in caplog.text


@pytest.mark.parametrize("accumulation", [1, 3])
def test_clean_training_has_no_incident_and_every_sample_is_seen_once(tmp_path, accumulation):
    callback = DataMonitorCallback(DataMonitor(window_size=20, vocab_size=IDS), check_steps=1)
    trained(
        tmp_path,
        rows(23),
        callback,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=accumulation,
        num_train_epochs=3,
        eval_strategy="epoch",
    )
    assert callback.incidents == []
    assert callback.monitor.seen_samples == 3 * 23


def test_the_rows_of_an_incident_are_those_that_the_step_got(tmp_path):
    dataset = rows(23, masked=range(23))
    seen = []

    class Noting(transformers.TrainerCallback):
        def on_train_begin(self, args, state, control, model=None, **kwargs):
            ids = {tuple(row["input_ids"]): number for number, row in enumerate(dataset)}

            def note(module, args, kwargs):
                seen.append([ids[tuple(each)] for each in kwargs["input_ids"].tolist()])

            model.register_forward_pre_hook(note, with_kwargs=True)

    callback = DataMonitorCallback(on_anomaly="stop")
    config = transformers.GPT2Config(vocab_size=IDS, n_positions=LENGTH, n_embd=8, n_layer=1, n_head=1)
    arguments = transformers.TrainingArguments(
        str(tmp_path),
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
        save_strategy="no",
        dataloader_pin_memory=False,
        data_seed=9,
    )
    transformers.Trainer(
        transformers.GPT2LMHeadModel(config), arguments, train_dataset=dataset, callbacks=[Noting(), callback]
    ).train()
    found = incident(callback)
    assert found["step"] == 1
    assert found["steps"][0]["rows"] == seen[0] + seen[1]
    assert "--order hf-trainer:9 --batch-size 2 --grad-accum 2" in found["trace"]


def test_a_resumed_training_goes_on_with_the_monitor_s_state(tmp_path):
    def callback():
        return DataMonitorCallback(DataMonitor(window_size=20, vocab_size=IDS))

    settings = {"per_device_train_batch_size": 2, "num_train_epochs": 2, "save_strategy": "steps", "save_steps": 7}
    whole, resumed = callback(), callback()
    trained(tmp_path / "whole", rows(24), whole, **settings)
    trained(tmp_path / "whole", rows(24), resumed, resume=str(tmp_path / "whole" / "checkpoint-7"), **settings)
    assert resumed.monitor.seen_samples == 48
    assert resumed.monitor.state_dict() == whole.monitor.state_dict()


def test_a_spike_of_the_gradient_norm_is_an_incident(tmp_path):
    callback = DataMonitorCallback(folder=tmp_path / "incidents")
    trained(tmp_path, rows(20), callback, num_train_epochs=1)
    args = SimpleNamespace(output_dir=str(tmp_path), process_index=0, world_size=1)
    for step in range(40):
        state = SimpleNamespace(global_step=100 + step, epoch=1.0)
        norm = 9.0 if step == 30 else 1 + math.sin(step) / 10
        callback.on_log(args, state, None, logs={"grad_norm": norm, "loss": 1.0})
    (path,) = callback.incidents
    assert path == tmp_path / "incidents" / "incident-130.json"
    (reason,) = incident(callback)["reasons"]
    assert (reason["kind"], reason["name"], reason["value"]) == ("spike", "grad_norm", 9.0)


@pytest.mark.parametrize("settings", [{"on_anomaly": "shout"}, {"check_steps": 0}])
def test_settings_that_cannot_be_used_say_why(settings):
    with pytest.raises(DataAuditError, match="Expected"):
        DataMonitorCallback(**settings)
