"""The judge at any endpoint that speaks OpenAI's chat completions: OpenAI itself, vLLM, a gateway.

Such endpoints differ in what they accept. What one refuses by name is left out at once and from then on, so
the question is asked again without it; the reply's own JSON is checked by whoever reads it in any case.
"""

import base64
from dataclasses import dataclass, field
from typing import Any

from evaluation.errors import MissingDependency
from evaluation.judge import clock, failures
from evaluation.judge.address import mark_of
from evaluation.judge.backend import JudgeMisconfigured, JudgeUnavailable, Reply, Request, Sound, Usage
from evaluation.judge.deadline import Deadline

INSTALL = "pip install openai==3.57.0"
OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"  # the client insists on one, and would look into the environment otherwise
_FINISHES = {"stop": "stop", "length": "length", "content_filter": "blocked"}
_OPTIONS = ("response_format", "max_completion_tokens")  # those that some servers refuse
_REFUSING = frozenset({400, 404, 415, 422, 501})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIBackend:
    """One model behind one endpoint; make one with `load`. Safe to use from several threads at once."""

    model: str
    """Model id, as the endpoint names it."""
    client: Any = field(repr=False)
    """The openai client."""
    api_key: str | None = field(repr=False)
    """Key, if there is one; only ever compared with what the endpoint says, so that it is never repeated."""
    deadline: Deadline = field(repr=False)
    """Bounds every call of the client."""
    refused: set[str] = field(default_factory=set)
    """Options that the endpoint was seen to refuse."""
    endpoint: str = ""
    """Mark of the address that is asked, by `address.mark_of`."""
    name: str = "openai"
    """Name of the backend."""

    @classmethod
    def load(
        cls, *, model: str, api_key: str | None = None, base_url: str | None = None, timeout_s: float
    ) -> "OpenAIBackend":
        """Return the backend; nothing is sent yet.

        Args:
            model: model id.
            api_key: key; None for an endpoint that needs none.
            base_url: address up to and with "/v1"; None for OpenAI's.
            timeout_s: longest silence of the endpoint during one call, s, > 0; see also `deadline`.

        Raises:
            JudgeMisconfigured: without a model, without a key for OpenAI, or for an address that cannot be one.
            MissingDependency: if openai is not installed.
        """
        key = (api_key or "").strip() or None
        if not model.strip() or (key is None and base_url is None):
            raise JudgeMisconfigured(
                "openai needs a model id, and an API key (CASTBOARD_JUDGE_KEY of a site) or, for an endpoint of your "
                "own, its address (CASTBOARD_JUDGE_URL)"
            )
        failures.check_url(base_url)
        try:
            import openai
        except ImportError as error:
            raise MissingDependency("openai", INSTALL) from error
        no_account: dict[str, Any] = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}
        deadline = Deadline(timeout_s)
        client = openai.OpenAI(
            api_key=key or _NO_KEY,
            admin_api_key="",
            webhook_secret="",
            base_url=base_url or OPENAI,
            timeout=timeout_s,
            max_retries=0,
            default_headers=no_account,
            http_client=openai.DefaultHttpxClient(follow_redirects=False, event_hooks=deadline.hooks),
        )
        endpoint = mark_of(base_url, OPENAI)
        return cls(model=model.strip(), client=client, api_key=key, deadline=deadline, endpoint=endpoint)

    def ask(self, request: Request) -> Reply:
        """Ask once; once more, and only then, for an option that the endpoint refuses by name.

        Raises:
            JudgeUnavailable: for 429, 5xx, a time-out, a broken connection or a broken answer.
            JudgeMisconfigured: for any other refusal.
        """
        answer = self._send_in_time(request)
        while isinstance(answer, _Refused):
            self.refused.add(answer.option)
            answer = self._send_in_time(request)
        if isinstance(answer, JudgeUnavailable | JudgeMisconfigured):
            raise answer  # outside of any handler: an exception of the library may hold the key
        return self._reply(answer)

    def _send_in_time(self, request: Request) -> Any:
        with self.deadline.bounded() as watch:
            answer = self._send(request)
        if watch.has_ended_call:  # whatever came of an answer that was cut off
            return failures.too_slow(self.name, self.model, self.deadline.most_s)
        return answer

    def _send(self, request: Request) -> Any:
        """Return the endpoint's answer, the option that it refused, or the error that its failure means."""
        import openai

        options = _options(request, self.refused)
        try:
            return self.client.chat.completions.create(
                model=self.model, messages=_messages(request), temperature=request.temperature, **options
            )
        except openai.APITimeoutError:
            return failures.NoAnswer(f"judge openai ({self.model}) did not answer in time")
        except openai.APIConnectionError as error:
            return self._disconnected(error)
        except openai.APIStatusError as error:
            option = _refused_option(error, options)
            return _Refused(option=option) if option is not None else self._refusal(error)
        except (openai.APIError, ValueError, TypeError, RecursionError):  # the last: JSON of too many brackets
            return failures.NoAnswer(f"judge openai ({self.model}) answered with something that is no reply")

    def _disconnected(self, error: Exception) -> JudgeUnavailable:
        if type(error.__cause__).__name__ == "ConnectError":
            return JudgeUnavailable(f"judge openai ({self.model}) cannot be reached")
        return failures.NoAnswer(f"judge openai ({self.model}) broke off: {type(error.__cause__).__name__}")

    def _refusal(self, error: Any) -> JudgeUnavailable | JudgeMisconfigured:
        wait_s = failures.wait_asked_s(error.response.headers.get("retry-after"), clock.utc_now())
        return failures.refusal(
            backend=self.name,
            model=self.model,
            status=error.status_code,
            said=str(error.message),
            wait_s=wait_s,
            secret=self.api_key,
        )

    def _reply(self, answer: Any) -> Reply:
        choices = getattr(answer, "choices", None)
        first = choices[0] if isinstance(choices, list) and choices else None
        message: Any = getattr(first, "message", None)
        if not hasattr(message, "content"):
            raise failures.NoAnswer(f"judge openai ({self.model}) answered with something that is no reply")
        finish = failures.word(getattr(first, "finish_reason", None), self.api_key)
        refused = isinstance(getattr(message, "refusal", None), str) and bool(message.refusal)
        text = message.content if isinstance(message.content, str) else ""
        said_model = answer.model if isinstance(answer.model, str) and answer.model else self.model
        return Reply(
            text=failures.safe_reply(text, self.api_key),
            model=failures.safe_reply(said_model, self.api_key),
            finish="blocked" if refused and not text else _FINISHES.get(finish, finish),
            usage=_usage(answer.usage),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refused:
    """The endpoint refused one option of the request."""

    option: str
    """Its name."""


def _messages(request: Request) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": request.system},
        {"role": "user", "content": [_part(part) for part in request.parts]},
    ]


def _part(part: str | Sound) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.wav).decode("ascii")
    return {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}


def _options(request: Request, refused: set[str]) -> dict[str, Any]:
    """Return the options that this endpoint accepts; a limit of the reply is always among them."""
    is_old = "max_completion_tokens" in refused
    options: dict[str, Any] = {"max_tokens" if is_old else "max_completion_tokens": request.max_output_tokens}
    if "response_format" not in refused:
        schema = {"name": "verdict", "schema": dict(request.schema), "strict": True}
        options["response_format"] = {"type": "json_schema", "json_schema": schema}
    return options


def _refused_option(error: Any, sent: dict[str, Any]) -> str | None:
    """Return the option that was sent and that the endpoint's error names, or None."""
    if error.status_code not in _REFUSING:
        return None
    words = f"{error.param or ''} {error.message}".lower().replace("json_schema", "response_format")
    return next((name for name in _OPTIONS if name in sent and name in words), None)


def _usage(counts: Any) -> Usage:
    if counts is None:
        return Usage(input_tokens=0, audio_tokens=0, output_tokens=0)
    details = getattr(counts, "prompt_tokens_details", None)
    return Usage(
        input_tokens=failures.count(getattr(counts, "prompt_tokens", 0)),
        audio_tokens=failures.count(getattr(details, "audio_tokens", 0)),
        output_tokens=failures.count(getattr(counts, "completion_tokens", 0)),
    )
