"""Random bits from the kernel: the generator bit by bit, and their distribution."""

import numpy as np
import pytest
import torch
from scipy import stats

from ipcae.ops.dispatch import kernels_everywhere
from ipcae.runs import INITIAL, ROW_ORDER, DeviceStep, Stream
from ipcae.runs.bits_triton import fill_bits

pytestmark = pytest.mark.usefixtures("kernels")

MASK = 2**32 - 1


def philox(counter, key, rounds=7):
    """Compute Philox4x32 with Python's own integers."""
    (a, b, c, d), (k0, k1) = counter, key
    for _ in range(rounds):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (right >> 32) ^ b ^ k0, right & MASK, (left >> 32) ^ d ^ k1, left & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return [a, b, c, d]


def words_of(stream, size):
    """Return the kernel's words as unsigned numbers. Shape: -> (R, size)."""
    out = torch.empty(len(stream.seeds), size, dtype=torch.int32, device=stream.device)
    fill_bits(out, stream.next_counter())
    return out.cpu().numpy().view(np.uint32)


def test_the_generator_here_gives_the_published_numbers():
    # Salmon et al., Random123, known answers of philox4x32 with 7 rounds.
    expected = [0x5F6FB709, 0x0D893F64, 0x4F121F81, 0x4F730A48]
    assert philox([0] * 4, [0] * 2) == expected


@pytest.mark.parametrize("seed", [0, 7, 2**32 + 5, 2**64 - 1])
@pytest.mark.parametrize("step", [0, 11_200, 2**31 + 3])
def test_every_word_is_the_generators(seed, step, device):
    stream = Stream([3, seed], step, device)
    stream.next_counter()  # the second draw of the step
    words = words_of(stream, 21)[1]
    key = seed & MASK, seed >> 32
    expected = [word for quad in range(6) for word in philox([quad, 0, 1, step], key)]
    assert words.tolist() == expected[:21]


def test_purposes_draws_and_the_initial_step_are_kept_apart(device):
    stream = Stream([5], 0, device)
    found = [
        words_of(stream, 4),
        words_of(stream, 4),
        words_of(Stream([5], 1, device), 4),
        words_of(Stream([5], INITIAL, device), 4),
        words_of(Stream([5], 0, device, purpose=ROW_ORDER), 4),
    ]
    assert len({tuple(words[0]) for words in found}) == len(found)


def test_a_step_on_the_device_draws_the_same_bits(device):
    base = torch.tensor(40, device=device)
    on_device = Stream([1, 2], DeviceStep(base, 2), device).bits(3, 5)
    expected = words_of(Stream([1, 2], 42, device), 15)
    assert on_device.shape == (2, 3, 5)
    np.testing.assert_array_equal(on_device.cpu().numpy().view(np.uint32).reshape(2, 15), expected)


def test_no_numbers_are_no_work(device):
    assert words_of(Stream([1, 2], 0, device), 0).shape == (2, 0)


def test_numbers_of_the_host_cannot_follow_the_device(device):
    stream = Stream([1], DeviceStep(torch.tensor(0, device=device)), device)
    with pytest.raises(RuntimeError, match="drawn on the host"):
        stream.normal(3)


def test_dropout_keeps_the_given_part(device):
    stream = Stream([1, 2], DeviceStep(torch.tensor(0, device=device)), device)
    kept = stream.keep(0.7, 50, 100).double().mean((1, 2)).cpu()
    assert ((kept - 0.7).abs() < 5 * (0.21 / 5000) ** 0.5).all()


@pytest.fixture(scope="module")
def sample(device):
    """Return 2 · 10⁵ words of two runs and two steps."""
    with kernels_everywhere():
        steps = [words_of(Stream([1, 2], step, device), 50_000) for step in range(2)]
    return np.concatenate(steps)


@pytest.mark.parametrize("byte", range(4))
def test_all_values_of_a_byte_are_equally_frequent(sample, byte):
    values = sample.view(np.uint8).reshape(-1, 4)[:, byte]
    assert stats.chisquare(np.bincount(values, minlength=256)).pvalue > 1e-4


def test_words_of_runs_steps_and_neighbors_are_uncorrelated(sample):
    numbers = sample.astype(np.float64)
    pairs = [(numbers[i], numbers[j]) for i in range(4) for j in range(i)]
    pairs += [(row[:-lag], row[lag:]) for row in numbers for lag in (1, 2, 3, 4)]
    for one, other in pairs:
        assert abs(np.corrcoef(one, other)[0, 1]) < 5 / len(one) ** 0.5
