"""Reading the table of a command: columns, target, groups, weights, and warnings."""
