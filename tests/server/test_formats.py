"""Formats of one's own in the service: a folder that its settings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.app import create_app
from server.settings import Settings, SettingsError, from_environment
from sim.codec import Message
from sim.codec.wire import catalogue, encode

_HOST = 'extends = "bcd"\ntitle = "My host"\nsource = "its manual"\n[elements.41]\nformat = "ans 16"\n'


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test loads is known in that test only."""
    monkeypatch.setattr(catalogue, "_LOADED", {})


def test_the_folder_is_read_from_the_environment(tmp_path: Path) -> None:
    """SIM_FORMATS names it; its formats are known when the application is made."""
    (tmp_path / "my-host.toml").write_text(_HOST, encoding="utf-8")
    settings = from_environment({"SIM_FORMATS": str(tmp_path)})
    create_app(settings, "test-formats-known")
    assert "my-host" in catalogue.names()
    message = Message("0200", {11: "123456", 41: "T" * 16})
    assert len(encode(message, "my-host")) == 2 + 8 + 3 + 16


@pytest.mark.parametrize("content", ['extends = "nothing"', "[[["])
def test_a_bad_format_is_a_bad_setting(tmp_path: Path, content: str) -> None:
    """The server does not start with half of what it was told: the error names the file."""
    (tmp_path / "bad.toml").write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"formats: .*bad\.toml"):
        Settings(formats=str(tmp_path)).load_formats()
    with pytest.raises(SettingsError, match="formats"):
        Settings(formats=str(tmp_path / "nowhere")).load_formats()
