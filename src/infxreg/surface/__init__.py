"""The command-line surface of an engine version: what it accepts, read without running it.

`model` holds the records, `source` reads Python trees, engine plugins extract
a `Surface` from one, `fold` packs many versions into one document, and `store`
finds the surface of a version or of an image.
"""
