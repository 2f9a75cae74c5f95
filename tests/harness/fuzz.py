"""Fuzz one surface after another: `python tests/harness/fuzz.py MINUTES [SURFACE ...]`.

Each surface runs in a process of its own, led by coverage where atheris is installed, else by plain
mutation. A finding does not stop the run: it is kept in `build/fuzz/SURFACE/`, once for each place that
raised. Slow inputs are timed again in a process without instruments; the table at the end tells executions,
findings, the longest time and the growth of memory. Exit status 1 where there is a finding.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WHERE = ROOT / "build" / "fuzz"
_KEPT = 5  # slowest inputs
_WARM = 0.3  # of the run, after which memory is to be flat


class Watch:
    """Runs a target and keeps what is to be told of it."""

    def __init__(self, name: str, run: Any, seconds: float) -> None:
        self.name, self.run = name, run
        self.count, self.findings = 0, 0
        self.slowest: list[tuple[float, bytes]] = []
        self.start, self.seconds = time.monotonic(), seconds
        self.warm_memory = 0
        self.seen: set[str] = set()
        self.folder = WHERE / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.told = self.start

    def __call__(self, data: bytes) -> None:
        """Run the target on *data*; what it raises is kept."""
        before = time.process_time()
        try:
            self.run(data)
        except Exception as error:  # noqa: BLE001 - whatever leaves a target is a finding
            self._keep(data, error)
        took = time.process_time() - before
        self.count += 1
        if len(self.slowest) < _KEPT or took > self.slowest[-1][0]:
            self.slowest = sorted([*self.slowest, (took, data)], key=lambda one: -one[0])[:_KEPT]
        now = time.monotonic()
        if not self.warm_memory and now - self.start > _WARM * self.seconds:
            self.warm_memory = memory()
        if now - self.told > 1:
            self.told = now
            self.tell()

    def _keep(self, data: bytes, error: Exception) -> None:
        frames = [f"{one.filename}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)]
        place = f"{type(error).__name__} {frames[-1]}"
        ours = next((one for one in reversed(frames) if "/sim/" in one or "/server/" in one), frames[-1])
        if f"{type(error).__name__} {ours}" in self.seen:
            return
        self.seen.add(f"{type(error).__name__} {ours}")
        self.findings += 1
        (self.folder / f"finding-{self.findings}.bin").write_bytes(data)
        told = "".join(traceback.format_exception(error))
        (self.folder / f"finding-{self.findings}.txt").write_text(f"{place}\n{told}")
        print(f"{self.name}: {place}: {str(error)[:120]}", flush=True)

    def tell(self) -> None:
        """Write down what is known so far: the fuzzer ends its process without a word."""
        for at, (_, data) in enumerate(self.slowest):
            (self.folder / f"slow-{at}.bin").write_bytes(data)
        told = {
            "count": self.count,
            "findings": self.findings,
            "warm_memory": self.warm_memory,
            "memory": memory(),
        }
        (self.folder / "told.json").write_text(json.dumps(told))


def memory() -> int:
    """The memory of this process, in bytes: what it holds now on Linux, else the most it ever held."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def stretched(data: bytes, some: random.Random, largest: int) -> bytes:
    """*data* with a piece repeated up to the largest size: what grows faster than its input shows."""
    if len(data) < 2:
        return data
    at = some.randrange(1, len(data))
    piece = data[at : at + some.choice((1, 2, 3, 8, 40, 200))]
    room = some.randrange(max(largest - len(data), 1))
    return (data[:at] + piece * (room // max(len(piece), 1)) + data[at:])[:largest]


def changed(data: bytes, pool: list[bytes], some: random.Random) -> bytes:
    """*data* with a few bytes changed, gone, new or from another input."""
    made = bytearray(data)
    for _ in range(some.choice((1, 1, 2, 4, 8))):
        at, way = some.randrange(len(made) + 1), some.random()
        if way < 0.4 and at < len(made):
            made[at] = some.choice(
                (some.randrange(256), 48 + some.randrange(10), made[at] ^ 1 << some.randrange(8))
            )
        elif way < 0.6:
            del made[at : at + some.choice((1, 2, 8, 64))]
        elif way < 0.8:
            made[at:at] = bytes(
                some.choices(b'0123456789ABCDEF\x00\xff\n",{}[]<>=', k=some.choice((1, 1, 4)))
            )
        else:
            other = some.choice(pool)
            start = some.randrange(len(other) + 1)
            made[at:at] = other[start : start + some.choice((2, 8, 64, 400))]
    return bytes(made)


def led(watch: Watch, known: list[bytes], largest: int) -> None:
    """Fuzz led by coverage. Does not return: the fuzzer ends the process."""
    import atheris

    pool = watch.folder / "corpus"
    pool.mkdir(exist_ok=True)
    for at, seed in enumerate(known):
        (pool / f"seed-{at}").write_bytes(seed[:largest])
    some = random.Random(len(known))

    def mutated(data: bytes, size: int, seed: int) -> bytes:
        some.seed(seed)
        if some.random() < 0.02:
            return stretched(data, some, min(size, largest))
        if some.random() < 0.2:
            return changed(data, known, some)[:size]
        return atheris.Mutate(data, size)

    options = [f"-max_total_time={int(watch.seconds)}", f"-max_len={largest}", "-timeout=60", "-verbosity=0"]
    options += ["-rss_limit_mb=4096", "-detect_leaks=0", f"-artifact_prefix={watch.folder}/"]
    atheris.Setup([sys.argv[0], *options, str(pool)], watch, custom_mutator=mutated)
    atheris.Fuzz()


def plain(watch: Watch, known: list[bytes], largest: int) -> None:
    """Fuzz by mutation alone."""
    some = random.Random(8583)
    for seed in known:
        watch(seed[:largest])
    while time.monotonic() - watch.start < watch.seconds:
        data = changed(some.choice(known), known, some)
        watch((stretched(data, some, largest) if some.random() < 0.02 else data)[:largest])
    watch.tell()


def one(name: str, seconds: float) -> None:
    """Fuzz the surface *name* in this process."""
    try:
        import atheris
    except ImportError:
        from harness.targets import LARGEST, TARGETS, seeds

        run = plain
    else:
        with atheris.instrument_imports(include=["sim", "server"]):
            from harness.targets import LARGEST, TARGETS, seeds

            known = seeds(name)
            for seed in known[:: max(len(known) // 40, 1)]:  # what is imported when first used
                try:
                    TARGETS[name].run(seed)
                except Exception:  # noqa: BLE001, S112 - found once more by the run itself
                    continue
        run = led
    run(Watch(name, TARGETS[name].run, seconds), seeds(name), LARGEST)


def timed(name: str) -> tuple[float, str]:
    """The longest time of the slowest inputs of *name*, without instruments, the best of three; its file."""
    from harness.targets import TARGETS

    worst = (0.0, "")
    for seed in list(TARGETS[name].seeds())[:3]:
        TARGETS[name].run(seed)
    for path in sorted((WHERE / name).glob("slow-*.bin")):
        data, best = path.read_bytes(), float("inf")
        for _ in range(3):
            before = time.process_time()
            with suppress(Exception):  # told already
                TARGETS[name].run(data)
            best = min(best, time.process_time() - before)
        worst = max(worst, (best, path.name))
    return worst


def main(minutes: float, names: list[str]) -> int:
    """Fuzz the surfaces *names* for *minutes* in all, and tell."""
    seconds = max(minutes * 60 / len(names), 1)
    lines = [
        f"{'surface':10} {'executions':>11} {'findings':>8} {'longest ms':>10} {'MB grown':>8} {'MB':>6}"
    ]
    bad = 0
    for name in names:
        (WHERE / name).mkdir(parents=True, exist_ok=True)
        with (WHERE / name / "log.txt").open("w") as log:
            command = [sys.executable, __file__, "--one", name, str(seconds)]
            subprocess.run(command, check=False, cwd=ROOT, stderr=log)
        told = json.loads((WHERE / name / "told.json").read_text())
        again = subprocess.run(
            [sys.executable, __file__, "--time", name], capture_output=True, text=True, check=False, cwd=ROOT
        )
        longest = float(again.stdout.split()[0]) if again.stdout else float("nan")
        grown = (told["memory"] - told["warm_memory"]) / 1e6 if told["warm_memory"] else float("nan")
        bad += told["findings"]
        lines.append(
            f"{name:10} {told['count']:11,} {told['findings']:8} {longest * 1000:10.1f}"
            f" {grown:8.1f} {told['memory'] / 1e6:6.0f}"
        )
        print(lines[-1], flush=True)
    print("\n".join(lines))
    return int(bool(bad))


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], float(sys.argv[3]))
    elif sys.argv[1:2] == ["--time"]:
        print(*timed(sys.argv[2]))
    else:
        from harness.targets import TARGETS as ALL

        sys.exit(main(float(sys.argv[1]), sys.argv[2:] or list(ALL)))
