"""How links write messages: the formats, those of one's own, and the way to other toolkits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from sim.codec.wire import Format
    from sim.tables import Table


def formats() -> Table:
    """Give the formats: how links write messages as bytes, the ready ones and those that were loaded.

    Returns
    -------
    A table with a row per format: `name` (what `format=` takes), `title`, `version` (`any` where the MTI
    says it), `extends`, how `mti`, `bitmap`, `numbers`, `text`, `track_2`, `binary` elements and `lengths`
    are written, which elements it `differs` in, the `framing` usual around its messages, `note`, `source`.

    Examples
    --------
    >>> import sim
    >>> sim.formats().set_index("name").loc["bcd", "numbers"]
    'bcd'
    """
    from sim.tables.formats import formats

    return formats()


def load_format(path: str | Path | Mapping[str, Any], *, name: str | None = None) -> Format:
    """Read a format of one's own and make it known by its name.

    Parameters
    ----------
    path
        A `.toml` file: what it `extends` (a version or a format), a `title`, a `source`, and what is
        written otherwise there: elements (`[elements.41]`, `format = "ans 16"`), what is inside them
        (`parts`), how they are written. Or what you have already: a packager of jPOS (`.xml`), a
        specification of moov-io/iso8583 (`.json`) or of pyiso8583 (`.json`, a `.py` that writes it out, or
        the dict itself).
    name
        What to call it; None is what a row `name` says, else the file's name.

    Returns
    -------
    The format. From now on `format=` takes it, or its name.

    Raises
    ------
    SpecError
        Names the element and the line of the first row that says what it cannot.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import pathlib, sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "my-host.toml"
    ...     _ = file.write_text('extends = "bcd"\\ntitle = "My host"\\nsource = "its manual"')
    ...     sim.load_format(file).digits
    'bcd'
    """
    from sim.tables.formats import load_format

    return load_format(path, name=name)


@overload
def export_format(
    format: str | Format, to: Literal["toml", "jpos", "moov"] = "toml", *, version: str | None = None
) -> str:
    """The text."""


@overload
def export_format(
    format: str | Format, to: Literal["pyiso8583"], *, version: str | None = None
) -> dict[str, Any]:
    """The dict that pyiso8583 takes."""


@overload
def export_format(format: str | Format, to: str, *, version: str | None = None) -> str | dict[str, Any]:
    """Either, where only a run of the program tells."""


def export_format(
    format: str | Format, to: str = "toml", *, version: str | None = None
) -> str | dict[str, Any]:
    """Write a format out, for another toolkit or as a file of one's own.

    Parameters
    ----------
    format
        A format, or the name of one.
    to
        `toml` (what `load_format` reads), `jpos` (packager XML), `moov` (JSON) or `pyiso8583` (a dict).
    version
        Whose elements are written out for another toolkit; None is the format's own version, or 1987.

    Returns
    -------
    The text, or a dict for pyiso8583. What the other toolkit has no words for is left out, with a warning
    that names the elements.

    Raises
    ------
    SpecError
        The format, or what to write it as, is not known.

    Examples
    --------
    >>> import sim
    >>> sim.export_format("ebcdic-500", "pyiso8583")["2"]["data_enc"]
    'cp500'
    """
    from sim.tables.formats import export_format

    return export_format(format, to, version)
