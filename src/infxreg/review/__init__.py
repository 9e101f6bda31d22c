"""What a change touches, and whether what is claimed of it is true: snapshots to verdicts."""
