"""Reading ahead in a thread."""

import threading

import pytest

from ipcae.sources.ahead import read_ahead


def test_results_are_read_in_another_thread_before_they_are_asked_for():
    read, threads, both = [], set(), threading.Event()

    def reading(n):
        read.append(n)
        threads.add(threading.get_ident())
        if len(read) == 2:
            both.set()
        return n

    results = read_ahead((lambda n=n: reading(n) for n in range(5)), depth=1)
    assert next(results) == 0
    assert both.wait(timeout=10)  # the second is read while the first is used
    assert list(results) == [1, 2, 3, 4]
    assert threads != {threading.get_ident()}


def test_an_error_is_raised_where_its_result_would_be():
    def fail():
        raise OSError("the disk is gone")

    results = read_ahead([lambda: 1, fail], depth=2)
    assert next(results) == 1
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)


def test_a_reader_that_is_closed_early_ends_its_thread():
    before = threading.active_count()
    results = read_ahead((lambda n=n: n for n in range(1000)), depth=3)
    next(results)
    results.close()
    assert threading.active_count() == before
