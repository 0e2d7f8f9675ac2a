"""Shakespeare's roles and Omniglot's drawings: as packed in `practice/data`, or the full collections from a folder."""

from __future__ import annotations

import itertools
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

DATA = Path(__file__).parent / "data"
ROLES, DRAWINGS = DATA / "shakespeare_roles.npz", DATA / "omniglot_small.npz"
CHARACTERS = "\n !\"&'(),-.123456789:;?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]abcdefghijklmnopqrstuvwxyz"
BEFORE, OTHER = 0, 1  # the classes of the place before the first character, and of characters that are not listed
CLASSES = 2 + len(CHARACTERS)
SIDE, COPIES = 14, 20  # pixels of a packed drawing, drawings of each character
TITLES = (
    *("ALLS_WELL_THAT_ENDS_WELL", "AS_YOU_LIKE_IT", "A_MIDSUMMER_NIGHT_S_DREAM", "CYMBELINE", "KING_HENRY_THE_EIGHTH"),
    *("KING_JOHN", "KING_RICHARD_III", "KING_RICHARD_THE_SECOND", "LOVE_S_LABOUR_S_LOST", "MEASURE_FOR_MEASURE"),
    *("MUCH_ADO_ABOUT_NOTHING", "PERICLES__PRINCE_OF_TYRE", "SECOND_PART_OF_KING_HENRY_IV", "THE_COMEDY_OF_ERRORS"),
    *("THE_FIRST_PART_OF_HENRY_THE_SIXTH", "THE_FIRST_PART_OF_KING_HENRY_THE_FOURTH"),
    *("THE_HISTORY_OF_TROILUS_AND_CRESSIDA", "THE_LIFE_OF_KING_HENRY_THE_FIFTH", "THE_LIFE_OF_TIMON_OF_ATHENS"),
    *("THE_MERCHANT_OF_VENICE", "THE_MERRY_WIVES_OF_WINDSOR", "THE_SECOND_PART_OF_KING_HENRY_THE_SIXTH"),
    *("THE_TAMING_OF_THE_SHREW", "THE_TEMPEST", "THE_THIRD_PART_OF_KING_HENRY_THE_SIXTH"),
    *("THE_TRAGEDY_OF_ANTONY_AND_CLEOPATRA", "THE_TRAGEDY_OF_CORIOLANUS", "THE_TRAGEDY_OF_HAMLET__PRINCE_OF_DENMARK"),
    *("THE_TRAGEDY_OF_JULIUS_CAESAR", "THE_TRAGEDY_OF_KING_LEAR", "THE_TRAGEDY_OF_MACBETH"),
    *("THE_TRAGEDY_OF_OTHELLO__MOOR_OF_VENICE", "THE_TRAGEDY_OF_ROMEO_AND_JULIET", "THE_TRAGEDY_OF_TITUS_ANDRONICUS"),
    *("THE_TWO_GENTLEMEN_OF_VERONA", "THE_WINTER_S_TALE", "TWELFTH_NIGHT__OR__WHAT_YOU_WILL"),
)


class DataError(ValueError):
    """A file or folder does not hold the data that it should; the message names it and says what is wrong."""


class Roles(NamedTuple):
    """Texts as classes of characters (int64, 0 to CLASSES - 1), the names of their roles, and how many were skipped."""

    names: tuple[str, ...]
    texts: tuple[np.ndarray, ...]
    skipped: int

    @property
    def plays(self) -> tuple[str, ...]:
        """The play of each role."""
        return tuple(map(play, self.names))


class Drawings(NamedTuple):
    """`images` (n, 20, 14, 14) in float32, ink is 1; alphabet, character and split of each of the n characters."""

    images: np.ndarray
    alphabet: np.ndarray
    character: np.ndarray
    split: np.ndarray


def play(role: str) -> str:
    """The play that a role's name begins with; what stands before its first underscore if the play is not known."""
    return next((title for title in TITLES if role.startswith(f"{title}_")), role.partition("_")[0])


def roles(folder: Path | str | None = None, context: int = 8) -> Roles:
    """The packed roles, or those of a `folder` of LEAF's raw texts (by_play_and_character), a role in each file.

    A role that is empty or no longer than the `context` has nothing to predict: it is skipped and counted.
    Raises DataError for a file or folder that does not hold roles.
    """
    named = _packed_roles() if folder is None else _raw_roles(Path(folder))
    kept = [(name, text) for name, text in named if text.size > context]
    if not kept:
        raise DataError(f"{folder or ROLES} holds no role longer than {context} characters ({len(named)} are shorter)")
    return Roles(tuple(name for name, _ in kept), tuple(text for _, text in kept), len(named) - len(kept))


def encode(text: bytes | np.ndarray) -> np.ndarray:
    """The classes of the characters of an ASCII text."""
    table = np.full(256, OTHER)
    table[np.frombuffer(CHARACTERS.encode(), np.uint8)] = 2 + np.arange(len(CHARACTERS))
    return table[np.frombuffer(text, np.uint8) if isinstance(text, bytes) else text]


@cache
def _packed_roles() -> list[tuple[str, np.ndarray]]:
    held = read(ROLES, {"text": "u", "offsets": "i", "roles": "U"})
    text, offsets, names = held["text"], held["offsets"], held["roles"]
    if offsets.size != names.size + 1 or offsets[0] != 0 or offsets[-1] != text.size or (np.diff(offsets) < 0).any():
        raise DataError(f"{ROLES} is damaged: its offsets do not cut its text into {names.size} roles")
    codes = encode(text)
    return [(str(name), codes[a:b]) for name, (a, b) in zip(names, itertools.pairwise(offsets), strict=True)]


def _raw_roles(folder: Path) -> list[tuple[str, np.ndarray]]:
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise DataError(f"{folder} holds no roles: expected a folder of files PLAY_CHARACTER.txt")
    try:
        return [(path.stem, encode(path.read_bytes())) for path in files]
    except OSError as error:
        raise DataError(f"cannot read the roles in {folder}: {error}") from error


def drawings(folder: Path | str | None = None) -> Drawings:
    """The packed drawings, or those of a `folder` of Omniglot's images (ALPHABET/CHARACTER/*.png), reduced to 14 x 14:
    ink is what covers more than a twelfth of a cell. Their split is 0.

    Raises DataError for a file or folder that does not hold drawings.
    """
    return _packed_drawings() if folder is None else _raw_drawings(Path(folder))


@cache
def _packed_drawings() -> Drawings:
    held = read(DRAWINGS, {"bits": "u", "alphabet": "U", "character": "U", "split": "i"})
    n = held["alphabet"].size
    if held["bits"].shape != (n, COPIES, (SIDE * SIDE + 7) // 8) or held["character"].size != n:
        raise DataError(f"{DRAWINGS} is damaged: its bits have shape {held['bits'].shape} for {n} characters")
    pixels = np.unpackbits(held["bits"], axis=-1)[..., : SIDE * SIDE].astype(np.float32)
    images = pixels.reshape(n, COPIES, SIDE, SIDE)
    return Drawings(images, held["alphabet"], held["character"], held["split"])


def _raw_drawings(folder: Path) -> Drawings:
    found = sorted(path for path in folder.glob("*/*") if path.is_dir())
    if not found:
        raise DataError(f"{folder} holds no drawings: expected folders ALPHABET/CHARACTER with {COPIES} png files each")
    images = np.stack([_raw_character(path) for path in found])
    names = np.array([(path.parent.name, path.name) for path in found])
    return Drawings(images, names[:, 0], names[:, 1], np.zeros(len(found), np.int8))


def _raw_character(folder: Path) -> np.ndarray:
    from matplotlib.image import imread

    files = sorted(folder.glob("*.png"))
    if len(files) != COPIES:
        raise DataError(f"{folder} must hold {COPIES} png files, got {len(files)}")
    try:
        return np.stack([reduced(np.asarray(imread(path))) for path in files])
    except (OSError, SyntaxError, ValueError) as error:  # what the reader of images raises for broken ones
        raise DataError(f"cannot read the drawings in {folder}: {error}") from error


def reduced(image: np.ndarray) -> np.ndarray:
    """An image, dark on white (values in [0, 1], or bool), as 14 x 14 cells of 0 and 1 (ink)."""
    grey = image.astype(np.float64)
    grey = grey if grey.ndim == 2 else grey[..., :3].mean(axis=-1)
    rows, columns = (np.arange(SIDE) * n // SIDE for n in grey.shape)
    ink = np.add.reduceat(np.add.reduceat(1 - grey, rows, axis=0), columns, axis=1)
    cells = np.outer(np.diff([*rows, grey.shape[0]]), np.diff([*columns, grey.shape[1]]))
    return (ink > cells / 12).astype(np.float32)


def read(path: Path, wanted: dict[str, str]) -> dict[str, np.ndarray]:
    """The arrays of an npz file by name, each of one of the kinds of dtype that `wanted` lists.

    Raises DataError for a file that is missing, truncated, no npz file, or without one of the arrays.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
            found = {name: held[name] for name in wanted}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"cannot read {path}: {error}") from error
    for name, kinds in wanted.items():
        if found[name].dtype.kind not in kinds:
            raise DataError(f"{path} is damaged: {name} has dtype {found[name].dtype}")
    return found
