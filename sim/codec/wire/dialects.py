"""Your own formats: a file that extends a version or a built-in format, checked when it is loaded.

```toml
extends = "bcd"                 # or "1987": then all is ASCII until the file says otherwise
title = "My bank's host"
source = "its interface specification, 2026"    # findings give it as theirs; without it, this file's name
lengths = "binary"

[elements.41]
format = "ans 16"

[elements.62]
cut = "places"
parts = [{ path = "1", name = "order", format = "an 6" }, { path = "2", name = "shop", format = "n 4" }]
```
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.codec.wire.catalogue import format_of, keep, ready, wire_format
from sim.codec.wire.exchange.jpos import from_jpos
from sim.codec.wire.exchange.moov import from_moov
from sim.codec.wire.exchange.pyiso import from_pyiso8583, is_pyiso8583
from sim.codec.wire.formats import Format
from sim.errors import SpecError, quoted_value
from sim.masking import mask_words
from sim.masking.files import masked_names, path_of
from sim.spec.tables import LARGEST, toml_of

_DESCRIBED = (".toml", ".xml", ".json", ".py")
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
# One of several dicts: specs.py:default
_ONE_OF = re.compile(r"(.+\.py):([A-Za-z_][A-Za-z0-9_]*)", re.ASCII | re.IGNORECASE)


def load_format(path: str | Path | Mapping[str, Any], *, name: str | None = None) -> Format:
    """Load your own wire format and register it by name.

    Parameters
    ----------
    path
        A `.toml` file: what it `extends` (a version or a format), a `title`, a `source`, and the
        differences: elements (`[elements.41]`, `format = "ans 16"`), their subfields (`parts`), their
        encoding. Or an existing specification: a jPOS packager (`.xml`), a specification for
        moov-io/iso8583 (`.json`) or pyiso8583 (`.json`, a `.py` file that contains it, or the dict itself).
        If a `.py` file has several dicts, *name* selects one.
    name
        The name of the format. Default: the file's `name`, otherwise the name of the file.

    Returns
    -------
    The format. From now on `format=` accepts it, or its name. Its `left_out` has a row (`number`, `what`,
    `reason`) for everything in the file that the format does not support: elements of unknown classes,
    subfields that cannot be separated. A warning lists them.

    Raises
    ------
    SpecError
        The error gives the element and line of the first invalid row.
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
    lines: list[str] = []
    if isinstance(path, Mapping):
        stem, where, source = "own", "the table", "its own table"
        rows = from_table(path, name or stem)
    else:
        file = path_of("path", path)
        where, stem = mask_words(file.name), file.stem
        rows, lines = _rows(_text(file, where), where, name)
        source = f"its own file, {where}"
    own_name = name or rows.get("name") or _name_of(stem)
    if not (isinstance(own_name, str) and _NAME.fullmatch(own_name) and mask_words(own_name) == own_name):
        raise SpecError(None, None, "a name of letters, digits, dots and dashes", quoted_value(own_name))
    try:
        fmt = keep(format_of({"source": source, **_masked(rows)}, own_name))
    except SpecError as error:
        line = _line(lines, error)
        raise SpecError(error.field, line, error.expected, f"{error.found} in {where}") from None
    if fmt.left_out:
        warnings.warn(f"left out of {where}: {told_left_out(fmt)}", stacklevel=2)
    return fmt


def _masked(value: Any) -> Any:
    """The file's rows with card numbers in their texts masked."""
    if isinstance(value, str):
        return mask_words(value)
    if isinstance(value, Mapping):
        return {key: _masked(item) for key, item in value.items()}
    return [*map(_masked, value)] if isinstance(value, list) else value


def told_left_out(fmt: Format) -> str:
    """In words, what was left out of an imported format."""
    return "; ".join(
        mask_words(
            f"DE {row.number}, {row.what} ({row.reason})" if row.number else f"{row.what} ({row.reason})"
        )
        for row in fmt.left_out
    )


def _name_of(stem: str) -> str:
    """A name for the format of file *stem*, different from every built-in format's."""
    name = _NO_NAME.sub("-", stem).strip("-.")[:30] or "own"
    return f"{name}-own" if name in ready() else name


def _text(file: Path, called: str) -> str:
    with masked_names(), file.open("rb") as opened:
        raw = opened.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise SpecError(None, None, f"a format of at most {LARGEST} bytes", f"a larger file, {called}")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise SpecError(None, None, "UTF-8 text", f"other bytes in {called}") from None


def named_format(choice: Format | str | Path, folder: Path | None = None) -> Format:
    """The format *choice*: a built-in or loaded one by name, or a file in *folder*, which is loaded under the
    name of the file or of the dict in it (`specs.py:default`). Raises the same errors as `load_format`, and
    SpecError for an unknown name.

    >>> named_format("bcd").digits
    'bcd'
    """
    if isinstance(choice, Format):
        return choice
    text, dict_name = str(choice), None
    if one_of := _ONE_OF.fullmatch(text):
        text, dict_name = one_of[1], one_of[2]
    if Path(text).suffix.lower() not in _DESCRIBED:
        return wire_format(text)
    path = path_of("format", text) if folder is None else folder / path_of("format", text)
    return load_format(path, name=dict_name or _name_of(path.stem))


def load_folder(path: str | Path) -> tuple[Format, ...]:
    """Load every `.toml`, `.xml` and `.json` file of a folder, ordered by name. Raises the same errors as
    `load_format`."""
    kinds = (".toml", ".xml", ".json")
    files = sorted(file for file in Path(path).iterdir() if file.suffix.lower() in kinds)
    return tuple(load_format(file) for file in files)


def _rows(text: str, called: str, chosen: str | None) -> tuple[dict[str, Any], list[str]]:
    """The format's rows in the file, and its lines if errors can name them."""
    suffix = Path(called).suffix.lower()
    if suffix == ".xml":
        return from_jpos(text, called), []
    if suffix == ".json":
        return from_json(text, called), []
    if suffix == ".py":
        return from_python(text, called, chosen), []
    try:
        return toml_of(text), text.splitlines()
    except SpecError as error:
        raise SpecError(None, error.offset, error.expected, f"{error.found} in {called}") from None


def _line(lines: list[str], error: SpecError) -> int | None:
    """The line of an error: the one that sets the row named in it, or the header of its element."""
    head = 0
    if error.field is not None:
        pattern = re.compile(rf"\s*(?:\[+elements\.)?(?:elements\.)?{error.field}\b")
        starts = [at for at, line in enumerate(lines) if pattern.match(line)]
        if not starts:
            return None
        head = starts[0]
    row = error.found.strip("'") if "a row called" in error.expected else error.expected.split(" ")[0]
    key = re.escape(row.rpartition(".")[2])
    row_pattern = re.compile(rf"\s*(?:elements\.{error.field}\.)?[\"']?{key}[\"']?\s*=")
    for at in range(head, len(lines)):
        if at > head and error.field is not None and lines[at].startswith("["):
            break
        if row_pattern.match(lines[at]):
            return at + 1
    return head + 1 if error.field is not None else None


def from_json(text: str, name: str) -> dict[str, Any]:
    """The rows of the format in a JSON document for moov-io/iso8583 or pyiso8583. Raises SpecError if it is
    neither, or not JSON."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise SpecError(None, line, "JSON", f"another text in {name}") from None
    return from_table(document, name)


def from_python(text: str, name: str, chosen: str | None = None) -> dict[str, Any]:
    """The rows of the format in a Python module with a literal pyiso8583 dict; the module is never executed.
    *chosen* selects one of several by name. Raises SpecError if there is none, or none of that name."""
    dicts: dict[str, Mapping[str, Any]] = {}
    try:
        nodes = [node for node in ast.parse(text).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        raise SpecError(None, line, "Python", f"another text in {name}") from None
    for node in nodes:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        try:
            value = ast.literal_eval(node.value) if isinstance(node.value, ast.Dict) else None
        except (ValueError, TypeError, RecursionError, MemoryError):
            continue  # not a literal dict
        if isinstance(value, dict) and is_pyiso8583(value):
            dicts[target.id if isinstance(target, ast.Name) else ""] = value
    if not dicts:
        raise SpecError(None, None, "a dict of pyiso8583, written out in full", f"none in {name}")
    if len(dicts) > 1 and chosen not in dicts:
        expected = f"the name of one of its dicts: {', '.join(map(quoted_value, dicts))}"
        raise SpecError(
            None, None, expected, f"{'no name' if chosen is None else quoted_value(chosen)} for {name}"
        )
    return from_pyiso8583(dicts[chosen] if chosen in dicts else next(iter(dicts.values())), name)


def from_table(given: object, name: str) -> dict[str, Any]:
    """The rows of the format in a table of moov-io/iso8583, pyiso8583 or our own files. Raises SpecError for
    any other table."""
    if isinstance(given, Mapping) and is_pyiso8583(given):
        return from_pyiso8583(given, name)
    if isinstance(given, Mapping) and "fields" in given:
        return from_moov(given, name)
    if isinstance(given, Mapping) and "extends" in given:
        return dict(given)
    raise SpecError(None, None, "a specification of moov-io/iso8583 or pyiso8583", f"another table, {name}")
