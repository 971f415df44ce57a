"""Damage to the bytes of a file."""

from __future__ import annotations

from tests.fuzz.dice import Dice


def damaged(dice: Dice, content: bytes) -> bytes:
    """Return the content with some bytes changed, lost, added or moved; never the same."""
    changed = dice.choice(_WAYS)(dice, content)
    return changed if changed != content else content[:-1]


def _truncated(dice: Dice, content: bytes) -> bytes:
    return content[: dice.randrange(len(content))]


def _flipped(dice: Dice, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(dice.choice((1, 1, 1, 2, 8, 64))):
        changed[_position(dice, content)] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _overwritten(dice: Dice, content: bytes) -> bytes:
    start = _position(dice, content)
    size = min(dice.choice((1, 8, 512)), len(content) - start)
    noise = dice.choice([b"\0" * size, b"\xff" * size, dice.randbytes(size)])
    return content[:start] + noise + content[start + size :]


def _shifted(dice: Dice, content: bytes) -> bytes:
    start, size = _position(dice, content), dice.choice((1, 8, 100))
    if dice.chance(0.5):
        return content[:start] + content[start + size :]
    return content[:start] + dice.randbytes(size) + content[start:]


def _other(dice: Dice, content: bytes) -> bytes:
    return dice.choice([b"", b"x", b"{}" * 20, content * 2, content[::-1], b"\0" * len(content)])


def _position(dice: Dice, content: bytes) -> int:
    # Headers matter more than what follows.
    return dice.randrange(min(len(content), dice.choice((16, 512, len(content)))))


_WAYS = [_truncated, _flipped, _flipped, _overwritten, _shifted, _other]
