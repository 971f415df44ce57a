"""The one exception this package raises for input a person can mend."""


class InputError(ValueError):
    """Bad input: what was wrong, what was expected and how to mend it, in one sentence."""


class TrainingWarning(UserWarning):
    """Training ended in a way that a person should know of, but gave an answer."""
