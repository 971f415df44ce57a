"""One fit, step by step: settings, table, method, problem, fitted attributes."""
