"""A damaged file gives a one-sentence error, and nothing in it is executed."""

import hashlib
import json
import pickle
import random
import sys

import numpy as np
import pytest
import safetensors.numpy

from ipcae import InputError
from ipcae.estimators import load
from ipcae.files import envelope, to_bytes

N_DAMAGES = 200

# What the interpreter reports when something starts code or a program, or writes a file.
_watched: list[str] | None = None
_SUSPICIOUS = ("exec", "compile", "import", "pickle.", "marshal.", "os.", "subprocess.", "ctypes.")


def _watch(event, arguments):
    if _watched is None:
        return
    if event == "open" and isinstance(arguments[1], str) and set("wax+") & set(arguments[1]):
        _watched.append(f"open {arguments}")
    if event.startswith(_SUSPICIOUS):
        _watched.append(event)


sys.addaudithook(_watch)


@pytest.fixture
def watched():
    """Return what the interpreter reports while the test runs."""
    global _watched
    _watched = []
    yield _watched
    _watched = None


@pytest.fixture(scope="module")
def content(fitted, frame):
    return to_bytes(fitted("texts", frame))


def refusal(path):
    with pytest.raises(InputError) as caught:
        load(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert sentence.endswith(".")
    return sentence


def test_truncated_and_flipped(content, tmp_path, watched):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    load(path)
    dice = random.Random(0)
    for damage in range(N_DAMAGES):
        damaged = bytearray(content)
        if damage % 2:
            del damaged[dice.randrange(len(content)) :]
        else:
            for _ in range(dice.choice((1, 1, 1, 2, 8))):
                damaged[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        watched.clear()
        refusal(path)
        assert watched == []


def test_every_bit_of_the_lengths_and_of_the_checksum(content, tmp_path):
    path = tmp_path / "model.safetensors"
    start = content.index(b'"format"')
    positions = [*range(start + 200), *range(len(content) - 16, len(content))]
    for position in positions:
        damaged = bytearray(content)
        damaged[position] ^= 1 << (position % 8)
        path.write_bytes(damaged)
        refusal(path)


@pytest.mark.parametrize("extra", [b" ", b"\0" * 8])
def test_something_added(content, tmp_path, extra):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content + extra)
    assert "damaged" in refusal(path)
    # A header that means the same but is written otherwise.
    n_header = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + n_header] + b" " * 8
    path.write_bytes(len(header).to_bytes(8, "little") + header + content[8 + n_header :])
    assert "damaged" in refusal(path)


def test_files_of_others(tmp_path):
    path = tmp_path / "file"
    assert "does not exist" in refusal(path)
    assert "is a folder" in refusal(tmp_path)
    for content in (b"", b"x", b"a,b\n1,2\n", b"{" * 40, pickle.dumps({"a": 1}), b"\0" * 100):
        path.write_bytes(content)
        refusal(path)
    for metadata in (None, {"format": "pt"}):
        path.write_bytes(safetensors.numpy.save({"weight": np.zeros(3)}, metadata))
        assert "not a selector of ipcae" in refusal(path)


def resealed(content, change):
    """Change the metadata and make the checksum right again, as somebody with intent would."""
    n_header = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + n_header])
    metadata = header["__metadata__"]
    settings = json.loads(metadata["settings"])
    change(header, metadata, settings)
    metadata |= {"settings": json.dumps(settings), "sha256": "0" * 64}
    text = json.dumps(header, separators=(",", ":")).encode()
    blank = len(text).to_bytes(8, "little") + text + content[8 + n_header :]
    return blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode(), 1)


def test_resealing_keeps_a_file_valid(content, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(resealed(content, lambda header, metadata, settings: None))
    load(path)


def test_a_newer_format(content, tmp_path):
    path = tmp_path / "model.safetensors"
    newer = str(envelope.FORMAT_VERSION + 1)
    path.write_bytes(
        resealed(content, lambda header, metadata, settings: metadata.update(format_version=newer))
    )
    assert "written by a newer ipcae" in refusal(path)
    assert "upgrade" in refusal(path)


def learned(name, value):
    return lambda header, metadata, settings: settings["learned"].update({name: value})


def parameter(name, value):
    return lambda header, metadata, settings: settings["parameters"].update({name: value})


def classes(value):
    return lambda header, metadata, settings: settings["learned"]["task_"]["fields"].update(
        classes=value
    )


FORGERIES = {
    "code": parameter("decoder", {"kind": "CustomDecoder", "fields": {"factory": "os.system"}}),
    "class": parameter("loss", {"kind": "os.system", "fields": {"command": "true"}}),
    "tag": parameter("loss", {"__reduce__": ["os.system", "true"]}),
    "empty": parameter("loss", {}),
    "selector": lambda header, metadata, settings: settings.update(selector="object"),
    "unknown parameter": parameter("colour", "red"),
    "not learned": learned("predict", 1),
    "private": learned("__class__", 1),
    "property": learned("ranking_", [1]),
    "run": learned("best_run_", 7),
    "missing array": learned("importance_", {"array": "nowhere"}),
    "missing tensors": learned("params_", {"dict": {}}),
    "count": learned("n_features_in_", 2),
    "huge count": learned("n_features_in_", 10**10),
    "names": learned("feature_names_in_", {"objects": ["a"]}),
    "classes": classes({"objects": ["a"]}),
    "text": classes({"texts": [1, 2], "index": "task_.classes", "length": 10**9}),
    "not a dict": lambda header, metadata, settings: settings.update(learned=[]),
    "nothing": lambda header, metadata, settings: settings.clear(),
    "versions": lambda header, metadata, settings: settings.update(versions=[], learned=[]),
    "deep": parameter("loss", json.loads("[" * 900 + "]" * 900)),
    "offsets": lambda header, metadata, settings: header["task_.classes"].update(
        data_offsets=[0, 2**40]
    ),
    "shape": lambda header, metadata, settings: header["task_.classes"].update(shape=[2**40]),
    "metadata": lambda header, metadata, settings: metadata.update(format_version="9" * 5000),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_file_runs_nothing(content, tmp_path, watched, change):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    load(path)
    path.write_bytes(resealed(content, change))
    watched.clear()
    refusal(path)
    assert watched == []


def test_a_refusal_does_not_repeat_the_file(content, tmp_path):
    path = tmp_path / "model.safetensors"

    def misplaced(header, metadata, settings):
        header["task_.classes"] = "long " * 1000

    path.write_bytes(resealed(content, misplaced))
    assert len(refusal(path)) < 1000
