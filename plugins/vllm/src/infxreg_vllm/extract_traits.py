"""How a vllm version's parser reads an argument list, from the code of its parser class.

The words are those of `infxreg.surface.vllm_dialect.Dialect`.
"""

from __future__ import annotations

import ast

from infxreg.surface.pyread import classes
from infxreg.surface.pyread.machine import Machine
from infxreg.surface.pyread.values import ClassVal, FuncVal, ModuleVal


def traits(machine: Machine) -> tuple[str, ...]:
    """The traits, sorted; those that the code doesn't settle are left out."""
    parse = _parse_args(machine)
    utils = machine.module("vllm.engine.arg_utils")
    found: dict[str, str] = {}
    if parse is not None:
        found |= _parser_traits(parse)
    if isinstance(utils, ModuleVal):
        found |= _utils_traits(utils.module.tree)
    return tuple(sorted(f"{name}={value}" for name, value in found.items()))


def parser_class(machine: Machine) -> ClassVal | None:
    """The class of vllm's parser, which every version's ``arg_utils`` imports."""
    found = machine.find("vllm.engine.arg_utils.FlexibleArgumentParser")
    return found if isinstance(found, ClassVal) else None


def _parse_args(machine: Machine) -> ast.FunctionDef | None:
    cls = parser_class(machine)
    found = classes.own_attribute(machine, cls, "parse_args") if cls is not None else None
    node = found.value.node if found is not None and isinstance(found.value, FuncVal) else None
    return node if isinstance(node, ast.FunctionDef) else None


def _parser_traits(node: ast.FunctionDef) -> dict[str, str]:
    text = ast.unparse(node)
    found: dict[str, str] = {}
    if "recursive_dict_update" not in text:
        found["dotted"] = ""
    elif "human_readable_int(" in text:
        found["dotted"] = "human"
    else:
        found["dotted"] = "json" if "json.loads(" in text else "text"
    return found


def _utils_traits(tree: ast.Module) -> dict[str, str]:
    names = {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    text = ast.unparse(tree)
    return {
        "json-suffixes": "yes" if "_expand_json_human_readable_numbers" in names else "no",
        "none-choice": "yes" if "['choices'].append(None)" in text else "no",
    }
