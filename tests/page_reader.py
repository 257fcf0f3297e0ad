"""Reads pages strictly, as a browser would that forgives nothing."""

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "path", "rect"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in order; keeps tags, attributes and texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.ids: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


def assert_asks_for_nothing(page: str) -> None:
    """Makes sure that a page loads nothing and that its policy lets run what it holds and nothing else."""
    reader = Reader(page)
    for tag, name, value in reader.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name != "style", (tag, value)
        if name in ("src", "href", "action", "data", "srcset"):
            assert value.startswith("#"), (tag, name, value)
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(reader.tags)
    policy = next(value for tag, name, value in reader.attributes if tag == "meta" and "default-src" in value)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag, kind in (("style", "style-src"), ("script", "script-src")):
        (block,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashed = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert f"{kind} 'sha256-{hashed}'" in policy
        assert "http" not in block
