"""The steps of an epoch, and the ways to run them.

In reading order: ``step`` has the losses and the gradients of a step, ``mixing`` the mixup of rows,
and ``validation`` the metrics of an epoch. ``plain`` runs them in eager mode, ``traced`` with one
traced step on a CPU, ``captured`` from CUDA graphs (``cuda_graphs``) with batches that ``staging``
prepares on a GPU, and ``spread_rows`` in several processes.
"""
