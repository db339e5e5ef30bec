"""The judge at Google: native audio, a JSON schema for the reply, and the provider's own count of tokens."""

from dataclasses import dataclass, field
from typing import Any

from evaluation.errors import CastboardError, MissingDependency
from evaluation.judge import clock, failures
from evaluation.judge.address import mark_of
from evaluation.judge.backend import JudgeMisconfigured, JudgeUnavailable, Reply, Request, Sound, Usage
from evaluation.judge.deadline import Deadline

INSTALL = "pip install google-genai==3.6.1"
GOOGLE = "https://generativelanguage.googleapis.com/"
_API_VERSION = "v1beta"
_BLOCKED = frozenset(
    {"safety", "recitation", "blocklist", "prohibited_content", "spii", "model_armor", "escalation", "language"}
)
_FINISHES = {"stop": "stop", "max_tokens": "length"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiBackend:
    """One Gemini model; make one with `load`. Safe to use from several threads at once."""

    model: str
    """Model id, as Google names it."""
    client: Any = field(repr=False)
    """The google.genai client."""
    api_key: str = field(repr=False)
    """Key of the API; only ever compared with what the provider says, so that it is never repeated."""
    deadline: Deadline = field(repr=False)
    """Bounds every call of the client."""
    endpoint: str = ""
    """Mark of the address that is asked, by `address.mark_of`."""
    name: str = "gemini"
    """Name of the backend."""

    @classmethod
    def load(cls, *, model: str, api_key: str, base_url: str | None = None, timeout_s: float) -> "GeminiBackend":
        """Return the backend; nothing is sent yet.

        Args:
            model: model id.
            api_key: key of the API.
            base_url: another address that speaks the same protocol; None for Google's.
            timeout_s: longest silence of the provider during one call, s, > 0; see also `deadline`.

        Raises:
            JudgeMisconfigured: without a key or a model, or for an address that cannot be one.
            MissingDependency: if google-genai is not installed.
        """
        if not api_key.strip() or not model.strip():
            raise JudgeMisconfigured("gemini needs a model id and an API key (CASTBOARD_JUDGE_KEY of a site)")
        failures.check_url(base_url)
        try:
            import httpx
            from google import genai
            from google.genai import types
        except ImportError as error:
            raise MissingDependency("google-genai", INSTALL) from error
        # A redirect would carry the key's header to another host.
        deadline = Deadline(timeout_s)
        transport = httpx.Client(follow_redirects=False, event_hooks=deadline.hooks)
        options = types.HttpOptions(
            base_url=base_url or GOOGLE,
            api_version=_API_VERSION,
            timeout=max(1, round(1000 * timeout_s)),
            retry_options=types.HttpRetryOptions(attempts=1),
            httpx_client=transport,
        )
        client = genai.Client(vertexai=False, api_key=api_key.strip(), http_options=options)
        endpoint = mark_of(base_url, GOOGLE)
        return cls(model=model.strip(), client=client, api_key=api_key.strip(), deadline=deadline, endpoint=endpoint)

    def ask(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            JudgeUnavailable: for 429, 5xx, a time-out, a broken connection or a broken answer.
            JudgeMisconfigured: for any other refusal.
        """
        answer = self._send_in_time(request)
        is_empty = not getattr(answer, "candidates", None) and not getattr(answer, "prompt_feedback", None)
        if is_empty and not isinstance(answer, CastboardError):
            answer = self._no_reply()
        if isinstance(answer, JudgeUnavailable | JudgeMisconfigured):
            raise answer  # outside of any handler: an exception of the library may hold the key
        return _reply(answer, model=self.model, secret=self.api_key)

    def _send_in_time(self, request: Request) -> Any:
        with self.deadline.bounded() as watch:
            answer = self._send(request)
        if watch.has_ended_call:  # whatever came of an answer that was cut off
            return failures.too_slow(self.name, self.model, self.deadline.most_s)
        return answer

    def _send(self, request: Request) -> Any:
        """Return Google's answer, or the error that its failure means."""
        import httpx
        from google.genai import errors

        contents, config = _contents(request), _config(request)
        try:
            return self.client.models.generate_content(model=self.model, contents=contents, config=config)
        except errors.APIError as error:
            return self._refusal(error)
        except httpx.TimeoutException:
            return failures.NoAnswer(f"judge gemini ({self.model}) did not answer in time")
        except httpx.ConnectError:
            return JudgeUnavailable(f"judge gemini ({self.model}) cannot be reached")
        except httpx.HTTPError as error:
            return failures.NoAnswer(f"judge gemini ({self.model}) broke off: {type(error).__name__}")
        # What the library raises for JSON of another shape, or of too many brackets.
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return self._no_reply()

    def _no_reply(self) -> JudgeUnavailable:
        return failures.NoAnswer(f"judge gemini ({self.model}) answered with something that is no reply")

    def _refusal(self, error: Any) -> JudgeUnavailable | JudgeMisconfigured:
        header = error.response.headers.get("retry-after") if error.response is not None else None
        wait_s = failures.wait_asked_s(header, clock.utc_now())
        return failures.refusal(
            backend=self.name,
            model=self.model,
            status=failures.count(error.code) or 500,
            said=str(error.message or error.status or ""),
            wait_s=failures.retry_info_s(error.details) if wait_s is None else wait_s,
            secret=self.api_key,
        )


def _contents(request: Request) -> Any:
    from google.genai import types

    parts = [
        types.Part.from_bytes(data=part.wav, mime_type="audio/wav")
        if isinstance(part, Sound)
        else types.Part.from_text(text=part)
        for part in request.parts
    ]
    return types.Content(role="user", parts=parts)


def _config(request: Request) -> Any:
    from google.genai import types

    return types.GenerateContentConfig(
        system_instruction=request.system,
        temperature=request.temperature,
        max_output_tokens=request.max_output_tokens,
        candidate_count=1,
        response_mime_type="application/json",
        response_json_schema=dict(request.schema),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,  # one request, one reply, one bill
    )


def _reply(answer: Any, *, model: str, secret: str) -> Reply:
    """Return our record of Google's answer; thoughts are not part of the text."""
    candidate = answer.candidates[0] if answer.candidates else None
    finish = failures.word(candidate.finish_reason, secret) if candidate is not None else "blocked"
    finish = "blocked" if finish in _BLOCKED else _FINISHES.get(finish, finish)
    content = candidate.content if candidate is not None else None
    parts = (content.parts if content is not None else None) or []
    text = "".join(part.text for part in parts if isinstance(part.text, str) and not part.thought)
    return Reply(
        text="" if finish == "blocked" else failures.safe_reply(text, secret),
        model=failures.safe_reply(answer.model_version or model, secret),
        finish=finish,
        usage=_usage(answer.usage_metadata),
    )


def _usage(counts: Any) -> Usage:
    if counts is None:
        return Usage(input_tokens=0, audio_tokens=0, output_tokens=0)
    details = counts.prompt_tokens_details or []
    audio = sum(failures.count(line.token_count) for line in details if failures.word(line.modality, None) == "audio")
    return Usage(
        input_tokens=failures.count(counts.prompt_token_count),
        audio_tokens=audio,
        output_tokens=failures.count(counts.candidates_token_count) + failures.count(counts.thoughts_token_count),
    )
