"""The words of a page in both languages: each stands in the page once and can be switched."""

import json

from markupsafe import Markup, escape

from dataaudit.output.visible import visible
from dataaudit.report.chinese import CHINESE
from dataaudit.report.chinese_reasons import in_chinese
from dataaudit.report.messages import MESSAGES, WEIGHTED

LANGUAGES = ("en", "zh")
LONGEST = 1200
"""Characters of the longest text of the corpus or the config that a page shows in one place."""


def shown(text: str) -> str:
    """Returns text that others wrote: cut if it is very long, with control and bidi characters made visible."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + " …"
    return visible(text)


class Texts:
    """Gives the messages in one language and keeps what a switch to the other needs.

    Args:
        lang: ``en`` or ``zh``.
        weight: what documents are weighed in: ``tokens``, or ``characters`` without a tokenizer.
    """

    def __init__(self, lang: str, weight: str = "tokens") -> None:
        self.lang = lang
        self._weight = weight
        self._reasons: dict[str, int] = {}
        self.used: dict[str, tuple[str, str]] = {}

    def __call__(self, key: str, *args: object) -> Markup:
        """Returns a message as an element that the page can switch; *args* stand for ``{0}``, ``{1}``, ...

        An argument ``@key`` is itself a message, or text of the result that the page has.
        """
        return self._element(key, self.pair(key), args)

    def data(self, key: str, english: str | None) -> Markup:
        """Returns text of the result, in English there, by its Chinese translation where there is one."""
        if not english:
            return Markup("")
        english = shown(english.replace("``", ""))
        pair = (english, CHINESE.get(key, english))
        self.used[key] = pair
        return self._element(key, pair, ())

    def both(self, key: str, english: str, chinese: str) -> Markup:
        """Returns text that was put together in both languages."""
        self.used[key] = (shown(english), shown(chinese))
        return self._element(key, self.used[key], ())

    def reason(self, english: str | None) -> Markup:
        """Returns what a result says in English of itself, such as why something was skipped, in Chinese too."""
        if not english:
            return Markup("")
        number = self._reasons.setdefault(english, len(self._reasons))
        return self.both(f"reason.{number}", english, in_chinese(english))

    def plain(self, key: str, *args: object) -> str:
        """Returns a message as plain text in the page's language, for titles and descriptions."""
        return self._filled(self.pair(key)[LANGUAGES.index(self.lang)], args)

    def label(self, key: str, *args: object) -> Markup:
        """Returns an ``aria-label`` that the page can switch."""
        given = Markup(' data-la="{}"').format(packed(args)) if args else Markup("")
        return Markup('aria-label="{}" data-label="{}"{}').format(shown(self.plain(key, *args)), key, given)

    def pair(self, key: str) -> tuple[str, str]:
        """Returns a message in both languages and notes that the page uses it."""
        english, chinese = MESSAGES[key]
        if self._weight == "characters" and key in WEIGHTED:
            english, chinese = english.replace("tokens", "characters"), chinese.replace("词元", "字符")
        self.used[key] = english, chinese
        return english, chinese

    def known(self, group: str, name: str) -> Markup:
        """Returns the name of a thing that may be new, such as a group of checks: itself when there is no message."""
        key = f"{group}.{name}"
        return self(key) if key in MESSAGES else escape(shown(name))

    def _element(self, key: str, pair: tuple[str, str], args: tuple[object, ...]) -> Markup:
        text = self._filled(pair[LANGUAGES.index(self.lang)], args)
        given = f' data-a="{escape(packed(args))}"' if args else ""
        # Markup.format does the same, slowly: a page has thousands of these.
        return Markup(f'<span data-m="{escape(key)}"{given}>{escape(shown(text))}</span>')  # noqa: S704 - escaped

    def _filled(self, text: str, args: tuple[object, ...]) -> str:
        for place, value in enumerate(args):
            given = str(value)
            if given[:1] == "@" and (given[1:] in MESSAGES or given[1:] in self.used):
                pair = self.pair(given[1:]) if given[1:] in MESSAGES else self.used[given[1:]]
                given = pair[LANGUAGES.index(self.lang)]
            text = text.replace(f"{{{place}}}", given)
        return text


def packed(args: tuple[object, ...]) -> str:
    """Returns arguments of a message as JSON for the script."""
    return json.dumps([shown(str(each)) for each in args], ensure_ascii=False)
