"""Resolve a point to a launch spec: gates, then the contest for each key, layers, derivations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from attrs import field, frozen

from infxreg import checks, gates
from infxreg.catalogue import Catalogue
from infxreg.contest import Contest, Entry, by_key, decide, origins, settling_scope
from infxreg.errors import (
    BadRequestError,
    Conflict,
    ConflictError,
    DerivationError,
    NoValueError,
    PurposeError,
    UnknownIdError,
    UnusableValueError,
    ValueProblem,
)
from infxreg.flags import clash, rendered_by
from infxreg.index import ScopedRule
from infxreg.keys import IMAGE, fit, is_declared
from infxreg.origin import Layer, Origin
from infxreg.points import PURPOSE, Point, describe, non_default
from infxreg.references import image_of
from infxreg.render import Rendered, raw_values, render
from infxreg.scope import AxisValue, OneOf, Scope
from infxreg.spec import (
    Frontend,
    LaunchSpec,
    ResolvedOption,
    Resources,
    Shadowed,
    SpecImage,
    SpecModel,
    SpecPoint,
    Timeouts,
)
from infxreg.validate import is_key, needed_gates, refused
from infxreg.values import ABSENT, Absent, Derived, FrozenMap, Setting, Value, show

_REQUEST = {
    kind: Origin(plugin="request", rule=kind, layer=Layer.REQUEST)
    for kind in ("--set", "--unset", "--image")
}


@frozen(kw_only=True)
class Choices:
    """What a request says beside the point."""

    gates: tuple[str, ...] = ()
    no_gates: tuple[str, ...] = ()
    image: str | None = None
    set: FrozenMap[str, Value] = field(factory=FrozenMap)
    unset: tuple[str, ...] = ()


@frozen(eq=False)
class _Picked:
    """What a key is set to, whose it is, and what it beat or hid."""

    setting: Setting
    origins: tuple[Origin, ...]
    shadowed: tuple[Shadowed, ...]
    rules: tuple[ScopedRule, ...] = ()


def resolve_point(point: Point, choices: Choices, catalogue: Catalogue) -> LaunchSpec:
    """The launch spec of a point.

    Raises:
        RequestError: if gates, purpose, keys or values of the request can't be used.
        ResolveError: if keys conflict, a derivation fails, or a value can't be launched.
    """
    where = describe(point.axes, catalogue.space)
    facets = catalogue.space.with_facets(point.axes)
    opened = gates.settle(point, facets, choices.gates, choices.no_gates, catalogue)
    lower = list(catalogue.plugin_rules.matching(facets, opened))
    upper = list(catalogue.site_rules.matching(facets, opened))
    _check_purpose(point, where, [*lower, *upper], catalogue)
    picked = _pick(lower, upper, _requested(point, choices, catalogue), where, catalogue)
    values = _Values(picked, facets, where, catalogue)
    options = FrozenMap({key: values.option(key) for key in sorted(picked)})
    return _assemble(point, where, opened, picked, options, catalogue)


def _check_purpose(
    point: Point, where: str, matching: Iterable[ScopedRule], catalogue: Catalogue
) -> None:
    """A purpose that no rule of the engine names would silently give another purpose's values."""
    purpose = point.axes.get(PURPOSE)
    if purpose is None or purpose == catalogue.space.axes[PURPOSE].default:
        return
    for scoped in matching:
        scope = scoped.scope
        if _lists(scope, PURPOSE, purpose) and _lists(scope, "engine", point.engine):
            return
    known = {
        str(value)
        for scoped in matching
        if isinstance(named := scoped.scope.get(PURPOSE), OneOf)
        for value in named.values
    }
    raise PurposeError(str(purpose), point.engine, where, tuple(sorted(known)))


def _lists(scope: Scope, axis: str, value: AxisValue) -> bool:
    constraint = scope.get(axis)
    return constraint is not None and value in constraint


def _requested(point: Point, choices: Choices, catalogue: Catalogue) -> dict[str, _Picked]:
    """The request's own settings, checked."""
    asked: dict[str, tuple[Setting, str]] = {}
    for key, value in choices.set.items():
        asked[key] = (value, "--set")
    for key in choices.unset:
        if key in asked:
            raise BadRequestError(f"the request sets and unsets {key}: drop one")
        asked[key] = (ABSENT, "--unset")
    if choices.image is not None:
        if IMAGE in asked:
            raise BadRequestError("the request names the image twice: drop --set image or --image")
        asked[IMAGE] = (choices.image, "--image")
    engine = catalogue.engines[point.engine]
    result: dict[str, _Picked] = {}
    for key, (setting, kind) in asked.items():
        if not is_declared(key, catalogue.options):
            raise UnknownIdError("option", key, tuple(catalogue.options))
        neutral = clash(engine, key)
        if neutral is not None:
            raise BadRequestError(f"{key} is what {neutral} renders on {engine.id}: set {neutral}")
        if not isinstance(setting, (Absent, Derived)):
            try:
                setting = fit(key, setting, catalogue.options)
            except TypeError as error:
                raise BadRequestError(f"{key} {error}: {show(setting)}") from error
        result[key] = _Picked(setting, (_REQUEST[kind],), ())
    return result


def _pick(
    lower: Iterable[ScopedRule],
    upper: Iterable[ScopedRule],
    requested: Mapping[str, _Picked],
    where: str,
    catalogue: Catalogue,
) -> dict[str, _Picked]:
    """Decide every key: the highest layer that sets it, and inside it the narrowest scope."""
    stacks = [(by_key(upper), Layer.SITE), (by_key(lower), Layer.PLUGIN)]
    keys = set(requested).union(*(stack for stack, _ in stacks))
    conflicts: list[Conflict] = []
    picked: dict[str, _Picked] = {}
    for key in sorted(keys):
        contests = [
            (decide(stack[key], catalogue.space), layer) for stack, layer in stacks if key in stack
        ]
        if key in requested:
            top = requested[key]
            hidden = contests
        else:
            contest, _ = contests[0]
            hidden = contests[1:]
            if contest.conflict:
                conflicts.append(_conflict(key, contest, where))
                continue
            top = _Picked(
                contest.setting,
                origins(contest.best),
                _shadowed(contest),
                tuple(entry.scoped for entry in contest.best),
            )
        winner = top.origins[0]
        below = tuple(item for contest, _ in hidden for item in _hidden(contest, winner))
        picked[key] = _Picked(top.setting, top.origins, top.shadowed + below, top.rules)
    if conflicts:
        raise ConflictError(tuple(conflicts))
    return picked


def _conflict(key: str, contest: Contest, where: str) -> Conflict:
    sides = tuple((_words(entry.setting), _place(entry)) for entry in contest.best)
    scope = settling_scope(contest.best)
    if scope is None:
        return Conflict(key, where, sides, "(they have one scope: change one of them)")
    return Conflict(key, where, sides, rule_toml(scope, key, contest.best[0].setting))


def rule_toml(scope: Scope, key: str, setting: Setting) -> str:
    """A rule with this scope, as TOML to paste into a site file."""
    terms = []
    for axis, constraint in scope.terms:
        if isinstance(constraint, OneOf):
            listed = sorted(constraint.values, key=lambda value: (isinstance(value, str), value))
            shown = show(listed[0]) if len(listed) == 1 else show(tuple(listed))
        else:
            bounds = (("min", constraint.min), ("max", constraint.max))
            inner = ", ".join(f"{name} = {b}" for name, b in bounds if b is not None)
            shown = f"{{ {inner} }}"
        terms.append(f"{axis} = {shown}")
    lines = ["[[rule]]", f'id = "settle-{key.replace(".", "-")}"']
    lines.append(f"when = {{ {', '.join(terms)} }}" if terms else "when = {}")
    if scope.gates:
        lines.append(f"gates = {show(tuple(sorted(scope.gates)))}")
    lines.append(f'set."{key}" = {_words(setting)}  # or what you mean')
    return "\n".join(lines)


def _place(entry: Entry) -> str:
    file = f" in {entry.origin.file}" if entry.origin.file else ""
    return f"{entry.origin.plugin}:{entry.origin.rule}{file} (scope {entry.scoped.scope})"


def _words(setting: Setting) -> str:
    return str(setting) if isinstance(setting, Derived) else show(setting)


def _shadowed(contest: Contest) -> tuple[Shadowed, ...]:
    best = {entry.origin for entry in contest.best}
    return tuple(
        _lost(
            item.entry,
            f"{item.by.origin.plugin}:{item.by.origin.rule} is narrower "
            f"({item.by.scoped.scope}, inside {item.entry.scoped.scope})",
        )
        for item in contest.beaten
        if item.entry.origin not in best
    )


def _hidden(contest: Contest, winner: Origin) -> list[Shadowed]:
    why = f"the {winner.layer.label} layer is above the {contest.best[0].origin.layer.label} layer"
    return [_lost(entry, why) for entry in contest.best] + list(_shadowed(contest))


def _lost(entry: Entry, why: str) -> Shadowed:
    setting = entry.setting
    if isinstance(setting, Derived):
        return Shadowed(None, entry.origin, why, str(setting))
    return Shadowed(None if isinstance(setting, Absent) else setting, entry.origin, why)


class _Values:
    """The values of picked keys: constants as they are, derivations run once, in their order."""

    def __init__(
        self,
        picked: Mapping[str, _Picked],
        facets: Mapping[str, AxisValue | None],
        where: str,
        catalogue: Catalogue,
    ) -> None:
        self._picked, self._facets, self._where = picked, facets, where
        self._catalogue = catalogue
        self._done: dict[str, ResolvedOption] = {}

    def option(self, key: str) -> ResolvedOption:
        """The resolved option of a picked key."""
        if key not in self._done:
            self._done[key] = self._compute(key, self._picked[key])
        return self._done[key]

    def _read(self, name: str) -> Value | None:
        if not is_key(name):
            return self._facets.get(name)
        return self.option(name).value if name in self._picked else None

    def _compute(self, key: str, picked: _Picked) -> ResolvedOption:
        setting = picked.setting
        if not isinstance(setting, Derived):
            value = None if isinstance(setting, Absent) else setting
            return ResolvedOption(value, picked.origins, picked.shadowed)
        given = [(name, self._read(name)) for name in setting.reads]
        words = ", ".join(f"{name}={show(value)}" for name, value in given) or "nothing"
        function = self._catalogue.derivations[setting.function].function
        try:
            result: Any = function(*(value for _, value in given), **dict(setting.params))
            if isinstance(result, list):
                result = tuple(result)
            if result is not None:
                result = fit(key, result, self._catalogue.options)
        except Exception as error:  # whatever a derivation raises is told with its inputs
            reason = f"{type(error).__name__}: {error}"
            raise DerivationError(
                key, self._where, str(setting), words, str(picked.origins[0]), reason
            ) from error
        label = f"{setting} with {words}"
        return ResolvedOption(result, picked.origins, picked.shadowed, label)


def _assemble(
    point: Point,
    where: str,
    opened: frozenset[str],
    picked: Mapping[str, _Picked],
    options: FrozenMap[str, ResolvedOption],
    catalogue: Catalogue,
) -> LaunchSpec:
    values = {key: option.value for key, option in options.items() if option.value is not None}
    engine = catalogue.engines[point.engine]
    model = catalogue.models[point.model]
    sku = catalogue.skus[point.sku]
    reference = str(_needed(IMAGE, values, where, "name one with --image"))
    image = image_of(reference, catalogue)
    read = {
        name
        for pick in picked.values()
        if isinstance(pick.setting, Derived)
        for name in pick.setting.reads
    }
    rendered = render(engine, model, values, read, catalogue.options)
    _refuse(point, where, opened, options, rendered, catalogue)
    gpus = _needed("resources.gpus", values, where, f"engine {engine.id} should derive it")
    per_node = sku.gpus_per_node
    ready = values.get("timeout.engine_ready_s")
    frontend_type = values.get("frontend.type")
    client = {name: str(v) for name, v in raw_values(values, "client_env.").items()}
    setup = values.get("setup.script")
    spec = LaunchSpec(
        point=SpecPoint(point.axes, point.id, point.recipe.id if point.recipe else None),
        sku=point.sku,
        model=SpecModel(model.id, model.hub_id, model.revision),
        engine=engine.id,
        image=SpecImage(reference, image.digest if image else None),
        argv=rendered.argv,
        env=rendered.env,
        resources=Resources(-(-gpus // per_node), per_node, gpus),
        timeouts=Timeouts(
            ready if isinstance(ready, int) else None,
            _needed("timeout.health_interval_s", values, where, "set it"),
            _needed("timeout.health_attempts", values, where, "set it"),
        ),
        client_env=FrozenMap(client),
        frontend=_frontend(frontend_type, values),
        setup=setup if isinstance(setup, str) else None,
        gates=tuple(sorted(opened)),
        moved_axes=FrozenMap(
            {
                axis: value
                for axis, value in sorted(non_default(point.axes, catalogue.space).items())
                if axis not in ("sku", "model", "engine")
            }
        ),
        options=options,
    )
    rules = {scoped.origin: scoped.rule for pick in picked.values() for scoped in pick.rules}
    return checks.with_checks(spec, checks.Subject(spec, image, rules, catalogue))


def _needed(key: str, values: Mapping[str, Value], where: str, hint: str) -> Any:
    if key not in values:
        raise NoValueError(key, where, hint)
    return values[key]


def _frontend(kind: Value | None, values: Mapping[str, Value]) -> Frontend | None:
    arguments = raw_values(values, "frontend.args.")
    if kind is None:
        return None
    return Frontend(str(kind), FrozenMap(arguments))


def _refuse(
    point: Point,
    where: str,
    opened: Collection[str],
    options: Mapping[str, ResolvedOption],
    rendered: Rendered,
    catalogue: Catalogue,
) -> None:
    """Raise for values that can't be launched, all in one go."""
    engine = catalogue.engines[point.engine]
    problems = [(key, message) for key, message in rendered.problems]
    for key, option in options.items():
        how = rendered_by(engine, key)
        if option.value is None:
            continue
        neutral = clash(engine, key)
        if neutral is not None:
            problems.append((key, f"is what {neutral} renders on {engine.id}: set {neutral}"))
        if key.startswith("frontend.args.") and "frontend.type" not in options:
            problems.append((key, "there is no frontend to take it: set frontend.type"))
        if how is None:
            continue
        message = refused(how, option.value, engine)
        if message is not None:
            problems.append((key, message))
        gates_needed = needed_gates(how, option.value)
        if gates_needed and not set(gates_needed) & set(opened):
            allowed = " or ".join(gates_needed)
            problems.append((key, f"{show(option.value)} is allowed only behind gate {allowed}"))
    if problems:
        found = tuple(
            ValueProblem(key, message, str(options[key].origin))
            for key, message in sorted(problems)
        )
        raise UnusableValueError(where, found)
