"""Files are written completely, or the old file stays."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from called import Run

import sim
from sim.errors import SpecError
from sim.files import replaced, write_text


def test_a_file_that_cannot_be_written_to_its_end_leaves_the_old_one(tmp_path: Path) -> None:
    """If writing fails, the old file stays, and no other file is left."""
    place = tmp_path / "x.csv"
    place.write_text("good", encoding="utf-8")

    def fill() -> None:
        with replaced(place) as new:
            new.write_text("hal", encoding="utf-8")
            raise OSError(28, "No space left on device", str(new))

    with pytest.raises(OSError, match="No space") as full:
        fill()
    assert full.value.filename == str(place)
    assert place.read_text(encoding="utf-8") == "good"
    assert list(tmp_path.iterdir()) == [place]


def test_a_new_file_has_the_rights_of_the_one_it_replaces(tmp_path: Path) -> None:
    """Permissions and symbolic links stay: the file that a link points to is replaced."""
    place, link = tmp_path / "x.txt", tmp_path / "link"
    place.write_text("old", encoding="utf-8")
    place.chmod(0o640)
    link.symlink_to(place)
    write_text(link, "new")
    assert link.is_symlink()
    assert place.read_text(encoding="utf-8") == "new"
    assert place.stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    """A named pipe stays a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "through")
        assert os.read(end, 100) == b"through"
    finally:
        os.close(end)
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.json"])
def test_a_read_that_fails_leaves_the_table_of_before(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`iso8583 read --out` on a full disk: status 2, the old table stays, no other file is left."""
    log, out = tmp_path / "x.log", tmp_path / name
    log.write_text(str(sim.build({"mti": "0800", 3: "990000", 11: "123456"})) + "\n", encoding="utf-8")
    out.write_text("good", encoding="utf-8")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "replace", full)
    run = Run("read", str(log), "--out", str(out))
    assert (run.status, out.read_text(encoding="utf-8")) == (2, "good")
    assert "No space left on device" in run.err
    assert sorted(tmp_path.iterdir()) == sorted([log, out])


def test_results_of_a_suite_are_moved_into_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JUnit XML, report and exported module are each moved into place when complete."""
    moved = []
    real = Path.replace

    def noted(self: Path, target: Path) -> Path:
        moved.append(Path(target).name)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    sim.run_suite("case,type,expect.39\nalive,echo,00", junit=tmp_path / "j.xml", report=tmp_path / "r.html")
    sim.export_suite("JCB", tmp_path / "test_jcb.py")
    assert moved == ["j.xml", "r.html", "test_jcb.py"]


@pytest.mark.parametrize(
    ("suffix", "held", "call"),
    [
        ("toml", b"\xff", sim.load_format),
        ("toml", b"#" * ((1 << 20) + 1), sim.load_format),
        ("toml", b"name =", sim.load_format),
        ("pcap", bytes.fromhex("d4c3b2a1"), sim.read),
    ],
)
def test_no_error_repeats_a_card_number_in_the_name_of_a_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    held: bytes,
    call: Callable[[Path], object],
) -> None:
    """An error shows only the first six and last four digits of a card number in a file name."""
    monkeypatch.chdir(tmp_path)
    place = Path(f"4111111111111111.{suffix}")
    place.write_bytes(held)
    with pytest.raises(SpecError, match=re.escape("411111******1111")) as told:
        call(place)
    assert "4111111111111111" not in str(told.value)


def test_a_table_masks_a_card_number_in_the_name_of_a_file(tmp_path: Path) -> None:
    """A displayed row shows no more of it than an error; the cell has the true name."""
    place = tmp_path / "4111111111111111.txt"
    place.write_text("08002020000000000000990000123456\n", encoding="utf-8")
    table = sim.read([place])
    assert table["file"].tolist() == [str(place)]
    assert "411111******1111.txt" in table.to_string()
    assert "4111111111111111" not in table.to_string() + table._repr_html_() + repr(table)
