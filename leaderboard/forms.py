"""The submit page's form: fields, upload, the two buttons and what they do."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluation.errors import CastboardError
from leaderboard import people_form, reference_form
from leaderboard.context import Context
from leaderboard.identity import NotAllowed
from leaderboard.markup import Markup
from leaderboard.pages import submit
from leaderboard.people_form import Profile
from leaderboard.scratch import passing_folder
from leaderboard.uploads import NotUploaded, accepted
from submissions import reception
from submissions.card import TEXT_FIELDS, CardField, parse_card
from submissions.clip_bench import OnProgress
from submissions.intake import check
from submissions.problems import SubmissionError
from submissions.reception import Upload
from submissions.version import code_version

log = logging.getLogger(__name__)

_WEIGHTS = {"not said": None, "open": True, "not open": False}
_LABELS: Mapping[str, tuple[str, str]] = {
    "system": ("System", "Its name, as the board will show it"),
    "version": ("Version", "A new version is a new submission"),
    "organisation": ("Organisation", "Who makes it"),
    "contact": ("Contact (never published)", "How the board's keeper reaches you"),
    "licence": ("Licence", "Of the weights, or “proprietary”"),
    "parameters": ("Parameters", "For example 82 M"),
    "link": ("Link", "https://…"),
    "how_instructions": ("How do instructions reach the system?", "As a text prompt, mapped to controls, ignored, …"),
    "notes": ("Notes", "Anything a listener should know"),
}
_NAMES = (*(field.name for field in TEXT_FIELDS), "open_weights")
_ORGANISATION = "organisation"
_TO_BE_CHOSEN = "to be chosen"
_N_AT_ONCE = 3
"""Buttons that are at work side by side: all but one of them fetch."""
_INTAKE = threading.Lock()
"""Held while clips are read, so that a slow hub keeps nobody waiting."""


def build(gr: Any, context: Context, blocks: Any) -> None:
    """Lay out the form inside the current page.

    Args:
        gr: the gradio module.
        context: the site.
        blocks: the whole site, for what happens at load.
    """
    boxes = {field.name: field for field in TEXT_FIELDS}
    with gr.Column(elem_id="submit-form", elem_classes=["cb-form"]):
        told = people_form.head(gr, context)
        for line in (("system", "version"), ("organisation", "contact"), ("licence", "parameters")):
            with gr.Row():
                for name in line:
                    is_chosen = name == _ORGANISATION and not context.identity.takes_any_organisation
                    boxes[name] = people_form.choice(gr) if is_chosen else _box(gr, boxes[name])
        with gr.Row():
            boxes["link"] = _box(gr, boxes["link"])
            weights = gr.Radio(list(_WEIGHTS), value="not said", label="Weights", elem_id="card-open_weights")
        for name in ("how_instructions", "notes"):
            boxes[name] = _box(gr, boxes[name])
        upload = gr.File(label="The zip", file_count="single", elem_id="submit-zip", height=150)
        named = reference_form.box(gr)
        with gr.Row(elem_classes=["cb-form-buttons"]):
            check_button = gr.Button("Check only", elem_id="submit-check", variant="secondary")
            send_button = gr.Button("Submit", elem_id="submit-send", variant="primary")
        answer = gr.HTML(
            submit.waiting(),
            elem_id="submit-result",
            apply_default_css=False,
            padding=False,
            elem_classes=["cb-html", "cb"],
        )
    inputs = [upload, *(boxes[field.name] for field in TEXT_FIELDS), weights, named]
    again = people_form.bind(gr, context, blocks, told, boxes[_ORGANISATION])
    sent = _bind(gr, context, inputs, answer, (check_button, send_button))
    sent.then(again, boxes[_ORGANISATION], told, queue=False, api_visibility="private", show_progress="hidden")


def _box(gr: Any, field: CardField) -> Any:
    label, hint = _LABELS[field.name]
    needed = " *" if field.min_chars else ""
    return gr.Textbox(
        label=label + needed,
        placeholder=hint,
        lines=3 if field.is_prose else 1,
        max_lines=8 if field.is_prose else 1,
        max_length=field.max_chars,
        elem_id=f"card-{field.name}",
    )


def _bind(gr: Any, context: Context, inputs: list[Any], answer: Any, buttons: tuple[Any, Any]) -> Any:
    """Let the buttons do what they say; return what happens when something was sent."""
    uploads = Path(inputs[0].GRADIO_CACHE)

    def on_check(
        profile: gr.OAuthProfile | None,
        path: str | None,
        *values: Any,
        progress: Any = gr.Progress(),  # noqa: B008 - how gradio hands it
    ) -> str:
        *card, ref = values
        more: dict[str, Any] = {"profile": profile, "ref": ref or "", "on_fetch": reference_form.reporter(progress)}
        fields, tell = form_fields(tuple(card)), reporter(progress)
        return of_upload(path, uploads, lambda file: check_only(context, file, fields, tell, **more))

    def on_send(
        profile: gr.OAuthProfile | None,
        path: str | None,
        *values: Any,
        progress: Any = gr.Progress(),  # noqa: B008 - how gradio hands it
    ) -> str:
        *card, ref = values
        more: dict[str, Any] = {"profile": profile, "ref": ref or "", "on_fetch": reference_form.reporter(progress)}
        fields, tell = form_fields(tuple(card)), reporter(progress)
        return of_upload(path, uploads, lambda file: send(context, file, fields, tell, **more))

    shared = {
        "inputs": inputs,
        "outputs": answer,
        "concurrency_id": "intake",
        "concurrency_limit": _N_AT_ONCE,
        "api_visibility": "private",
        "show_progress": "full",
    }
    buttons[0].click(on_check, **shared)
    return buttons[1].click(on_send, trigger_mode="once", **shared)


def of_upload(path: str | None, uploads: Path, act: Callable[[str | None], Markup]) -> Markup:
    """Return what `act` makes of an uploaded file, or of none; any other file of this machine is refused.

    Args:
        path: as the browser sent it; None if no file was chosen.
        uploads: folder that holds what was uploaded.
        act: gets the file's path.
    """
    try:
        return act(None if path is None else str(accepted(path, uploads)))
    except NotUploaded as error:
        return submit.remark(str(error))


def form_fields(values: tuple[Any, ...]) -> dict[str, object]:
    """Return the card's fields from the form's values, in the form's order; blank ones are left out."""
    fields = dict(zip(_NAMES, values, strict=True))
    fields["open_weights"] = _WEIGHTS.get(str(fields["open_weights"]))
    return {name: value for name, value in fields.items() if value not in (None, "")}


def reporter(progress: Any) -> OnProgress:
    """Return what tells gradio's progress bar how far a check is."""

    def tell(n_done: int, n_all: int) -> None:
        progress((n_done, n_all), desc="Reading clips", unit="clips")

    return tell


def check_only(
    context: Context,
    path: str | None,
    fields: Mapping[str, object],
    on_progress: OnProgress,
    *,
    profile: Profile | None = None,
    ref: str = "",
    on_fetch: OnProgress = lambda _, __: None,
) -> Markup:
    """Return the report of a check; nothing is kept.

    Args:
        context: the site.
        path: the uploaded file, or None.
        fields: the form's card fields.
        on_progress: told of clips done.
        profile: what the session holds of who asks; None for nobody.
        ref: names a repo in place of a file; empty for none.
        on_fetch: told of bytes fetched.
    """
    ref = ref.strip()
    if path is None and not ref:
        return submit.remark("Choose a zip first, or name a repo; the check reads it here and keeps nothing.")
    if (reason := reference_form.why_not(context, path, ref, profile)) is not None:
        return submit.remark(reason)
    with _caught() as caught, _folder(context) as work_dir:
        zip_path, _ = reference_form.zip_of(path, ref, context, work_dir, on_fetch)
        with _INTAKE:
            result = check(
                zip_path,
                context.corpus,
                work_dir,
                on_progress=on_progress,
                limits=context.clip_limits,
                archive_limits=context.archive_limits,
            )
        named = {} if context.identity.takes_any_organisation else {_ORGANISATION: _TO_BE_CHOSEN}
        _, told = parse_card({**result.card_fields, **fields, **named})
        caught.append(submit.report(result, told))
    return caught[0]


def send(
    context: Context,
    path: str | None,
    fields: Mapping[str, object],
    on_progress: OnProgress,
    *,
    profile: Profile | None = None,
    ref: str = "",
    on_fetch: OnProgress = lambda _, __: None,
) -> Markup:
    """Return the receipt of a submission, or everything that is wrong with it.

    Args:
        context: the site.
        path: the uploaded file, or None.
        fields: the form's card fields; the organisation among them is checked against the session.
        on_progress: told of clips done.
        profile: what the session holds of who sends it; None for nobody.
        ref: names a repo in place of a file; empty for none.
        on_fetch: told of bytes fetched.
    """
    ref = ref.strip()
    try:
        sender = people_form.sender(context, profile, fields.get(_ORGANISATION))
    except NotAllowed as error:
        return submit.remark(str(error))
    if path is None and not ref:
        return submit.remark("Choose a zip first, or name a repo.")
    if (reason := reference_form.why_not(context, path, ref, profile)) is not None:
        return submit.remark(reason)
    with _caught() as caught, _folder(context) as work_dir:
        zip_path, source = reference_form.zip_of(path, ref, context, work_dir, on_fetch)
        with _INTAKE:
            receipt = reception.receive(
                Upload(
                    zip_path=zip_path, card_fields=fields, submitter=sender.person.name, sender=sender, source=source
                ),
                corpus=context.corpus,
                store=context.store,
                work_dir=work_dir,
                now=context.clock(),
                code_version=code_version(),
                on_progress=on_progress,
                limits=context.clip_limits,
                archive_limits=context.archive_limits,
                quota=context.quota,
            )
        caught.append(submit.receipt(receipt))
    return caught[0]


@contextmanager
def _caught() -> Iterator[list[Markup]]:
    """Give a list for the answer; an error puts its own answer there."""
    answers: list[Markup] = []
    try:
        yield answers
    except SubmissionError as error:
        answers.append(submit.refused(error.problems))
    except CastboardError as error:
        log.warning("submit.refused", extra={"reason": str(error)})
        answers.append(submit.remark(str(error)))
    except OSError:
        reference = secrets.token_hex(6)
        log.exception("submit.bug", extra={"reference": reference})
        answers.append(
            submit.remark(f"It could not be taken, by our fault. The log knows it as {reference}. Send it again later.")
        )


@contextmanager
def _folder(context: Context) -> Iterator[Path]:
    with passing_folder(context.home / "scratch", "check-") as folder:
        yield folder
