"""Work aside: at once on the CPU, before the end of the step on a GPU."""

import torch

from ipcae.ops.tape import Tape, current_tape, taped


def test_there_is_a_tape_inside_its_block_alone():
    assert current_tape() is None
    with taped() as outer:
        with taped() as inner:
            assert current_tape() is inner
        assert current_tape() is outer
    assert current_tape() is None


def test_work_aside_is_done_at_once_on_the_cpu():
    tape, done = Tape(), []
    weight = torch.ones(3, requires_grad=True)
    tape.note_use(weight)
    assert tape.aside(weight, lambda: done.append("work") or 7) == 7
    assert done == ["work"]
    tape.wait()


def test_what_was_done_aside_is_there_after_waiting(device):
    weight = torch.ones(2000, 2000, device=device, requires_grad=True)
    tape = Tape()
    tape.note_use(weight)
    factor = torch.eye(2000, device=device)
    product = tape.aside(weight, lambda: factor @ weight.detach() @ factor, factor)
    tape.wait()
    assert product.sum().item() == 2000**2
