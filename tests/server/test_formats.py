"""The user's own formats in the service: a folder named in its settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from server.app import create_app
from server.settings import Settings, SettingsError, from_environment
from sim.codec import Message
from sim.codec.wire import catalogue, encode

_HOST = 'extends = "bcd"\ntitle = "My host"\nsource = "its manual"\n[elements.41]\nformat = "ans 16"\n'


def test_the_folder_is_read_from_the_environment(tmp_path: Path) -> None:
    """SIM_FORMATS names it; its formats are loaded with the application."""
    (tmp_path / "my-host.toml").write_text(_HOST, encoding="utf-8")
    settings = from_environment({"SIM_FORMATS": str(tmp_path)})
    create_app(settings, "test-formats-known")
    assert "my-host" in catalogue.names()
    message = Message("0200", {11: "123456", 41: "T" * 16})
    assert len(encode(message, "my-host")) == 2 + 8 + 3 + 16


@pytest.mark.parametrize("content", ['extends = "nothing"', "[[["])
def test_a_bad_format_is_a_bad_setting(tmp_path: Path, content: str) -> None:
    """The server does not start with an invalid format: the error names the file."""
    (tmp_path / "bad.toml").write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"formats: .*bad\.toml"):
        Settings(formats=str(tmp_path)).load_formats()
    with pytest.raises(SettingsError, match="formats"):
        Settings(formats=str(tmp_path / "nowhere")).load_formats()


def test_a_format_of_the_folder_is_spoken_over_http(start: Any, tmp_path: Path) -> None:
    """A message is built in the dialect and parsed again by its name; an element that it cannot encode is
    named."""
    folder = tmp_path / "formats"
    folder.mkdir()
    (folder / "my-host.toml").write_text(_HOST, encoding="utf-8")
    fields = {"3": "000000", "11": "123456", "41": "TERM000100LANE07"}
    with start(SIM_FORMATS=str(folder)) as running:

        def post(path: str, **body: object) -> tuple[int, Any]:
            data = json.dumps(body).encode()
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            head += f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n"
            answer = running.talk(head.encode() + data)
            return int(answer.split()[1]), json.loads(answer.partition(b"\r\n\r\n")[2])

        status, built = post("/build", mti="0200", fields=fields, format="my-host")
        assert (status, built["format"], built["length"]) == (200, "my-host", 32)
        status, parsed = post("/parse", message=built["message"], format="my-host")
        assert (status, parsed["format"]["name"]) == (200, "my-host")
        assert {str(one["number"]): one["value"] for one in parsed["fields"]} == fields
        status, wrong = post("/build", mti="0200", fields={"41": "TERM0001"}, format="my-host")
        assert (status, wrong["detail"][0]["type"]) == (422, "iso8583_build")
        status, unknown = post("/build", mti="0200", fields=fields, format="nowhere")
        assert (status, unknown["detail"][0]["loc"]) == (422, ["body", "format"])
