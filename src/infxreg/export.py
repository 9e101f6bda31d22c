"""Write a launch spec: as TOML, as JSON, as a shell command, as an env file.

Each function is pure and gives the text to write, with its last newline.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from attrs import frozen

from infxreg.errors import InfxregError
from infxreg.render import SECRET
from infxreg.spec import LaunchSpec

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_DOCKER_NAME = re.compile(r"[^\s=#][^\s=]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@frozen
class ExportError(InfxregError):
    """A spec that a format has no way to say."""

    format: str
    what: str
    message: str

    def __str__(self) -> str:
        return f"{self.what} can't be written as {self.format}: {self.message}"


def to_toml(spec: LaunchSpec) -> str:
    """The whole spec; ``LaunchSpec.from_dict(tomllib.loads(text))`` gives it back."""
    import tomli_w

    return tomli_w.dumps(_document(spec))


def to_json(spec: LaunchSpec) -> str:
    """The whole spec; ``LaunchSpec.from_dict(json.loads(text))`` gives it back."""
    return json.dumps(_document(spec), indent=2, ensure_ascii=False) + "\n"


def to_shell(spec: LaunchSpec) -> str:
    """The engine's command with its variables, as one line to paste into bash or zsh.

    A secret becomes a variable that must be set: ``HF_TOKEN="${HF_TOKEN:?}"``.

    Raises:
        ExportError: for a variable's or a secret's name that a shell can't hold, or
            a NUL byte.
    """
    words: list[str] = []
    for name, value in spec.env.items():
        if not _IDENTIFIER.fullmatch(name):
            raise ExportError("shell", f"env {name!r}", "it is no name of a shell variable")
        words.append(f"{name}={_word(value, f'env {name}')}")
    command, *arguments = spec.argv
    # A first word with "=" in it would be an assignment, unless it is quoted.
    words.append(f"'{command}'" if _assigns(command) else _word(command, "argv"))
    words += [_word(argument, "argv") for argument in arguments]
    return " ".join(words) + "\n"


def to_env(spec: LaunchSpec) -> str:
    """The engine's variables as ``docker run --env-file`` reads them, one line each.

    Docker takes a name without a value from its own environment: so a secret that has
    the variable's name is written.

    Raises:
        ExportError: for what the format can't hold: a line break in a value, a name with
            blanks, a secret of another name.
    """
    lines: list[str] = []
    for name, value in spec.env.items():
        what = f"env {name!r}"
        if not _DOCKER_NAME.fullmatch(name):
            raise ExportError("env", what, "a name has no blanks, no = and no # in front")
        if value.startswith(SECRET):
            if value != SECRET + name:
                message = f"docker can't rename {value}: call the secret {name}"
                raise ExportError("env", what, message)
            lines.append(name)
        elif re.search(r"[\n\r\0]", value):
            raise ExportError("env", what, "its value has a line break or a NUL byte")
        else:
            lines.append(f"{name}={value}")
    return "".join(f"{line}\n" for line in lines)


def _document(spec: LaunchSpec) -> dict[str, Any]:
    """The spec's data, the long table of options last."""
    data = spec.to_dict()
    data["options"] = data.pop("options")
    return data


def _assigns(command: str) -> bool:
    return "=" in command and shlex.quote(command) == command


def _word(text: str, what: str) -> str:
    if text.startswith(SECRET):
        name = text.removeprefix(SECRET)
        if not _IDENTIFIER.fullmatch(name):
            raise ExportError("shell", what, f"{text} isn't named as a shell variable is")
        return f'"${{{name}:?}}"'
    if "\0" in text:
        raise ExportError("shell", what, "it holds a NUL byte")
    if _CONTROL.search(text):
        escaped = re.sub(r"[\x00-\x1f\x7f'\\]", lambda match: f"\\x{ord(match[0]):02x}", text)
        return f"$'{escaped}'"  # so that a line break doesn't end the line
    return shlex.quote(text)
