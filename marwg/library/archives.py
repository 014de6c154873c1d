"""Zip files: unpacked into a folder for as long as they are read, within limits."""

import zipfile
from pathlib import Path, PurePosixPath

from marwg.errors import UnreadableFile

MOST_FILES = 5_000
MOST_BYTES = 1024**3


def unpack(path: Path, folder: Path) -> list[Path]:
    """The files of an archive, unpacked into `folder`; UnreadableFile where it is damaged, locked or too large."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not _hidden(m.filename)]
            _refuse_large(path, members)
            return [_unpacked(archive, member, folder / str(number)) for number, member in enumerate(members)]
    except RuntimeError as error:  # how zipfile says that a password is asked for
        raise UnreadableFile(f"{path.name} is encrypted.", "Unpack it, and add the folder.") from error
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
        raise UnreadableFile(f"{path.name} is no zip file, or a damaged one.", "Pack it again.") from error


def _hidden(name: str) -> bool:
    """Files that operating systems add, and that nobody means."""
    return any(part != ".." and part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _refuse_large(path: Path, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MOST_FILES or sum(m.file_size for m in members) > MOST_BYTES:
        limit = f"{MOST_FILES} files or {MOST_BYTES // 1024**2} MB"
        raise UnreadableFile(f"{path.name} holds more than {limit}.", "Cut it into smaller archives.")


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> Path:
    """The member under its own last name, in a folder of its own: no name can lead out of it."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / (Path(PurePosixPath(member.filename.replace("\\", "/")).name).name or "file")
    left = member.file_size
    with archive.open(member) as packed, target.open("wb") as out:
        while chunk := packed.read(1 << 20):
            left -= len(chunk)
            if left < 0:
                raise zipfile.BadZipFile("a member is larger than it says")
            out.write(chunk)
    return target
