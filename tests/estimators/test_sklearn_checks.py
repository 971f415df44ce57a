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


@parametrize_with_checks(
    [
        # All features, since some checks ask for a score that half of two features cannot give.
        ClassificationSelector(
            1.0, method="ip-cae", max_epochs=30, learning_rate=5e-3, random_state=0
        ),
        RegressionSelector(1.0, method="ip-cae", max_epochs=30, learning_rate=5e-3, random_state=0),
        ReconstructionSelector(method="ip-cae", max_epochs=10, random_state=0),
    ],
    expected_failed_checks=lambda estimator: EXEMPT,
)
@pytest.mark.filterwarnings("ignore::ipcae.TrainingWarning")
def test_estimators_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
