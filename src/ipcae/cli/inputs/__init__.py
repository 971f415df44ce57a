"""Reading the table of a command: columns, target, groups, weights, and warnings.

In reading order: ``input_table`` reads everything that a command needs. ``table_file`` reads a
file, ``h5ad_table`` and ``sparse_cells`` an AnnData file, and ``streamed_table`` a table that does
not fit into memory, for which some options are refused.

``finding_columns`` finds the columns that options name, and ``column_roles`` which of them are not
features; ``columns`` and ``described_columns`` tell what the others contain. ``detection`` finds
the task, with ``target_column`` and ``survival_target`` for the target. ``missing_rows``,
``row_groups`` and ``row_weights`` are about the rows.
"""
