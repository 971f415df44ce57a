"""What a selection prints and writes: summary, verdict, files and report."""
