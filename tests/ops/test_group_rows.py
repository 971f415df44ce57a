"""How the rows of a batch share the draws of noise."""

import pytest

from ipcae.ops import group_rows

CASES = [(rows, draws) for rows in (1, 2, 3, 7, 10, 16, 128, 129) for draws in (1, 2, 4, 7, 8, 200)]


@pytest.mark.parametrize(("n_rows", "draws"), CASES)
def test_groups_cover_all_rows_and_none_is_empty(n_rows, draws):
    n_groups, size = group_rows(n_rows, draws)
    assert (n_groups - 1) * size < n_rows <= n_groups * size


@pytest.mark.parametrize(("n_rows", "draws"), CASES)
def test_there_are_at_most_the_requested_draws(n_rows, draws):
    n_groups, size = group_rows(n_rows, draws)
    assert n_groups <= draws
    # A smaller group would need more draws than requested.
    assert size == 1 or -(-n_rows // (size - 1)) > draws


@pytest.mark.parametrize(("n_rows", "draws"), CASES)
def test_grouping_by_the_number_it_returned_changes_nothing(n_rows, draws):
    grouped = group_rows(n_rows, draws)
    assert group_rows(n_rows, grouped[0]) == grouped


@pytest.mark.parametrize("n_rows", [1, 5, 128])
def test_a_draw_per_row_is_as_many_draws_as_rows(n_rows):
    assert group_rows(n_rows, "row") == group_rows(n_rows, n_rows) == (n_rows, 1)
