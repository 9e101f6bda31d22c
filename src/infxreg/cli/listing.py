"""``infxreg list`` and ``infxreg show``: the records of a registry."""

from __future__ import annotations

from typing import Any

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import State, state_of
from infxreg.cli.text import say_faults, table

_COLUMNS: dict[str, tuple[str, ...]] = {
    "sku": ("id", "name", "vendor", "arch", "memory_gib", "gpus_per_node", "cpu_arch"),
    "model": ("id", "hub_id", "family", "precision", "weights_gib", "context_len"),
    "image": ("id", "engine", "release", "date", "accelerator", "platforms", "digest"),
    "engine": ("id", "argv", "release_images"),
    "option": ("id", "type", "unit", "engines", "doc"),
    "gate": ("id", "when", "rules", "doc"),
    "recipe": ("id", "model", "sku", "engine", "workload", "points", "default_point", "default"),
    "plugin": ("id", "distribution", "version", "state", "records"),
    "axis": ("id", "type", "default", "facet_of", "values", "doc"),
    "capability": ("id", "engine", "since", "removed_in", "doc"),
    "arch": ("id", "vendor", "platform", "source"),
    "derivation": ("id", "function", "doc"),
    "rule": ("id", "when", "gates", "set", "source"),
    "evidence": ("id", "shows", "run", "date", "points", "metrics", "source"),
    "expect": ("id", "when", "is", "absent", "like", "but", "source"),
    "policy": ("id", "number", "severity", "asks", "source"),
    "waiver": ("id", "policy", "when", "what", "expires"),
    "importer": ("id", "doc", "source"),
    "exporter": ("id", "media_type", "format", "doc", "source"),
}
"""The facts that a list shows, by kind."""

_COUNTED = {("recipe", "points"), ("gate", "rules"), ("rule", "set")}
"""Long lists and tables of which a list shows the length."""

_PLURALS = {
    "axis": "axes",
    "capability": "capabilities",
    "evidence": "evidence",
    "policy": "policies",
}
_KINDS = {kind: _PLURALS.get(kind, f"{kind}s") for kind in _COLUMNS}


@click.command(
    "list",
    short_help="The records of a kind, with the facts that matter.",
    epilog=f"\b\nExample:\n  infxreg list skus\n\n{EXIT_CODES}",
)
@click.argument("kind", shell_complete=lambda _c, _p, begun: _begun(begun))
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with every field.")
@click.pass_context
def list_command(ctx: click.Context, kind: str, as_json: bool) -> None:
    """List all records of KIND.

    KIND is one of skus, models, images, engines, options, gates, recipes, plugins, axes,
    capabilities, archs, derivations, rules, evidence, expects, policies, waivers, importers,
    exporters. Where a plugin or a file has faults, what is left is listed, and the faults are
    told on standard error.
    """
    name = _kind(kind)
    state = state_of(ctx)
    found = _facts(name, state)
    with state.phase("write"):
        if as_json:
            _json(list(found.values()))
        else:
            columns = _COLUMNS[name]
            rows = [[_cell(name, c, facts.get(c)) for c in columns] for facts in found.values()]
            click.echo(table(columns, rows))
    say_faults(state.registry.faults)


@click.command(
    "show",
    short_help="All fields of one record.",
    epilog=f"\b\nExample:\n  infxreg show sku b200\n\n{EXIT_CODES}",
)
@click.argument("kind", shell_complete=lambda _c, _p, begun: _begun(begun))
@click.argument("id", shell_complete=lambda ctx, param, begun: _ids(ctx, param, begun))
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def show_command(ctx: click.Context, kind: str, id: str, as_json: bool) -> None:
    """Show all fields of the record ID of KIND, and where it is from, as TOML.

    KIND is one of those that list takes; a rule or an expect is named PLUGIN:ID.
    """
    name = _kind(kind)
    state = state_of(ctx)
    found = _facts(name, state)
    if id not in found:
        from infxreg.errors import UnknownIdError

        say_faults(state.registry.faults)
        raise UnknownIdError(name, id, tuple(found))
    if as_json:
        _json(found[id])
    else:
        import tomli_w

        click.echo(tomli_w.dumps(_brief(found[id])), nl=False)
    say_faults(state.registry.faults)


def _kind(given: str) -> str:
    for kind, plural in _KINDS.items():
        if given in (kind, plural):
            return kind
    from infxreg.errors import UnknownIdError

    raise UnknownIdError("kind", given, tuple(_KINDS.values()))


def _facts(kind: str, state: State) -> dict[str, dict[str, Any]]:
    from infxreg.cli import facts

    return facts.of_kind(kind, state)


def _cell(kind: str, column: str, value: Any) -> str:
    if (kind, column) in _COUNTED:
        return str(len(value))
    if column == "when":
        scopes = value if isinstance(value, list) else [value]
        return "; ".join(_scope(scope) for scope in scopes)
    if column == "digest":
        return "yes" if value else "-"
    if isinstance(value, bool):
        return "yes" if value else "-"
    if isinstance(value, dict):
        written = {k: str(v).lower() if isinstance(v, bool) else v for k, v in value.items()}
        return " ".join(f"{name}={inner}" for name, inner in written.items()) or "-"
    if isinstance(value, list):
        return (" " if column == "argv" else ", ").join(str(item) for item in value) or "-"
    return "-" if value in (None, "") else str(value)


def _scope(scope: dict[str, Any]) -> str:
    words: list[str] = []
    for axis, constraint in scope.items():
        if isinstance(constraint, dict):
            constraint = f"{constraint.get('min', '')}..{constraint.get('max', '')}"
        elif isinstance(constraint, list):
            constraint = "|".join(str(value) for value in constraint)
        words.append(f"{axis}={constraint}")
    return " ".join(words) or "everything"


def _brief(facts: dict[str, Any]) -> dict[str, Any]:
    """Without empty lists and tables, which only a program needs to see."""
    return {name: fact for name, fact in facts.items() if fact not in ([], {})}


def _json(data: object) -> None:
    import json

    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def _begun(begun: str) -> list[str]:
    return [plural for plural in _KINDS.values() if plural.startswith(begun)]


def _ids(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    from infxreg.errors import InfxregError

    try:
        kind = _kind(str(ctx.params.get("kind")))
        return [name for name in _facts(kind, state_of(ctx)) if name.startswith(begun)]
    except InfxregError:
        return []
