"""scikit-learn's own checks of our estimators, each exemption with its reason."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector

MINIBATCHES = (
    "training is stochastic: a row of weight two is not the row twice, since the rows are split, "
    "batched and shuffled by their number"
)
EXEMPT = {
    "check_sample_weight_equivalence_on_dense_data": MINIBATCHES,
    "check_sample_weight_equivalence_on_sparse_data": MINIBATCHES,
}


# A score that some checks ask for is reached in few steps.
QUICK = {
    "method": "ip-cae",
    "decoder": (32,),
    "batch_size": 64,
    "max_epochs": 30,
    "learning_rate": 2e-2,
    "random_state": 0,
}


@parametrize_with_checks(
    [
        # All features, since some checks ask for a score that half of two features cannot give.
        ClassificationSelector(1.0, **QUICK),
        RegressionSelector(1.0, **QUICK),
        ReconstructionSelector(**QUICK | {"max_epochs": 4}),
    ],
    expected_failed_checks=lambda estimator: EXEMPT,
)
@pytest.mark.filterwarnings("ignore::ipcae.TrainingWarning")
def test_estimators_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
