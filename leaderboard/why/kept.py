"""What derivations rest on, read once for a revision and kept: ledgers, grids, proofs of pairs."""

from leaderboard.derive.records import Slice
from leaderboard.published import Kept, file_revision
from leaderboard.views import Board
from leaderboard.why.chain import Chain, chain_of
from leaderboard.why.grid import Grid, of_board
from leaderboard.why.ledger import Ledger, read_ledger
from leaderboard.why.number import composites_right
from leaderboard.why.pair import PairProof, prove
from submissions import layout
from submissions.store.base import PublishedFiles

N_LEDGERS = 96
"""Systems whose ledgers are kept; some 0.3 MiB each."""
N_CHAINS = 256
"""Clips whose chains are kept; some 10 KiB each."""
N_PROOFS = 128
"""Pairs that are kept; some 20 KiB each."""


class Whys:
    """Ledgers, grids and proofs of a published folder."""

    def __init__(self, files: PublishedFiles) -> None:
        """Read from `files`."""
        self._files = files
        self._ledgers: Kept[Ledger] = Kept(N_LEDGERS)
        self._grids: Kept[Grid] = Kept(8)
        self._proofs: Kept[PairProof | None] = Kept(N_PROOFS)
        self._chains: Kept[Chain | None] = Kept(N_CHAINS)
        self._right: Kept[int] = Kept(1024)

    def ledger(self, board: Board, submission: str) -> Ledger | None:
        """Return a system's ledger; None if it is not on the board, or was withdrawn since the board was read."""
        if board.row(submission) is None:
            return None
        key = (board.protocol_id, submission)
        try:
            return self._ledgers.get(
                key,
                self._revision(board, submission),
                lambda: read_ledger(self._files, board.protocol, board.protocol_id, submission),
            )
        except FileNotFoundError:
            return None

    def grid(self, board: Board) -> Grid:
        """Return the grid of a board's published decisions."""
        return self._grids.get(board.protocol_id, board.revision, lambda: of_board(board))

    def proof(self, board: Board, one: str, other: str, part: Slice) -> PairProof | None:
        """Return the proof of a pair on a slice; None for no pair of the board, or a slice without an item."""
        ours, theirs = self.ledger(board, one), self.ledger(board, other)
        if ours is None or theirs is None or one == other:
            return None
        revision = self._revision(board, one) + self._revision(board, other)
        key = (board.protocol_id, one, other, part)
        return self._proofs.get(key, revision, lambda: prove(board.protocol, ours, theirs, part))

    def composites_right(self, board: Board, ledger: Ledger) -> int:
        """Return how many published composites of a system are what its desirabilities and the gate give."""
        key, revision = (board.protocol_id, ledger.submission), self._revision(board, ledger.submission)
        return self._right.get(key, revision, lambda: composites_right(board.protocol, ledger))

    def chain(self, board: Board, submission: str, item_id: str) -> Chain | None:
        """Return the chain of one clip; None for a system or an item that is not there."""
        if board.row(submission) is None:
            return None
        key = (board.protocol_id, submission, item_id)

        def read() -> Chain | None:
            table = layout.read_samples(self._files, board.protocol_id, submission)
            return chain_of(board.protocol, table, item_id)

        try:
            return self._chains.get(key, self._revision(board, submission), read)
        except FileNotFoundError:
            return None

    def _revision(self, board: Board, submission: str) -> str:
        return file_revision(self._files, layout.result_path(board.protocol_id, submission))
