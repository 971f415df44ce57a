"""What follows a selection: decoders, refitting, calibration, importance.

In reading order: ``choice`` is the result of a fit, and how decoders are fine-tuned and measured.
``decoding`` trains new decoders on fixed selections; ``solving`` computes linear ones, and
``adapting`` chooses another kind for small tables. ``refitting`` trains decoders once more on all
rows, ``calibration`` scales their probabilities, and ``importance`` permutes columns.
``joining`` joins the choices of parts of the runs, and ``spread_runs`` those of several processes.
"""
