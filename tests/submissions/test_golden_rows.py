"""The published bytes of lite rows never change, whatever else a table may hold one day."""

from pathlib import Path

import pytest

from evaluation.protocol import load_shipped
from tests.submissions.golden_rows import fingerprint, publish_rows

GOLDEN = {
    "lite-1": {
        "board": "1c07b2dc8664db92bb8fcba93ace34e561cff5cb227a22a63346ef23c9bd250c",
        "clips": "3fbec99ec9b07314ef31d7ac7a28f004f864adb7ba0cf184e08bdbff71655eea",
        "per_sample": "9113eb11cf37ed88668d0f3370686bb8424a012021222cf8f17acb3327903b6c",
        "protocols": "f9e1c95d1ddab3123c5297bdb0d6412922db589813c2358a25905ddcd2bf8d51",
        "results": "653cfcf1dfc447620a5f28d09bf152b4152a7937d755c138af074f35786f9616",
        "systems": "ef6adb7440a5b722bb7a9b4a9f0cf804688429e8410e069be14d48b839d2d371",
    },
    "lattice-1": {
        "board": "537d3a8c1031078459e915a08e284cf88eea1b0f2400071d74990b5e0c96458e",
        "clips": "3fbec99ec9b07314ef31d7ac7a28f004f864adb7ba0cf184e08bdbff71655eea",
        "per_sample": "b332869ed7473e267446dfbf2e3cb0bdf2066ef0eba178ea9253eca3d5965d6b",
        "protocols": "57399cbf624b53774d72abc137756e4406c7050014d1b51c919184e5325cb164",
        "results": "414fc617f1dcd687d36338c984d78f45c74226e6d379b462cbd15af7f0dce196",
        "systems": "ef6adb7440a5b722bb7a9b4a9f0cf804688429e8410e069be14d48b839d2d371",
    },
}
"""By normaliser and folder; tables were written by the pinned pyarrow."""


def test_lite_keeps_its_id() -> None:
    """The shipped protocol is the one of every lite row."""
    assert load_shipped("lite").id == "00343e71819c"


@pytest.mark.parametrize("normaliser", GOLDEN)
def test_lite_rows_keep_their_bytes(tmp_path: Path, normaliser: str) -> None:
    """Recipe, cards, tables, clips, results and board are the very bytes that the first boards were published with."""
    assert fingerprint(publish_rows(tmp_path, normaliser)) == GOLDEN[normaliser]
