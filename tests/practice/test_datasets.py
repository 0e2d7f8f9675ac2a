"""The packed data are what they say, full collections are read from folders, and bad files give one clear error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imsave

from practice import datasets
from practice.datasets import BEFORE, CHARACTERS, CLASSES, OTHER, DataError, drawings, encode, play, read, roles


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for a packed file of one's own."""
    path = tmp_path / "own.npz"
    for name in ("ROLES", "DRAWINGS"):
        monkeypatch.setattr(datasets, name, path)
    for reader in (datasets._packed_roles, datasets._packed_drawings):
        monkeypatch.setattr(datasets, reader.__name__, reader.__wrapped__)
    return path


def test_the_packed_roles_are_those_of_the_provenance() -> None:
    found = roles()
    assert (len(found.names), found.skipped, sum(text.size for text in found.texts)) == (447, 0, 1_624_337)
    assert len(set(found.plays)) == 36 and "THE_TRAGEDY_OF_HAMLET__PRINCE_OF_DENMARK" in found.plays
    assert set(np.unique(np.concatenate(found.texts))) == set(range(2, CLASSES))
    first = "".join(CHARACTERS[k - 2] for k in found.texts[0][:23])
    assert first == "And I in going, madam, "


def test_the_packed_drawings_are_those_of_the_provenance() -> None:
    found = drawings()
    assert found.images.shape == (242, 20, 14, 14) and set(np.unique(found.images)) == {0.0, 1.0}
    assert len(set(found.alphabet)) == 8 and set(found.split) == {1, 2}
    assert sum(path.stat().st_size for path in datasets.DATA.iterdir()) < 800_000


def test_roles_are_read_from_a_folder_and_what_is_too_short_is_counted(tmp_path: Path) -> None:
    texts = {"A_PLAY_ONE": b"12345678", "A_PLAY_TWO": b"", "KING_JOHN_ARTHUR": b"To be \xff 123"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_bytes(text)
    found = roles(tmp_path, context=8)
    assert (found.names, found.skipped, found.plays) == (("KING_JOHN_ARTHUR",), 2, ("KING_JOHN",))
    assert found.texts[0][6] == OTHER and BEFORE not in found.texts[0]
    assert play("A_PLAY_ONE") == "A"
    with pytest.raises(DataError, match=r"holds no role longer than 20 characters \(3 are shorter\)"):
        roles(tmp_path, context=20)
    with pytest.raises(DataError, match=r"holds no roles: expected a folder of files PLAY_CHARACTER\.txt"):
        roles(tmp_path / "nowhere")


def test_drawings_are_read_from_a_folder(tmp_path: Path) -> None:
    image = np.ones((105, 105))
    image[:30, :15] = 0
    folder = tmp_path / "Greek" / "character01"
    folder.mkdir(parents=True)
    for k in range(19):
        imsave(folder / f"{k:02}.png", image, cmap="gray", vmin=0, vmax=1)
    with pytest.raises(DataError, match=r"character01 must hold 20 png files, got 19"):
        drawings(tmp_path)
    (folder / "19.png").write_bytes(b"no picture")
    with pytest.raises(DataError, match=r"cannot read the drawings in .*character01: "):
        drawings(tmp_path)
    imsave(folder / "19.png", image, cmap="gray", vmin=0, vmax=1)
    found = drawings(tmp_path)
    assert found.images.shape == (1, 20, 14, 14) and list(found.alphabet) == ["Greek"]
    assert found.images[0, 0].sum() == 8 and found.images[0, 0, :4, :2].all()
    with pytest.raises(DataError, match="holds no drawings"):
        drawings(tmp_path / "Greek" / "character01")


def test_a_truncated_or_foreign_file_gives_one_clear_error(packed: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*own\.npz: .*No such file"):
        roles()
    whole = (Path(datasets.__file__).parent / "data" / "shakespeare_roles.npz").read_bytes()
    for text in (b"", b"no zip", whole[:1000], whole[: len(whole) // 2], whole[:5000] + bytes(300) + whole[5300:]):
        packed.write_bytes(text)
        for reader in (roles, drawings):
            with pytest.raises(DataError, match=r"cannot read .*own\.npz: "):
                reader()


def test_a_file_with_other_arrays_gives_one_clear_error(packed: Path) -> None:
    text, names = np.frombuffer(b"some words", np.uint8), np.array(["A_B"])
    np.savez(packed, text=text, offsets=np.array([0, 11]), roles=names)
    with pytest.raises(DataError, match=r"own\.npz is damaged: its offsets do not cut its text into 1 roles"):
        roles()
    np.savez(packed, text=text / 2, offsets=np.array([0, 10]), roles=names)
    with pytest.raises(DataError, match=r"own\.npz is damaged: text has dtype float64"):
        roles()
    bits = np.zeros((1, 20, 24), np.uint8)
    np.savez(packed, bits=bits, alphabet=names, character=names, split=np.ones(1, np.int8))
    with pytest.raises(DataError, match=r"own\.npz is damaged: its bits have shape \(1, 20, 24\) for 1 characters"):
        drawings()
    np.savez(packed, text=text, offsets=np.array([0, 10]), roles=names)
    assert roles().texts[0].tolist() == encode(b"some words").tolist()
    assert read(packed, {"roles": "U"})["roles"].tolist() == ["A_B"]
