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
print(", ".join(selector.get_feature_names_out()))
print(f"concordance on new patients: {selector.score(X_test, y_test):.2f}")
selector

# %%
# Half of the new patients have a predicted risk above the median. Did they relapse earlier?

risk = selector.predict(X_test)
high = risk > np.median(risk)

figure, axis = plt.subplots(figsize=(6.5, 4), layout="constrained")
for name, group, color in [("low risk", ~high, "C0"), ("high risk", high, "C3")]:
    time, survival = kaplan_meier_estimator(y_test["e.tdm"][group], y_test["t.tdm"][group])
    axis.step(time / 365.25, survival, where="post", color=color, label=name)
axis.set(ylim=(0, 1), xlabel="years", ylabel="free of metastases")
axis.legend(frameon=False)
axis.set_title("New patients, by the risk predicted from ten measurements")
plt.show()
