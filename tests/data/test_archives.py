"""Reading members of untrusted archives."""

import io
import random
import stat
import zipfile
from collections.abc import Callable

import pytest

from ipcae.data.archives import unpack
from ipcae.errors import InputError


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return packed.getvalue()


def test_a_member_is_found_through_two_archives():
    inner = zipped({"deep/x.txt": b"content"})
    outer = zipped({"read me": b"", "inner.zip": inner})
    assert unpack("outer.zip", outer, ["inner.zip", "deep/x.txt"]) == b"content"


def test_a_z_file_is_decompressed_alone_and_in_an_archive(compress: Callable[[bytes], bytes]):
    content = random.Random(0).randbytes(1_000) * 30 + b"0.25, -0.125, " * 10_000
    assert unpack("x.data.Z", compress(content)) == content
    archive = zipped({"x.data.Z": compress(content)})
    assert unpack("x.zip", archive, ["x.data.Z"]) == content


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/etc/x", "C:\\x", "c:x", "..\\x", "\\\\host\\share\\x"]
)
def test_an_archive_with_a_name_that_leaves_the_folder_is_refused(name: str):
    archive = zipped({"x.txt": b"harmless", name: b"evil"})
    with pytest.raises(InputError, match="outside of the folder"):
        unpack("x.zip", archive, ["x.txt"])


def test_an_archive_with_a_symbolic_link_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.txt", "harmless")
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match="outside of the folder"):
        unpack("x.zip", packed.getvalue(), ["x.txt"])


def test_a_bomb_is_refused_before_it_goes_off():
    bomb = zipped({"x.txt": bytes(50_000_000)})
    assert len(bomb) < 100_000
    with pytest.raises(InputError, match="more than 1000000 bytes"):
        unpack("x.zip", bomb, ["x.txt"], limit=1_000_000)


def test_the_limit_holds_for_all_layers_together():
    inner = zipped({"x.txt": bytes(600)}, zipfile.ZIP_STORED)
    outer = zipped({"inner.zip": inner})
    assert len(inner) < 1_000
    with pytest.raises(InputError, match=r"x\.txt.* more than"):
        unpack("outer.zip", outer, ["inner.zip", "x.txt"], limit=1_000)


def test_a_member_that_is_larger_than_it_says_is_refused():
    content = bytes(5_000)
    archive = zipped({"x.txt": content}).replace((5_000).to_bytes(4, "little"), b"\x0a\0\0\0")
    with pytest.raises(InputError, match="not a readable zip"):
        unpack("x.zip", archive, ["x.txt"])


def test_a_missing_member_is_named():
    with pytest.raises(InputError, match=r'x\.zip has no member "y\.txt"'):
        unpack("x.zip", zipped({"x.txt": b""}), ["y.txt"])


def test_damage_anywhere_is_refused_or_harmless():
    rng = random.Random(0)
    whole = zipped({"x.txt": rng.randbytes(300), "y.txt": bytes(3_000)})
    n_refused = 0
    for _ in range(2_000):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] = rng.randrange(256)
        end = rng.choice([len(whole), rng.randrange(len(whole))])
        try:
            content = unpack("x.zip", bytes(damaged[:end]), ["y.txt"])
        except InputError:
            n_refused += 1
        else:
            assert content == bytes(3_000)
    assert n_refused > 1_000


def test_a_damaged_z_file_is_an_input_error(compress: Callable[[bytes], bytes]):
    whole = compress(b"0.25, -0.125, " * 100)
    for damaged in (b"", b"not LZW at all", whole[:4], whole[:3] + b"\xff" * 40):
        with pytest.raises(InputError, match=r"not a readable \.Z file"):
            unpack("x.data.Z", damaged)
