"""Plain text."""

import codecs

from dataaudit.corpus import ReadOptions

BY_LINE = ReadOptions(document_per="line", number_columns=("loss",))


def write(folder, data, name="a.txt"):
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_file_is_a_document(tmp_path, read):
    data = "one\r\n\ntwo\0 é\n".encode()
    write(tmp_path, data)
    write(tmp_path, codecs.BOM_UTF8 + data, "b.md")
    result = read(tmp_path)
    assert result.texts == [data.decode()] * 2
    assert result.places == [("a.txt", 1, 0), ("b.md", 1, 3)]
    assert [each["id"] for each in result.documents] == [None, None]


def test_a_line_is_a_document(tmp_path, read):
    result = read(write(tmp_path, "one\r\n\n \ntwo\u2028 é\rx\nlast".encode()), options=BY_LINE)
    assert result.texts == ["one", "two\u2028 é\rx", "last"]
    assert result.places == [("a.txt", 1, 0), ("a.txt", 4, 8), ("a.txt", 5, 20)]
    assert [each["loss"] for each in result.documents] == [None] * 3


def test_bytes_that_are_no_utf8_are_unreadable(tmp_path, read):
    path = write(tmp_path, b"caf\xe9\nok\n")
    assert read(path).fault_places == [("a.txt", "unreadable", 1, 0)]
    result = read(path, options=BY_LINE)
    assert result.texts == ["ok"]
    assert "byte 0xe9 at byte 4" in result.faults[0][1].reason


def test_utf16_with_its_mark_is_decoded_and_said(tmp_path, read):
    for encoding, mark in (("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)):
        path = write(tmp_path, mark + "é😀\nzwei\n".encode(encoding))
        result = read(path)
        assert result.texts == ["é😀\nzwei\n"]
        assert result.plan.notes[0].encoding == "utf-16"
        assert read(path, options=BY_LINE).places == [("a.txt", 1, None), ("a.txt", 2, None)]


def test_utf16_that_is_cut_in_a_character_is_damage(tmp_path, read):
    result = read(write(tmp_path, "ab\ncd\n".encode("utf-16") + b"\x00"), options=BY_LINE)
    assert result.texts == ["ab", "cd"]
    assert "begins as UTF-16" in result.damage["a.txt"]


def test_a_half_compressed_document_is_no_document(tmp_path, read):
    import gzip

    result = read(write(tmp_path, gzip.compress(bytes(range(32, 127)) * 500)[:-12], "a.txt.gz"))
    assert result.documents == []
    assert "end early" in result.damage["a.txt.gz"]
