"""Text as XML can hold it."""

from __future__ import annotations

import re

from attncli.render.html import escaped

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """A text with nothing in it that XML would obey, in or outside quotes."""
    return escaped(allowed(text))


def cdata(html: str) -> str:
    parts = allowed(html).replace("]]>", "]]]]><![CDATA[>")
    return f"<![CDATA[{parts}]]>"


def allowed(text: str) -> str:
    """The text with a replacement character for what XML can't hold at all."""
    return _NOT_IN_XML.sub("\ufffd", text)
