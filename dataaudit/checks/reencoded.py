"""What a sample of the documents became when their ids were decoded and encoded again."""

import msgspec


class ReencodedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document whose ids are not those of the tokenizer.

    Attributes:
        doc_id: its id in the run.
        position: index of the first id that differs.
        given, encoded: the ids from there on, of the document and of the tokenizer.
        given_text, encoded_text: what these stand for; None when no texts are wanted.
        is_same_inside: whether only ids at the document's ends differ.
    """

    doc_id: int
    position: int
    given: list[int]
    encoded: list[int]
    given_text: str | None
    encoded_text: str | None
    is_same_inside: bool


class Reencoded(msgspec.Struct, frozen=True, kw_only=True):
    """A sample of the documents that came as token ids, beside what the tokenizer makes of their texts.

    Attributes:
        has_decoder: whether the tokenizer's file says how ids become text; else nothing was compared.
        documents: documents of the sample.
        same: documents with the same ids.
        same_inside: documents with the same ids apart from those at their ends, *same* included.
        prefix: ids of a document that were compared at most.
        edge: ids at either end that may differ in *same_inside*.
        tokens, encoded_tokens: ids that were compared, without special ones.
        characters: of the text between them.
        differing: some documents that differ, those that differ inside first.
    """

    has_decoder: bool
    documents: int
    same: int
    same_inside: int
    prefix: int
    edge: int
    tokens: int
    encoded_tokens: int
    characters: int
    differing: list[ReencodedDocument]


class TextCompared(msgspec.Struct, frozen=True, kw_only=True):
    """A sample of the documents that came as token ids, beside what the tokenizer makes of the text given with them.

    Attributes:
        text: the column or the path of the text.
        records: of token ids.
        text_records: of the text; None when it is a column of the same records.
        damage: file and reason where the text could not be read to its end; None when it was.
        without_text: sampled documents with no text beside their ids.
        special_first, special_last: sampled documents whose first, whose last id is special.
        sample: the sampled documents that have a text, and their differences.
    """

    text: str
    records: int
    text_records: int | None
    damage: str | None
    without_text: list[int]
    special_first: int
    special_last: int
    sample: Reencoded

    @property
    def is_in_step(self) -> bool:
        """Whether it is known which text belongs to which ids."""
        return self.text_records is None or self.text_records == self.records
