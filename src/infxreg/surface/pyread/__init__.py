"""Reads Python source as values, without importing or running any of it.

A small abstract interpreter: names, literals, functions and classes of a
source tree are evaluated over a closed set of value kinds, no file, process or
module is ever touched, and what isn't known becomes `values.Unknown` instead of
an error. Steps and sizes are bounded, so hostile source ends in an error.

`project` finds modules, `machine` evaluates, `natives` holds the few functions
of the standard library that it knows, `classes` reads dataclasses and enums.
"""
