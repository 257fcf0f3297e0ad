"""Which files an INPUT means, and what they are called."""

import os
import socket

import fsspec
import pytest

from dataaudit.corpus import find_files
from dataaudit.errors import ReadError


def make(root, *names, data="{}"):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data)


def names(found):
    return [each.name for each in found.files]


def test_a_folder_is_searched_and_sorted_by_name_bytes(tmp_path):
    make(tmp_path, "b.jsonl", "a/z.jsonl", "a/deep/er/x.jsonl", "B.jsonl", "é.jsonl", "a.jsonl")
    found = find_files([str(tmp_path)])
    assert names(found) == sorted(names(found), key=str.encode)
    assert names(found) == ["B.jsonl", "a.jsonl", "a/deep/er/x.jsonl", "a/z.jsonl", "b.jsonl", "é.jsonl"]
    assert {each.name: each.source for each in found.files} == {
        "B.jsonl": "B",
        "a.jsonl": "a",
        "a/deep/er/x.jsonl": "a",
        "a/z.jsonl": "a",
        "b.jsonl": "b",
        "é.jsonl": "é",
    }
    assert all(each.size == 2 and each.stamp for each in found.files)


def test_source_of_a_file_is_its_stem_without_any_suffix(tmp_path):
    make(tmp_path, "web.jsonl.gz")
    [file] = find_files([str(tmp_path / "web.jsonl.gz")]).files
    assert (file.name, file.source) == ("web.jsonl.gz", "web")


@pytest.mark.parametrize("folder", ["in put [v2]", "100% #a", "{x,y}", "**"])
@pytest.mark.parametrize("name", ["part 1.jsonl", "b?.jsonl", "[a].jsonl", "*.jsonl"])
def test_an_existing_path_is_never_a_pattern(tmp_path, folder, name):
    make(tmp_path, f"{folder}/{name}", f"{folder}/bx.jsonl", "other/a.jsonl")
    assert names(find_files([str(tmp_path / folder / name)])) == [name]
    assert names(find_files([str(tmp_path / folder)])) == sorted([name, "bx.jsonl"], key=str.encode)


def test_patterns(tmp_path):
    make(tmp_path, "data/web/1.jsonl", "data/web/2.jsonl", "data/books/1.jsonl", "data/README.md", "data/top.jsonl")
    found = find_files([str(tmp_path / "data/*/1.jsonl")])
    assert [(each.name, each.source) for each in found.files] == [("books/1.jsonl", "books"), ("web/1.jsonl", "web")]
    assert names(find_files([str(tmp_path / "data/**/*.jsonl")])) == [
        "books/1.jsonl",
        "top.jsonl",
        "web/1.jsonl",
        "web/2.jsonl",
    ]
    found = find_files([str(tmp_path / "data/*")])
    assert "README.md" not in names(found)
    assert [path for path, _ in found.skipped] == [str(tmp_path / "data/README.md")]


def test_what_does_not_exist_is_named(tmp_path):
    make(tmp_path, "train.jsonl")
    with pytest.raises(ReadError, match=r"trian.jsonl: there is no such file or folder. Did you mean 'train.jsonl'\?"):
        find_files([str(tmp_path / "trian.jsonl")])
    with pytest.raises(ReadError, match="as a pattern it matches none"):
        find_files([str(tmp_path / "*.parquet")])
    with pytest.raises(ReadError, match="an empty text"):
        find_files([""])


def test_what_is_no_data_is_left_out_and_named(tmp_path):
    make(tmp_path, "a.jsonl", ".hidden.jsonl", "._a.jsonl", ".git/config", "README.md", "LICENSE", "SHA256SUMS")
    make(tmp_path, "a.jsonl.md5", "_SUCCESS", "dataset_info.json", "sub/.DS_Store", "checksums.txt")
    found = find_files([str(tmp_path)])
    assert names(found) == ["a.jsonl"]
    assert len(found.skipped) == 11
    assert all(reason for _, reason in found.skipped)
    assert names(find_files([str(tmp_path / "README.md")])) == ["README.md"], "what is asked for by name is read"


def test_loops_of_links_end(tmp_path):
    make(tmp_path, "a/x.jsonl")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to("self")
    found = find_files([str(tmp_path)])
    assert names(found) == ["a/x.jsonl"]
    assert {path.rpartition("/")[2] for path, _ in found.skipped} == {"up", "self"}


def test_a_linked_folder_elsewhere_is_searched(tmp_path):
    make(tmp_path, "far/x.jsonl")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "web").symlink_to(tmp_path / "far")
    assert names(find_files([str(tmp_path / "in")])) == ["web/x.jsonl"]


def test_a_file_that_is_reached_twice_is_taken_once(tmp_path):
    make(tmp_path, "d/a.jsonl", "d/b.jsonl")
    (tmp_path / "d" / "c.jsonl").symlink_to("a.jsonl")
    found = find_files([str(tmp_path / "d/a.jsonl"), str(tmp_path / "d"), f"{tmp_path}/d/*.jsonl", f"{tmp_path}/./d"])
    assert names(found) == ["a.jsonl", "b.jsonl"]


def test_equal_names_get_more_of_their_path(tmp_path):
    make(tmp_path, "p/en/x.jsonl", "q/en/x.jsonl", "q/fr/x.jsonl", "q/en/y.jsonl")
    inputs = [str(tmp_path / each) for each in ("p/en", "q/en", "q/fr/x.jsonl")]
    found = find_files(inputs)
    assert names(found) == ["fr/x.jsonl", "p/en/x.jsonl", "q/en/x.jsonl", "y.jsonl"]
    assert [each.source for each in found.files] == ["x", "x", "x", "y"]


def test_files_that_cannot_be_opened_are_found(tmp_path):
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    make(tmp_path, "a.jsonl")
    assert names(find_files([str(tmp_path)])) == ["a.jsonl", "gone.jsonl"]


def test_a_folder_that_cannot_be_listed_is_named(tmp_path, monkeypatch, read):
    make(tmp_path, "a.jsonl", "locked/b.jsonl", data='{"text":"x"}')
    listdir = os.listdir

    def refuse(path):
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    result = read(tmp_path)
    assert [(file.name, reason) for file, reason in result.plan.damaged] == [
        ("locked", "a folder that cannot be listed")
    ]
    assert result.texts == ["x"]


def test_pipes_and_sockets_are_not_opened(tmp_path, monkeypatch):
    make(tmp_path, "a.jsonl")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        found = find_files([str(tmp_path)])
    assert names(found) == ["a.jsonl"]
    assert {reason for _, reason in found.skipped} == {"neither a file nor a folder"}


def test_a_name_that_is_no_utf8_is_named_and_not_lost(tmp_path, read):
    try:
        (tmp_path / os.fsdecode(b"\xff.jsonl")).write_text('{"text":"x"}')
    except OSError:
        pytest.skip("this file system allows no such name")
    make(tmp_path, "a.jsonl", data='{"text":"y"}')
    result = read(tmp_path)
    assert result.texts == ["y"]
    assert [(file.name, reason) for file, reason in result.plan.damaged] == [
        ("\\xff.jsonl", "cannot be opened: its name is not UTF-8; rename it")
    ]


def test_relative_inputs(tmp_path, monkeypatch):
    make(tmp_path, "d/web/a.jsonl")
    monkeypatch.chdir(tmp_path)
    for given in (".", "./", "d/..", "../" + tmp_path.name):
        assert [(each.name, each.source) for each in find_files([given]).files] == [("d/web/a.jsonl", "d")]
    assert names(find_files(["d/web/*.jsonl"])) == ["a.jsonl"]
    assert names(find_files(["d/*"])) == ["web/a.jsonl"]


def test_fsspec_addresses(read):
    system = fsspec.filesystem("memory")
    for name in ("web/a.jsonl", "web/.hidden", "b [1].jsonl", "README.md"):
        system.pipe(f"/corpus/{name}", b'{"text":"x"}\n')
    try:
        found = find_files(["memory://corpus"])
        assert [(each.name, each.source, each.size) for each in found.files] == [
            ("b [1].jsonl", "b [1]", 13),
            ("web/a.jsonl", "web", 13),
        ]
        assert [path for path, _ in found.skipped] == ["memory:///corpus/README.md", "memory:///corpus/web/.hidden"]
        assert names(find_files(["memory://corpus/*/*.jsonl"])) == ["web/a.jsonl"]
        assert names(find_files(["memory://corpus/b [1].jsonl"])) == ["b [1].jsonl"]
        assert read("memory://corpus", "memory://corpus/web/a.jsonl").texts == ["x", "x"]
        with pytest.raises(ReadError, match="memory://corpus/none: there is no such file"):
            find_files(["memory://corpus/none"])
    finally:
        system.rm("/corpus", recursive=True)


def test_an_address_of_an_unknown_kind():
    with pytest.raises(ReadError, match="nonsense://x: cannot be read"):
        find_files(["nonsense://x"])
