"""Gene panels from an AnnData."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from ipcae import ClassificationSelector, Concrete, Gjsd, InputError, TrainingWarning
from ipcae.sc import expression_costs, select
from ipcae.sc.batches import hold_out

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anndata = pytest.importorskip("anndata")

# anndata 0.12 reads an option that pandas 3 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")

EVERY_KIND = {"ip-cae": 0.5, "subset": 0.5, "stg": 0, "lassonet": 0, "anova": 0, "shortlist": 0}
EVERY_KIND[None] = 0.5  # with the weight of the reconstruction
FAST = {"max_epochs": 40, "decoder": (32,), "random_state": 0}
N_CELLS, N_GENES = 240, 12


@pytest.fixture
def adata():
    """Return cells of three types, marked by genes 0 to 2; genes 6 to 11 follow one program."""
    random = np.random.default_rng(0)
    types = np.arange(N_CELLS) % 3
    X = random.exponential(0.3, size=(N_CELLS, N_GENES)) * (random.random((N_CELLS, N_GENES)) < 0.4)
    X[np.arange(N_CELLS), types] += 2
    X[:, 6:] += random.exponential(1.5, size=(N_CELLS, 1))
    return anndata.AnnData(
        sparse.csr_matrix(X.astype(np.float32)),
        obs=pd.DataFrame(
            {
                "cell_type": pd.Categorical(np.array(["B", "NK", "T"])[types]),
                "donor": [f"donor {i}" for i in np.arange(N_CELLS) // 60],
                "age": random.normal(size=N_CELLS),
            },
            index=[f"cell{i}" for i in range(N_CELLS)],
        ),
        var=pd.DataFrame(index=[f"GENE{i}" for i in range(N_GENES)]),
    )


def test_the_panel_is_written_into_the_adata(adata, tmp_path):
    selector = select(adata, 4, target="cell_type", n_runs=2, method="ip-cae", **FAST)
    assert type(selector).__name__ == "PanelSelector"
    var, uns = adata.var, adata.uns["ipcae"]
    assert var["ipcae_selected"].sum() == 4
    assert var["ipcae_selected"].to_numpy().tolist() == selector.get_support().tolist()
    assert sorted(var["ipcae_rank"]) == list(range(1, N_GENES + 1))
    assert var.loc[var["ipcae_selected"], "ipcae_rank"].max() == 4
    assert (var.loc[~var["ipcae_selected"], "ipcae_score"] == 0).all()
    assert var["ipcae_other_seeds"].between(0, 1).all()
    assert uns["metrics"]["accuracy"] > 0.9
    assert set(uns["genes"]) == set(selector.get_feature_names_out())
    assert list(uns["genes"]) == list(var[var["ipcae_selected"]].sort_values("ipcae_rank").index)
    assert uns["settings"]["target"] == "cell_type"
    anndata.settings.allow_write_nullable_strings = True
    adata.write_h5ad(tmp_path / "panel.h5ad")
    again = anndata.read_h5ad(tmp_path / "panel.h5ad")
    assert again.uns["ipcae"]["metrics"]["accuracy"] == uns["metrics"]["accuracy"]
    assert again.var["ipcae_selected"].sum() == 4


def test_the_expression_stays_as_it_is(adata):
    before = adata.X.copy()
    select(adata, 2, **{**FAST, "max_epochs": 2})
    assert sparse.issparse(adata.X)
    assert (before != adata.X).nnz == 0


def test_the_target_decides_the_selector(adata):
    hasty = {**FAST, "max_epochs": 2}
    assert type(select(adata, 2, **hasty)).__name__ == "ReconstructionSelector"
    assert type(select(adata, 2, target="age", **hasty)).__name__ == "RegressionSelector"
    adata.obs["years"] = (50 + 10 * adata.obs["age"]).astype(int)
    assert type(select(adata, 2, target="years", **hasty)).__name__ == "RegressionSelector"
    adata.obs["cluster"] = np.arange(N_CELLS) % 3
    assert type(select(adata, 2, target="cluster", **hasty)).__name__ == "PanelSelector"
    only = select(adata, 2, target="cell_type", reconstruction_weight=0, **hasty)
    assert type(only).__name__ == "ClassificationSelector"


def test_genes_are_forced_and_forbidden_by_name(adata):
    selector = select(
        adata,
        4,
        target="cell_type",
        include=["GENE5"],
        exclude=["GENE0", "GENE10", "GENE11"],
        **FAST,
    )
    chosen = set(selector.get_feature_names_out())
    assert "GENE5" in chosen
    assert not chosen & {"GENE0", "GENE10", "GENE11"}


def test_judging_the_batches_does_not_repeat_warnings(adata):
    X = adata.X.toarray()
    X[60:, 3] = X[:60, 4] = X[120:, 4] = 0  # measured in the cells of one donor only
    adata.X = X
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", TrainingWarning)
        select(adata, 4, target="cell_type", batch_key="donor", **{**FAST, "max_epochs": 2})
    assert sum("constant in the training rows" in str(each.message) for each in found) <= 1


def test_a_panel_is_judged_in_every_batch(adata):
    select(adata, 4, target="cell_type", batch_key="donor", **FAST)
    scores = adata.uns["ipcae"]["score_by_batch"]
    assert list(scores) == ["donor 0", "donor 1", "donor 2", "donor 3"]
    assert min(scores.values()) > 0.85


def test_whole_batches_are_held_out_if_the_others_have_all_classes():
    batches = np.repeat(["a", "b", "c", "d"], 10)
    train, held = hold_out(None, batches, 0.2, seed=0)
    assert len(set(batches[held])) == 1
    assert not set(batches[train]) & set(batches[held])
    y = np.where(batches == "a", "only here", np.tile(["x", "y"], 20))
    for seed in range(5):
        train, held = hold_out(y, batches, 0.2, seed)
        assert "a" not in batches[held]
    train, held = hold_out(np.tile(["x", "y"], 20), np.repeat(["a", "b"], 20), 0.2, seed=0)
    assert len(set(batches[held])) > 1


def test_raw_counts_are_noticed(adata):
    adata.layers["counts"] = sparse.csr_matrix(np.random.default_rng(0).poisson(9, adata.shape))
    with pytest.warns(TrainingWarning, match=r"layer 'counts' looks like raw counts \(integers up"):
        select(adata, 2, layer="counts", **{**FAST, "max_epochs": 2})


def test_counts_are_expected_by_their_losses(adata):
    adata.layers["counts"] = np.random.default_rng(0).poisson(9, adata.shape)
    # A warning would be an error.
    chosen = select(adata, 2, layer="counts", loss="poisson", method="pfa", max_epochs=2)
    assert chosen.get_support().sum() == 2


def test_genes_that_cannot_be_measured_are_avoided(adata):
    X = adata.X.toarray()
    X[:, 3] = 0.02 * X[:, 0]  # as good as gene 0, but hardly expressed
    X[:, 4] = 40 * X[:, 1]  # as good as gene 1, but far too bright
    adata.X = X
    costs = expression_costs(X, (0.5, 10.0))
    assert costs[3] > 0.8
    assert costs[4] > 0.8
    assert costs[[0, 1, 2]].max() == 0
    for method, weight in EVERY_KIND.items():
        limited = select(
            adata,
            3,
            target="cell_type",
            reconstruction_weight=weight,
            method=method,
            expression_limits=(0.5, 10.0),
            exclude=["GENE11"],
            **{**FAST, "max_epochs": 20},
        )
        assert not limited.get_support()[[3, 4, 11]].any(), method


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"target": "celltype"}, "has no column 'celltype'"),
        ({"layer": "counts"}, "no layer 'counts': its layers are none"),
        ({"batch_key": "site"}, "has no column 'site'"),
        ({"expression_limits": (5, 1)}, "are not in order"),
        ({"expression_limits": 3}, "expected a lower and an upper limit"),
        ({"expression_limits": (1, 5), "method": "auto"}, "without expression_limits: name one"),
        (
            {"expression_limits": (1, 5), "method": Concrete(regularizer=Gjsd())},
            r"regularizer already \(Gjsd\(weight=0.005\)\)",
        ),
        ({"max_epoch": 3}, "nor has ReconstructionSelector: did you mean 'max_epochs'"),
        ({"target": "cell_type", "batchkey": "donor"}, "did you mean 'batch_key'"),
        ({"n_features_to_select": 3}, "'n_features_to_select', nor has"),
        ({"zzz": 3}, "expected one of adata, n_genes, target"),
        ({"validation_fraction": 1.5}, "expected a fraction between 0 and 1"),
        ({"n_subsamples": 3}, "expected an even number"),
        ({"target": "cell_type", "loss": "poisson"}, "leave out the target"),
        ({"loss": "poisson"}, "which is not a count"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_missing_columns_and_layers_raise_an_error(adata, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        select(adata, 2, **arguments, **FAST)


def test_something_else_than_an_adata_is_refused():
    with pytest.raises(InputError, match="expected an AnnData"):
        select(np.zeros((3, 3)), 2)
    cells = anndata.AnnData(np.ones((4, 2), dtype=np.float32))
    cells.obs["cell_type"] = [None, "a", "b", "a"]
    with pytest.raises(InputError, match="is missing for 1 cell: fill it in"):
        select(cells, 1, target="cell_type")
    with pytest.raises(InputError, match="n_genes=3 is not possible: adata has 2 genes"):
        select(cells, 3)
    with pytest.raises(InputError, match="adata has no cells"):
        select(cells[:0], 1)
    cells.var_names = ["ACTB", "ACTB"]
    with pytest.raises(InputError, match=r"\(ACTB\): call adata.var_names_make_unique"):
        select(cells, 1)


def test_the_stability_is_how_often_halves_of_the_cells_select_a_gene(adata):
    select(adata, 3, target="cell_type", n_subsamples=4, max_epochs=2, random_state=0)
    stability = adata.var["ipcae_stability"]
    assert stability.sum() == pytest.approx(3)
    assert set(stability * 4) <= set(range(5))
    assert (stability[["GENE0", "GENE1", "GENE2"]] > 0).sum() >= 2
    assert "ipcae_other_seeds" not in adata.var


def test_a_selector_of_tables_says_what_to_do_with_an_anndata(adata):
    types = adata.obs["cell_type"].to_numpy()
    with pytest.raises(InputError, match=r"X is an AnnData: use ipcae\.sc\.select\(adata"):
        ClassificationSelector(2, max_epochs=1).fit(adata, types)
    fitted = ClassificationSelector(2, method="anova", max_epochs=1).fit(adata.X, types)
    with pytest.raises(InputError, match="X is an AnnData"):
        fitted.predict(adata)
