"""What follows a selection: decoders, refitting, calibration, importance."""
