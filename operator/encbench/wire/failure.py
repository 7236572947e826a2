"""Why a program of encbench ends with an error, as it leaves that in its termination message.

A status repeats this sentence, and no other text of a container: what a user's image writes may
hold whatever that image can read.
"""

import json
import sys
from pathlib import Path
from typing import NoReturn

from encbench.wire.foreign import LONGEST, printable, said

MESSAGE = Path("/dev/termination-log")
"""The kubelet takes 4,096 bytes of it."""


def leave(sentence: str, message: Path = MESSAGE) -> NoReturn:
    """End with 1, with the sentence in the log and in the message, which the kubelet has made."""
    if message.exists():
        message.write_text(json.dumps({"failure": sentence[:LONGEST]}), encoding="utf-8")
    sys.exit(f"encbench: {sentence}")


def failure(termination_message: str) -> str | None:
    """The sentence; None for any other message."""
    sentence = said(termination_message, "failure")
    return printable(sentence) if isinstance(sentence, str) and sentence else None
