"""
A questionnaire: which 15 of 60 questions are enough?
=====================================================

A form with 60 questions measures five traits, 12 questions each. Few people finish it. Which
questions should a short form keep so that the answers to all others can be predicted, with no trait
asked more than four times?

The answers are simulated: five traits, questions that measure them more or less well, and answers
from 1 to 5.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ipcae import ReconstructionSelector

random = np.random.default_rng(0)
traits = ["openness", "diligence", "sociability", "kindness", "worry"]
people = random.multivariate_normal(np.zeros(5), 0.8 * np.eye(5) + 0.2, size=1500)
quality = random.uniform(0.2, 1.2, size=60)  # how well a question measures its trait
opinion = np.repeat(people, 12, axis=1) * quality + random.normal(size=(1500, 60))
questions = [f"{trait} {number}" for trait in traits for number in range(1, 13)]
answers = pd.DataFrame(np.clip(np.round(3 + opinion), 1, 5), columns=questions)
train, test = train_test_split(answers, random_state=0)

# %%
# ``at_most`` limits how many questions of a trait are selected.

limits = [(4, questions[12 * trait : 12 * trait + 12]) for trait in range(5)]
selector = ReconstructionSelector(15, at_most=limits, max_epochs=60, random_state=0).fit(train)
short_form = list(selector.get_feature_names_out())
print(pd.Series(short_form).str.split().str[0].value_counts())
selector

# %%
# The traits are the means of their twelve answers. The short form asks three or four questions and
# predicts the other answers, so that the same means can be taken.

predicted = pd.DataFrame(selector.reconstruct(test[short_form]), columns=questions)
first = [question for question in questions if int(question.split()[1]) <= 3]


def scores(table):
    return pd.DataFrame({trait: table.filter(regex=f"^{trait} ").mean(axis=1) for trait in traits})


truth = scores(test).to_numpy()
ways = {
    "the first 3 questions of each trait": scores(test[first]).to_numpy(),
    "15 selected questions": scores(predicted).to_numpy(),
}
agreement = {
    name: [np.corrcoef(truth[:, i], values[:, i])[0, 1] for i in range(5)]
    for name, values in ways.items()
}
print(pd.DataFrame(agreement, index=traits).round(2))

# %%

chosen = np.isin(questions, short_form)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
colors = np.where(chosen, "C0", "0.85")
left.bar(range(60), quality, color=colors, width=0.9)
left.set(xlabel="question", ylabel="how well it measures its trait", title="Selected questions")
left.set_xticks(np.arange(5) * 12 + 5.5, traits)
for (name, values), color in zip(agreement.items(), ("0.6", "C0"), strict=True):
    right.plot(values, range(5), "o", color=color, markersize=9, label=name)
right.set_yticks(range(5), traits)
right.set(xlim=(0.6, 1), xlabel="correlation with the score of the full form")
figure.legend(loc="outside upper right", ncols=2, frameon=False)
plt.show()
