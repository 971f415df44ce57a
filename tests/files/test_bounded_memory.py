"""Loading takes memory in proportion to the file, regardless of what the file claims."""

import os
import tracemalloc

import numpy as np
import pytest

from ipcae import InputError
from ipcae.estimators import load
from ipcae.files import envelope, to_bytes

MOST = 400_000_000


@pytest.fixture(scope="module")
def content(fitted, frame):
    return to_bytes(fitted("texts", frame))


def settings_of(content):
    return envelope.unwrap(content, "file")


def forged(content, tmp_path, change):
    """Write a file of about a megabyte whose settings and arrays are changed, sealed again."""
    settings, arrays = settings_of(content)
    change(settings, arrays)
    path = tmp_path / "model.safetensors"
    path.write_bytes(envelope.wrap(settings, arrays))
    assert path.stat().st_size < 2_500_000
    return path


def long_and_many(settings, arrays):
    arrays["long"] = np.zeros(60_000, dtype=np.int64)
    texts = ["a" * 500_000, "b"]
    settings["learned"]["extra_"] = {"texts": texts, "index": "long", "length": 500_000}


def many_texts(settings, arrays):
    arrays["long"] = np.zeros(1, dtype=np.int64)
    texts = ["a" * 500_000, *(str(i) for i in range(50_000))]
    settings["learned"]["extra_"] = {"texts": texts, "index": "long", "length": 9}


def bytes_as_index(settings, arrays):
    arrays["long"] = np.zeros(1_000_000, dtype=np.int8)
    settings["learned"]["extra_"] = {"texts": ["a" * 256], "index": "long", "length": 256}


def used_often(settings, arrays):
    arrays["often"] = np.zeros(100_000)
    settings["learned"]["extra_"] = [{"array": "often"}] * 40_000


def tensors_used_often(settings, arrays):
    arrays["often"] = np.zeros(100_000)
    settings["learned"]["extra_"] = [{"tensor": "often"}] * 40_000


def no_inputs_and_many_outputs(settings, arrays):
    arrays["decoder"] = np.zeros((1, 2**40, 0), dtype=np.float32)
    settings["learned"]["params_"]["dict"]["decoder.1.weight"] = {"tensor": "decoder"}


def broadcast(settings, arrays):
    arrays["wide"] = np.zeros((1, 100_000, 1), dtype=np.float32)
    arrays["bias"] = np.zeros((1, 100_000), dtype=np.float32)
    learned = settings["learned"]["params_"]["dict"]
    learned["decoder.0.norm.weight"] = {"tensor": "wide"}
    learned["decoder.0.bias"] = {"tensor": "bias"}


@pytest.mark.parametrize(
    "change",
    [
        long_and_many,
        many_texts,
        bytes_as_index,
        used_often,
        tensors_used_often,
        no_inputs_and_many_outputs,
        broadcast,
    ],
)
def test_a_small_file_takes_little_memory(content, tmp_path, change):
    path = forged(content, tmp_path, change)
    tracemalloc.start()
    try:
        load(path)
    except InputError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < MOST


@pytest.mark.parametrize(
    "change", [used_often, tensors_used_often, no_inputs_and_many_outputs, broadcast]
)
def test_what_no_selector_holds_is_refused(content, tmp_path, change):
    with pytest.raises(InputError, match=r"does not contain a selector|not a valid file"):
        load(forged(content, tmp_path, change))


def test_long_texts_come_back_as_they_were(fitted, rows, tmp_path):
    labels = np.where(rows[:, 1] > 0, "long " * 5000, "short")
    selector = fitted("texts").fit(rows, labels)
    selector.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.classes_.tolist() == selector.classes_.tolist()
    assert again.predict(rows).tolist() == selector.predict(rows).tolist()


@pytest.mark.skipif(os.name != "posix", reason="needs devices and pipes")
def test_special_files_are_not_read(tmp_path):
    (tmp_path / "zeros.safetensors").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.safetensors")
    with pytest.raises(InputError, match=r"zeros\.safetensors is a device: expected"):
        load(tmp_path / "zeros.safetensors")
    with pytest.raises(InputError, match=r"pipe\.safetensors is a pipe: expected"):
        load(tmp_path / "pipe.safetensors")


def test_a_large_file_of_another_kind_is_not_read_whole(tmp_path):
    path = tmp_path / "large.safetensors"
    for beginning in (b"", (2**33).to_bytes(8, "little") + b"{"):
        with path.open("wb") as file:
            file.write(beginning)
            file.truncate(2**34)  # a hole, which takes no room
        tracemalloc.start()
        with pytest.raises(InputError, match=r"is not a safetensors file|its header has"):
            load(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 10_000_000
