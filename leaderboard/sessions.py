"""What Gradio keeps of each open page: as little as the pages need.

By itself it describes every part of every page anew for each visitor, 30 ms of a processor and some hundred kilobytes,
for links that lead back into the very state of a page; there are none here, the address says it all. And it keeps ten
thousand visitors.
"""

import copy
from typing import Any

from fastapi import FastAPI

N_SESSIONS = 2_000
"""Open pages that are remembered; one that is forgotten is sent again as a whole when it next asks."""
_KEPT_CLOSED_S = 600


def keep_little(app: FastAPI, blocks: Any) -> None:
    """Let Gradio's application keep little of each session.

    Args:
        app: Gradio's application, mounted and not yet started.
        blocks: the gr.Blocks that it shows.
    """
    from gradio.state_holder import SessionState, StateHolder

    class Session(SessionState):  # type: ignore[misc]  # Gradio ships no types
        """One open page."""

        def __init__(self, of: Any) -> None:
            self.blocks_config = copy.copy(of.default_config)
            self.config_values: dict[int, Any] = {}
            self.state_data: dict[int, Any] = {}
            self._state_ttl: dict[int, Any] = {}
            self.is_closed = False
            self.STATE_TTL_WHEN_CLOSED = _KEPT_CLOSED_S

        def __setitem__(self, key: int, value: Any) -> None:
            super().__setitem__(key, value)
            self.config_values.clear()

        def _update_config(self, key: int) -> None:
            """Remember nothing: only a link that leads back into a page's state asks for it."""

        def _update_value_in_config(self, key: int, value: Any) -> None:
            """Remember nothing, above all no page of its own for each visitor; likewise."""

    class Sessions(StateHolder):  # type: ignore[misc]
        """All open pages."""

        def __getitem__(self, session_id: str) -> Any:
            if session_id not in self.session_data:
                self.session_data[session_id] = Session(self.blocks)
            return super().__getitem__(session_id)

    blocks.state_session_capacity = N_SESSIONS
    sessions = Sessions()
    sessions.set_blocks(blocks)
    app.state_holder = sessions  # type: ignore[attr-defined]
