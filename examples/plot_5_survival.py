"""
Biomarkers with survival times
==============================

The table describes 198 patients with breast cancer: the expression of 76 genes, age, estrogen
receptor, size and grade of the tumor, and the time until a metastasis was found, or until the last
visit if there was none. Which ten measurements predict who relapses early?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sksurv.datasets import load_breast_cancer
from sksurv.nonparametric import kaplan_meier_estimator

from ipcae import SurvivalSelector

X, y = load_breast_cancer()
X = pd.get_dummies(X, drop_first=True).astype(float).drop(columns="grade_unkown")
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y["e.tdm"], random_state=0)

# %%
# The target has a time and an event for every patient, as in scikit-survival. The score is the
# concordance index: how often the patient with the higher predicted risk relapsed first. With so
# few patients, it depends much on the split: over the ten splits of ``benchmarks/survival.py``, it
# is 0.68 ± 0.06 for ten measurements.

selector = SurvivalSelector(10, n_runs=3, max_epochs=60, random_state=0).fit(X_train, y_train)
print(*selector.get_feature_names_out(), sep="\n")
print(f"concordance on new patients: {selector.score(X_test, y_test):.2f}")
selector

# %%
# Half of the new patients have a predicted risk above the median. Did they relapse earlier? The
# bands are 95 % confidence intervals.

risk = selector.predict(X_test)
high = risk > np.median(risk)

figure, (bars, curves) = plt.subplots(
    1, 2, figsize=(10, 4), width_ratios=(2, 3), layout="constrained"
)
importance = pd.Series(
    selector.importance_[selector.best_run_], index=X.columns[selector.selection_.features]
).sort_values()
bars.barh(importance.index, importance, color="0.6")
bars.set(title="Ten measurements", xlabel="rise of the loss if it is shuffled")
for name, group, color in [("low risk", ~high, "C0"), ("high risk", high, "C3")]:
    time, survival, band = kaplan_meier_estimator(
        y_test["e.tdm"][group], y_test["t.tdm"][group], conf_type="log-log"
    )
    years = np.concatenate([[0], time / 365.25])
    survival, band = np.concatenate([[1], survival]), np.hstack([np.ones((2, 1)), band])
    curves.step(years, survival, where="post", color=color, label=f"predicted {name}")
    curves.fill_between(years, *band, step="post", color=color, alpha=0.15, linewidth=0)
curves.set(xlim=(0, 15), ylim=(0, 1), xlabel="years", ylabel="free of metastases")
curves.legend(frameon=False, loc="lower left")
curves.set_title(f"{len(X_test)} new patients")
plt.show()
