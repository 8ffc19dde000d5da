"""`train --resume`: learning that was stopped goes on from the epochs that are done."""

import re
import signal
import time
from pathlib import Path

import pytest

from tests.encoders import settings_for

torch = pytest.importorskip("torch", reason="fine-tuning needs torch")
pytest.importorskip("transformers", reason="fine-tuning needs transformers")


def options(settings):
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


SETTINGS = options(settings_for("fine-tuned"))
MANY = options(settings_for("fine-tuned") | {"epochs": 80})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_stopped_goes_on(run, refused, start, animals, number):
    train = ["train", animals, "-m", "fine-tuned", *MANY]
    # Bits are the same for the same number of threads.
    torch.set_num_threads(1)
    process = start(*train, "-o", "stopped", before="import torch; torch.set_num_threads(1)")
    epochs = Path("stopped.checkpoint")
    while not epochs.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    told = process.communicate()[1].decode()
    assert process.returncode != 0
    assert epochs.exists()
    # Ctrl-C leaves a model of the epochs done, and nobody writes over these.
    assert Path("stopped").exists() == (number == signal.SIGINT)
    assert number == signal.SIGKILL or "of 80 epochs done; resume goes on from there" in " ".join(told.split())
    assert re.search(r"stopped\.checkpoint:.*was stopped", refused(*train, "-o", "stopped"))
    run(*train, "-o", "stopped", "--resume")
    assert not epochs.exists()
    run(*train, "-o", "whole")
    assert Path("stopped").read_bytes() == Path("whole").read_bytes()


def test_nothing_to_resume(refused, animals):
    train = ["train", animals, "-o", "model", "--resume"]
    assert re.search(r"model\.checkpoint:.*no checkpoint", refused(*train, "-m", "fine-tuned", *SETTINGS))
    assert re.search(r"linear-svm.*in one go", refused(*train))
