"""The peers, built from their own sources in a folder outside the checkout, never copied into it.

The folder has jPOS 2.1.9 (`jpos21`), the newest jPOS (`jpos`), moov-io/iso8583 (`moov`), its connections
(`moovconn`) and yerden/go-util (`gou`), as their repositories are. What is built stands in `built` there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
WANTED = (
    "make peers PEERS=...: a folder with jpos21 (jpos/jPOS at v2_1_9), jpos (its newest), moov "
    "(moov-io/iso8583), moovconn (moov-io/iso8583-connection) and gou (yerden/go-util); javac, Go 1.25 "
    "or newer (go on the PATH or GO=), and of Debian "
)
_JARS = (
    "jdom2",
    "bcprov",
    "bcpg",
    "hdrhistogram",
    "bsh",
    "commons-cli",
    "jline3",
    "jna",
    "snakeyaml",
    "osgi.core",
)
_JAR_FOLDERS = (Path("/usr/share/java"), Path("/usr/local/share/java"))
_PACKAGES = (
    "default-jdk-headless libjdom2-java libbcprov-java libbcpg-java libhdrhistogram-java libbsh-java "
    "libcommons-cli-java libjline3-java libjna-java libyaml-snake-java libosgi-core-java "
    "golang-golang-x-text-dev golang-gopkg-yaml.v3-dev"
)
_GO_SOURCES = {"x-text": "golang.org/x/text", "yaml": "gopkg.in/yaml.v3"}
_GO_FOLDER = Path("/usr/share/gocode/src")
# Classes of jPOS that want libraries Debian lacks, which no channel and no packager reaches.
_STUBS = {
    "org/jpos/space/JDBMSpace": "public class JDBMSpace<K, V> extends TSpace<K, V> {{ {get} "
    "public void setAutoCommit(boolean on) {{}} public void commit() {{}} }}",
    "org/jpos/space/JESpace": "public class JESpace<K, V> extends TSpace<K, V> {{ {get} }}",
    "org/jpos/q2/ssh/SshService": "public class SshService extends org.jpos.q2.QBeanSupport {{ "
    "public static org.jdom2.Element createDescriptor(int port, String user, String keys, String host) "
    "{{ throw new UnsupportedOperationException(); }} }}",
}
_GET = "public static {name} getSpace(String... said) {{ throw new UnsupportedOperationException(); }}"
_SKIPPED = ("JSONPackager",)


class MissingError(Exception):
    """What is to be had first."""


@dataclass(frozen=True)
class Sources:
    """The folder with the sources, and how to run what was built of them."""

    folder: Path
    jpos: tuple[str, ...]
    moov: tuple[str, ...]

    @property
    def packagers(self) -> dict[str, Path]:
        """jPOS's packager files by their names, those of 2.1.9 before the newest."""
        found: dict[str, Path] = {}
        for version in ("jpos21", "jpos"):
            source = self.folder / version / "jpos" / "src"
            for place in ("main/resources/packager", "dist/cfg/packager"):
                for file in sorted((source / place).glob("*.xml")):
                    found.setdefault(file.name, file)
        return found


def build(folder: str) -> Sources:
    """Build the peers of *folder*, where they are not built yet. Raises MissingError."""
    place = Path(folder) if folder else None
    wanted = ("jpos21", "jpos", "moov", "moovconn", "gou")
    go = os.environ.get("GO") or shutil.which("go")
    jars = [_jar(name) for name in _JARS]
    missing = [name for name in wanted if place is None or not (place / name).is_dir()]
    missing += [] if go else ["go"]
    missing += [] if shutil.which("javac") else ["javac"]
    missing += [f"{name}.jar" for name, jar in zip(_JARS, jars, strict=True) if jar is None]
    if place is None or go is None or missing:
        raise MissingError(f"{WANTED}{_PACKAGES}. Missing here: {', '.join(missing)}")
    made = place / "built"
    classes = os.pathsep.join([str(made / "classes"), *map(str, jars)])
    if not (made / "classes" / "JposPeer.class").exists():
        _compile(place, made, classes)
    if not (made / "moovpeer").exists():
        _compile_go(place, made, go)
    java = ("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "JposPeer")
    return Sources(place, java, (str(made / "moovpeer"),))


def _jar(name: str) -> Path | None:
    return next((file for folder in _JAR_FOLDERS if (file := folder / f"{name}.jar").exists()), None)


def _compile(place: Path, made: Path, classes: str) -> None:
    source = place / "jpos21" / "jpos" / "src" / "main"
    stubs = made / "stubs"
    for name, text in _STUBS.items():
        file, short = stubs / f"{name}.java", name.rpartition("/")[2]
        file.parent.mkdir(parents=True, exist_ok=True)
        package = name.rpartition("/")[0].replace("/", ".")
        body = text.format(get=_GET.format(name=short))
        file.write_text(f"package {package}; {body}\n", encoding="utf-8")
    iso = source / "java" / "org" / "jpos" / "iso"
    files = [*iso.glob("*.java"), *(iso / "channel").glob("*.java"), *(iso / "packager").glob("*.java")]
    # The newest jPOS has a channel that 2.1.9 lacks; its lock is the one thing that is otherwise there.
    newest = place / "jpos/jpos/src/main/java/org/jpos/iso/channel/CMFChannel.java"
    cmf = stubs / "org" / "jpos" / "iso" / "channel" / newest.name
    cmf.parent.mkdir(parents=True, exist_ok=True)
    text = newest.read_text(encoding="utf-8")
    for call in ("serverOutLock.lock();", "serverOutLock.unlock();"):
        text = text.replace(call, "")
    cmf.write_text(text, encoding="utf-8")
    chosen = [str(file) for file in files if file.stem not in _SKIPPED]
    path = f"{stubs}{os.pathsep}{source / 'java'}"
    target = made / "classes"
    shutil.copytree(source / "resources", target, dirs_exist_ok=True)
    javac = ["javac", "-nowarn", "-proc:none", "-sourcepath", path, "-cp", classes, "-d", str(target)]
    subprocess.run([*javac, *chosen, str(cmf), str(HERE / "JposPeer.java")], check=True)


def _compile_go(place: Path, made: Path, go: str) -> None:
    work = made / "go"
    shutil.copytree(HERE / "moov", work, dirs_exist_ok=True)
    for name, module in _GO_SOURCES.items():
        copy = work / f"dep-{name}"
        shutil.copytree(_GO_FOLDER / module, copy, dirs_exist_ok=True, symlinks=False)
        (copy / "go.mod").write_text(f"module {module}\n", encoding="utf-8")
    module = (work / "go.mod.in").read_text(encoding="utf-8")
    (work / "go.mod").write_text(module.replace("PEERS", str(place.resolve())), encoding="utf-8")
    free = os.environ | {"GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    subprocess.run(
        [go, "build", "-o", str((made / "moovpeer").resolve()), "."], cwd=work, env=free, check=True
    )
