"""From the names in a recipe and the operator's address and key to a judge that can be asked."""

from evaluation.judge.backend import JudgeBackend, JudgeMisconfigured
from evaluation.judge.embedded import EmbeddedBackend
from evaluation.judge.gemini import GeminiBackend
from evaluation.judge.openai_compatible import OpenAIBackend


def open_backend(backend: str, model: str, *, url: str | None, key: str | None, timeout_s: float) -> JudgeBackend:
    """Return the judge; nothing is sent yet.

    Args:
        backend: "gemini", "openai" or "embedded".
        model: model id, as the provider names it.
        url: the provider's address; None for its own. The embedded judge has none.
        key: API key; None where none is needed.
        timeout_s: longest silence of the provider during one call, s, > 0; the whole call lasts no longer than
            `deadline.SILENCES` times that.

    Raises:
        JudgeMisconfigured: for an unknown backend, or what the backend needs is not given.
        MissingDependency: if its package is not installed.
    """
    if backend == "gemini":
        return GeminiBackend.load(model=model, api_key=key or "", base_url=url, timeout_s=timeout_s)
    if backend == "openai":
        return OpenAIBackend.load(model=model, api_key=key, base_url=url, timeout_s=timeout_s)
    if backend == "embedded":
        return EmbeddedBackend.load(model=model)
    raise JudgeMisconfigured(f"there is no judge {backend!r:.80}; choose gemini, openai or embedded")
