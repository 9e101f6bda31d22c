"""``infxreg engine add`` and ``remove``: builds that no plugin ships."""

from __future__ import annotations

from pathlib import Path

import click

from infxreg.cli.app import EXIT_CODES
from infxreg.cli.state import state_of

_WHERE = "Builds are kept in INFXREG_SURFACES, else in infxreg/surfaces of the XDG data folder."


@click.command(
    "add",
    short_help="Take in what a private build or nightly accepts.",
    epilog=f"\b\nExample:\n  infxreg engine add dump.json --digest sha256:…\n\n{EXIT_CODES}",
)
@click.argument("dump", type=click.Path(path_type=Path))
@click.option("--digest", metavar="SHA256", help="Keep it for the image with this digest.")
@click.option(
    "--as", "version", metavar="VERSION", help="Keep it as this version; else the dump's own."
)
@click.option("--engine", metavar="E", help="Where the dump doesn't name its engine.")
@click.option("--replace", is_flag=True, help="Over another one under the same digest or version.")
@click.option("--partial", is_flag=True, help="Take a dump that lacks parts; these stay unknown.")
@click.pass_context
def add_command(
    ctx: click.Context,
    dump: Path,
    digest: str | None,
    version: str | None,
    engine: str | None,
    replace: bool,
    partial: bool,
) -> None:
    """Take in DUMP: what `engine dump-script` printed in an image, or what `engine extract` wrote.

    From then on images with that digest, or of that version, are checked against it, before
    what the plugins ship. Nothing is kept unless all of it can be read.
    """
    from infxreg.errors import BadRequestError
    from infxreg.releases import DIGEST
    from infxreg.surface.store import SurfaceStore, add_document

    if digest is not None and version is not None:
        raise click.UsageError("give --digest or --as, not both", ctx)
    if digest is not None and not DIGEST.fullmatch(digest):
        raise BadRequestError(f"--digest {digest!r}: write sha256: with 64 hex digits")
    store = SurfaceStore(state_of(ctx).surface_folder)
    path = add_document(
        store,
        dump,
        key=version if digest is None else digest,
        engine=engine,
        replace=replace,
        partial=partial,
    )
    click.echo(str(path))


@click.command(
    "remove",
    short_help="Forget a build that was added.",
    epilog=f"\b\nExample:\n  infxreg engine remove vllm@0.31.1.dev5\n\n{EXIT_CODES}",
)
@click.argument("build")
@click.pass_context
def remove_command(ctx: click.Context, build: str) -> None:
    """Forget BUILD, an ENGINE@VERSION or ENGINE@DIGEST that `engine add` kept."""
    from infxreg.errors import BadRequestError, UnknownIdError
    from infxreg.surface.store import SurfaceStore

    store = SurfaceStore(state_of(ctx).surface_folder)
    engine, _, key = build.partition("@")
    if not store.remove(engine, key):
        known = tuple(f"{name}@{key}" for name, key, _ in store.added())
        if not known:
            raise BadRequestError(f"there is no {build!r} to remove: nothing was added")
        raise UnknownIdError("added build", build, known)
