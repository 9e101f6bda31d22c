"""``infxreg explain``: where each value of a point is from, and what it beat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.axes import AxisCommand
from infxreg.cli.request import completing, request_options, resolve_request
from infxreg.cli.state import state_of
from infxreg.cli.text import origin_words, paint

if TYPE_CHECKING:
    from infxreg.explain import Explanation, KeyExplanation
    from infxreg.spec import LaunchSpec, ResolvedOption, Shadowed


@click.command(
    "explain",
    cls=AxisCommand,
    short_help="Where each value of a point is from.",
    epilog=(
        "\b\nExample:\n  infxreg explain b200 dsv41flash attention.backend --tp 4\n\n" + EXIT_CODES
    ),
)
@request_options
@click.argument("key", required=False, shell_complete=completing("option"))
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def explain_command(ctx: click.Context, /, key: str | None, as_json: bool, **params: Any) -> None:
    """Explain the values of MODEL on SKU: all of them, or the one of KEY.

    For each: the rule that sets it (plugin, distribution and version, file), the source
    that the rule cites, other rules that agree, the derivation with what it read, and
    what the value beat and why. With KEY (or -v) also the rules that set the key
    elsewhere, and why not here. What the engine in the image says of a value stands there too.
    """
    state = state_of(ctx)
    spec = resolve_request(state, params)
    with state.phase("explain"):
        from infxreg.explain import explain

        found = explain(state.registry, spec, key)
    with state.phase("write"):
        if as_json:
            import json

            click.echo(json.dumps(_data(found), indent=2, ensure_ascii=False))
        else:
            full = key is not None or state.verbose
            lines = [*_head(spec)]
            for item in found.keys:
                lines += ["", *_block(item, full)]
            if not full:
                lines += ["", "name a KEY, or say -v, for the rules that set a key elsewhere"]
            click.echo("\n".join(lines))


def _head(spec: LaunchSpec) -> Iterator[str]:
    point = spec.point
    name = f"point {point.id} of {point.recipe}" if point.id else "off every sweep"
    axes = " ".join(f"{axis}={value}" for axis, value in spec.moved_axes.items())
    yield click.style(f"{spec.sku} {spec.model.id} {spec.engine} {axes}".rstrip(), bold=True)
    yield f"{name}; gates open: {', '.join(spec.gates) or 'none'}"
    for check in spec.checks:
        if check.id == "evidence" and check.answer != "unknown":
            yield check.reason


def _block(item: KeyExplanation, full: bool) -> Iterator[str]:
    from infxreg.values import show

    if item.option is None:
        yield click.style(item.key, bold=True) + ": no rule sets it here"
    else:
        yield click.style(item.key, bold=True) + f" = {show(item.option.value)}"
        yield from _reasons(item.option)
        for check in item.checks:
            head = paint(f"{check.answer:<9}", check.severity)
            yield f"  {head} {check.id}: {check.reason}"
    if full:
        for rule in item.unmatched:
            yield f"  not here  {rule.value}  {origin_words(rule.origin)}"
            yield f"            {rule.why} (its scope: {rule.scope})"
    elif item.unmatched:
        count = len(item.unmatched)
        rules = "rule sets it" if count == 1 else "rules set it"
        yield f"  not here  {count} {rules} elsewhere"


def _reasons(option: ResolvedOption) -> Iterator[str]:
    for index, origin in enumerate(option.origins):
        yield f"  {'from' if index == 0 else 'also from':<9} {origin_words(origin)}"
        if origin.note:
            yield f"            source: {origin.note}"
    if option.derived is not None:
        yield f"  derived   {option.derived}"
    for loser in option.shadowed:
        yield f"  beat      {_value(loser)}  {origin_words(loser.origin)}"
        yield f"            {loser.why}"


def _value(loser: Shadowed) -> str:
    from infxreg.values import show

    return loser.derived if loser.derived is not None else show(loser.value)


def _data(found: Explanation) -> dict[str, Any]:
    from infxreg.cli.facts import origin_facts

    whole = found.spec.to_dict()
    return {
        "point": whole["point"],
        "gates": whole["gates"],
        "digest": whole["digest"],
        "keys": [
            {
                "key": item.key,
                "set": item.option is not None,
                **whole["options"].get(item.key, {}),
                "checks": [check for check in whole["checks"] if check.get("key") == item.key],
                "unmatched": [
                    {
                        "origin": origin_facts(rule.origin),
                        "value": rule.value,
                        "scope": rule.scope,
                        "why": rule.why,
                    }
                    for rule in item.unmatched
                ],
            }
            for item in found.keys
        ],
    }
