"""`CopyMenu`: a message as text, hex, JSON, Python, curl, a test or a page, copied or saved as a file.

The content is sent as a transient message, so no saved notebook contains it. Card numbers are replaced by
test cards unless the user chooses otherwise next to the button; the page is masked.
"""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from sim.operations import strip_line_ending
from sim.operations.copying import FORMS, copied, page
from sim.widgets.markup import STATIC, script
from sim.widgets.page import anatomy_html

PAGE = "html"
_PAGE_WORDS = "HTML of the anatomy"


class CopyMenu(anywidget.AnyWidget):
    """Copies `message` (raw text, which stays in Python with `version` and `network`)."""

    _esm = script("clipboard", "copy_menu")
    _css = STATIC / "copy_menu.css"

    message = traitlets.Unicode("")
    version = traitlets.Unicode(None, allow_none=True)
    network = traitlets.Unicode(None, allow_none=True)
    forms: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        words = [[name, label] for name, (label, _, _) in FORMS.items()]
        super().__init__(forms=[*words, [PAGE, _PAGE_WORDS]], **kwargs)
        self.on_msg(self._on_request)

    def text(self, form: str, masked: bool = True) -> str:
        """The message as *form*: one of `sim.operations.copying.FORMS`, or `html`, a self-contained page."""
        raw = strip_line_ending(self.message)
        if form == PAGE:
            return page(anatomy_html(raw, self.version, self.network, masked), "ISO 8583 message")
        return copied(raw, form, version=self.version, network=self.network, masked=masked)

    def _on_request(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        form, ask = content.get("form"), content.get("ask")
        is_form = form == PAGE or form in FORMS
        if ask in ("copy", "file") and is_form and self.message:
            name = f"message.{PAGE if form == PAGE else FORMS[str(form)][1]}"
            # Only an explicit False shows card data.
            text = self.text(str(form), masked=content.get("masked") is not False)
            self.send({"kind": ask, "text": text, "name": name})

    def __repr__(self) -> str:
        return "CopyMenu()"
