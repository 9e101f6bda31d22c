"""InferenceX's own files as launches: what ``infxreg --from inferencex:FOLDER`` reads."""
