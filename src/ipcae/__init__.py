"""Pick the K features that matter: concrete autoencoders with indirect parametrization."""

__version__ = "0.1.0"
