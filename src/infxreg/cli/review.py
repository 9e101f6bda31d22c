"""``infxreg review``: a change's verdict table, one row a check."""

from __future__ import annotations

import click

from infxreg.cli.state import state_of
from infxreg.cli.text import progress

_FORMATS = ("text", "markdown", "json", "github", "sarif")
_EPILOG = """\b
Examples:
  infxreg review main --only 'sku=b200 model=dsv41flash'
  infxreg review main HEAD -f markdown --lang en,zh --facts facts.json
  infxreg review main -f github -o markdown=review.md -o sarif=review.sarif

\b
Exit codes:
  0  no check fails
  1  a check fails
  2  the request, a plugin or a file can't be used"""


@click.command(
    "review",
    short_help="A change's verdict table: one row a check.",
    epilog=_EPILOG,
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option("--without", metavar="PLUGIN", help="In place of BASE: the registry without it.")
@click.option(
    "--only", metavar="SCOPE", help="The scope that was meant: sku=b200 tp=2|4 conc=8..64."
)
@click.option(
    "-f", "--format", "form", type=click.Choice(_FORMATS), default="text", help="How to write it."
)
@click.option(
    "-o", "--output", multiple=True, metavar="FORMAT=FILE", help="Also write it there. Repeatable."
)
@click.option("--lang", metavar="LANGS", default="en", help="Languages: en, zh, or en,zh.")
@click.option("--facts", metavar="FILE", help="What only the forge knows, as JSON.")
@click.option(
    "--check-changelog",
    metavar="FILE",
    help="Hold the entries that FILE has more in HEAD to what really changes.",
)
@click.option("--append-only", is_flag=True, help="The change says that it only adds points.")
@click.option("--day", metavar="DAY", help="Today, for waivers and deprecations: 2026-12-01.")
@click.pass_context
def review_command(
    ctx: click.Context,
    base: str | None,
    head: str | None,
    without: str | None,
    only: str | None,
    form: str,
    output: tuple[str, ...],
    lang: str,
    facts: str | None,
    check_changelog: str | None,
    append_only: bool,
    day: str | None,
) -> None:
    """Review the change from BASE to HEAD, two git revisions; HEAD left out is the working tree.

    A check fails for what the change touches or makes worse; what was wrong before and stays
    so elsewhere isn't held against it. What can't be told, or is only warned of, is unknown.
    """
    from infxreg.cli.reviewing import Asked, files_of, languages_of, review_of, write, written
    from infxreg.cli.sides import sides

    languages, files = languages_of(lang), files_of(output, _FORMATS)
    state = state_of(ctx)
    asked = Asked.read(only, facts, check_changelog, append_only, day)
    with (
        progress("resolving") as report,
        sides(base, head, without, state, report, asked.day) as found,
    ):
        made = review_of(found, asked, state)
        # Files are looked up while the revision's folder is there.
        texts = {
            one: written(made, found, one, languages, state.verbose)
            for one in {form, *files.values()}
        }
    for path, one in files.items():
        write(path, texts[one])
    click.echo(texts[form], nl=False)
    ctx.exit(1 if made.failed else 0)
