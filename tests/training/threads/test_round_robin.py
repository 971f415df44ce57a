"""Trainings in more threads than may work at a time take turns."""

import time
from concurrent.futures import ThreadPoolExecutor

from ipcae.training.threads.round_robin import round_robin


def test_two_of_five_threads_work_at_a_time():
    steps, working, seen = [0] * 5, set(), []

    def work(number):
        with turns.turn():
            for _ in range(20):
                working.add(number)
                time.sleep(1e-3)
                steps[number] += 1
                seen.append(len(working))
                working.remove(number)
                turns.pause()

    with round_robin(5, n_at_a_time=2) as turns, ThreadPoolExecutor(5) as pool:
        list(pool.map(work, range(5)))
    assert steps == [20] * 5
    assert max(seen) == 2


def test_the_thread_with_the_fewest_steps_is_the_next():
    order, n_steps = [], {0: 6, 1: 3, 2: 3}

    def work(number):
        with turns.turn():
            for _ in range(n_steps[number]):
                order.append(number)
                turns.pause()

    with round_robin(3, n_at_a_time=1) as turns, ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    first = order[:9]
    assert [sorted(first[i : i + 3]) for i in (0, 3, 6)] == [[0, 1, 2]] * 3
    assert order[9:] == [0, 0, 0]
