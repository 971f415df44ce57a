"""Damaged and forged model files: rejected, or as good as any other."""

from __future__ import annotations

import hashlib
import json
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from ipcae import (
    ClassificationSelector,
    ReconstructionSelector,
    RegressionSelector,
    load,
)
from ipcae.files import to_bytes
from tests.fuzz.damage import damaged
from tests.fuzz.dice import Dice
from tests.fuzz.fits import check_predictions
from tests.fuzz.outcome import check

FORGED = 0.4  # of the files have a changed header and a checksum that is right
ODD: list[Any] = [None, True, 0, -1, 7, 10**30, 1.5, float("nan"), "", "x", [], {}, [[]], [1, "a"]]
ODD += [{"kind": "Mlp", "fields": {}}, {"array": "nowhere"}, {"objects": ["a"]}, {"tensor": "x"}]


def damaged_model(seed: int) -> bool:
    """Load a damaged file; one that is accepted must answer as a selector does."""
    dice = Dice("models", seed)
    content = dice.choice(_models())
    forged = dice.chance(FORGED)
    changed = _forged(dice, content) if forged else damaged(dice, content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        path.write_bytes(changed)
        selector = load(path)
    check(forged, "damage is noticed")
    check_predictions(selector, torch.zeros(3, selector.n_features_in_, dtype=torch.float64))
    return True


@lru_cache(maxsize=1)
def _models() -> list[bytes]:
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 5))
    frame = pd.DataFrame(X, columns=["a", "é", "line\nbreak", "=1", "x" * 50])
    quick = {"max_epochs": 1, "decoder": (3,), "random_state": 0}
    return [
        to_bytes(selector)
        for selector in (
            ClassificationSelector(2, **quick).fit(frame, np.where(X[:, 0] > 0, "yes", "no")),
            ClassificationSelector(2, n_runs=2, **quick).fit(X, (X[:, :3] > 0).astype(int)),
            RegressionSelector(2, loss="huber", **quick).fit(frame, X[:, 0]),
            RegressionSelector(2, **quick | {"method": "anova"}).fit(X, X[:, :2]),
            ReconstructionSelector(3, n_runs=2, **quick).fit(frame),
        )
    ]


def _forged(dice: Dice, content: bytes) -> bytes:
    """Change one value of the header, and make the checksum right again."""
    n_header = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + n_header])
    metadata = header["__metadata__"]
    settings = json.loads(metadata["settings"])
    _change_one(dice, dice.choice([settings, settings, settings, header]))
    metadata = header.get("__metadata__")
    if isinstance(metadata, dict):
        metadata |= {"settings": json.dumps(settings), "sha256": "0" * 64}
    text = json.dumps(header, separators=(",", ":")).encode()
    blank = len(text).to_bytes(8, "little") + text + content[8 + n_header :]
    return blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode(), 1)


def _change_one(dice: Dice, tree: Any) -> None:
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            places.append((node, key))
            if isinstance(value, dict | list):
                collect(value)

    collect(tree)
    node, key = dice.choice(places)
    way = dice.randrange(4)
    if way == 0 and isinstance(node, dict):
        del node[key]
    elif way == 1:
        other, name = dice.choice(places)
        node[key] = json.loads(json.dumps(other[name]))
    else:
        node[key] = dice.choice(ODD)
