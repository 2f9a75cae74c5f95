"""Many messages with Dask: the same rows as on one machine, whatever the ranges."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from support import generated, long

import sim
from sim.codec import build
from sim.tables.columns import dask_engine

pytestmark = pytest.mark.skipif(find_spec("dask") is None, reason="wants dask")
RAWS = [build(message) for _, _, message in generated()]


def _files(folder: Path) -> list[Path]:
    plain, packed, empty = folder / "a.log", folder / "b.log.gz", folder / "c.log"
    plain.write_text("\n".join([*RAWS[:300], "", "0800", *RAWS[300:320]]), encoding="utf-8")
    packed.write_bytes(gzip.compress("\n".join(RAWS[:100]).encode()))
    empty.write_bytes(b"")
    return [plain, packed, empty]


def _alike(one: pd.DataFrame, two: pd.DataFrame) -> None:
    left, right = (pd.DataFrame(table).reset_index(drop=True) for table in (one, two))
    pd.testing.assert_frame_equal(left, right)


@pytest.mark.parametrize("size", [100, 5_000, 1 << 20])
def test_ranges_are_whole_lines(tmp_path: Path, size: int) -> None:
    """Ranges are contiguous, end at line endings, and count the lines."""
    path = _files(tmp_path)[0]
    data = path.read_bytes()
    found = list(dask_engine.ranges(path, size))
    assert b"".join(data[one.start : one.stop] for one in found) == data
    assert all(data[: one.stop].endswith(b"\n") for one in found[:-1])
    assert sum(map(dask_engine.lines_in, found)) == data.count(b"\n")


def test_partitions_make_the_same_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain files in ranges and compressed ones whole, with continuous line numbers."""
    monkeypatch.setattr(dask_engine, "RANGE", 7_000)
    files = _files(tmp_path)
    lazy = sim.read(files, validate=True, engine="dask")
    assert lazy.npartitions > 5
    made = lazy.compute(scheduler="sync")
    _alike(made, sim.read(files, validate=True, columns=range(2, 129)))
    chosen = sim.read(files[0], columns=[11], engine="dask").compute(scheduler="sync")
    _alike(chosen, sim.read(files[0], columns=[11]))


@long
def test_two_processes_and_parquet(tmp_path: Path) -> None:
    """Two processes write Parquet that reads back as the one-machine table."""
    distributed = pytest.importorskip("distributed")
    files = _files(tmp_path)
    out = tmp_path / "out"
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        sim.read(files, engine="dask").to_parquet(out)
    back = pd.read_parquet(out)
    _alike(back, sim.read(files, columns=range(2, 129)).plain())


def test_no_files(tmp_path: Path) -> None:
    """An empty file makes an empty table with all columns."""
    made = sim.read(_files(tmp_path)[2], engine="dask").compute(scheduler="sync")
    assert len(made) == 0
    assert "DE128" in made.columns
