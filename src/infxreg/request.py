"""What a request says beside the point, checked against what is declared."""

from __future__ import annotations

from attrs import field, frozen

from infxreg.catalogue import Catalogue
from infxreg.errors import BadRequestError, UnknownIdError
from infxreg.flags import clash
from infxreg.keys import IMAGE, fit, is_declared, misspelled
from infxreg.origin import Layer, Origin
from infxreg.pick import Picked
from infxreg.points import Point
from infxreg.values import ABSENT, Absent, Derived, FrozenMap, Setting, Value, show

_ORIGINS = {
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


def requested(point: Point, choices: Choices, catalogue: Catalogue) -> dict[str, Picked]:
    """The request's own settings, by key.

    Raises:
        UnknownIdError: for a key that nobody declares.
        BadRequestError: for a key set twice, a value of the wrong type, or a raw key
            that renders what a neutral option renders.
    """
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
    result: dict[str, Picked] = {}
    for key, (setting, kind) in asked.items():
        if not is_declared(key, catalogue.options):
            wrong = misspelled(key)
            if wrong:
                raise BadRequestError(wrong)
            raise UnknownIdError("option", key, tuple(catalogue.options))
        neutral = clash(engine, key)
        if neutral is not None:
            raise BadRequestError(f"{key} is what {neutral} renders on {engine.id}: set {neutral}")
        if not isinstance(setting, (Absent, Derived)):
            try:
                setting = fit(key, setting, catalogue.options)
            except TypeError as error:
                raise BadRequestError(f"{key} {error}: {show(setting)}") from error
        result[key] = Picked(setting, (_ORIGINS[kind],), ())
    return result
