"""Random constraints for a table of a few columns."""

from hypothesis import strategies as st


@st.composite
def constraint_arguments(draw, n):
    """Return arguments of an estimator, feasible or not, for n columns."""
    columns = st.lists(st.integers(0, n - 1), max_size=min(3, n), unique=True)
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=min(3, n), unique=True)
    arguments = {"include": draw(columns) or None, "exclude": draw(columns) or None}
    if draw(st.booleans()):
        arguments["feature_groups"] = draw(
            st.lists(st.integers(0, n), min_size=n, max_size=n).map(
                lambda labels: [None if label == n else label for label in labels]
            )
        )
    if draw(st.booleans()):
        arguments["at_most"] = draw(st.lists(st.tuples(st.integers(1, 3), some), max_size=2))
    if draw(st.booleans()):
        arguments["feature_costs"] = draw(
            st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.3]), min_size=n, max_size=n)
        )
        arguments["budget"] = draw(st.sampled_from([None, 0.0, 1.0, 2.5, 6.0, 100.0]))
    return arguments
