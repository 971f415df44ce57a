"""What follows a selection: decoders, refitting, calibration, importance.

In reading order: ``choice`` is the result of a fit, and how decoders are fine-tuned and measured.
``decoding`` trains new decoders on fixed selections; ``solving`` computes linear ones,
``adapting`` chooses another kind where it predicts better, and ``pieces`` has the piecewise linear
functions that some of them read. ``refitting`` trains decoders once more on all
rows, ``calibration`` scales their probabilities, and ``importance`` permutes columns.
``joining`` joins the choices of parts of the runs, and ``spread_runs`` those of several processes.
"""
