"""The API's description as JSON and as a page that anybody can read: made by us from the schema, no foreign host."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from leaderboard.markup import Child, Markup, el, join

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
}
Schema = Mapping[str, Any]

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2127; --soft: #5a626b; --paper: #fbfaf6; --line: #dedad0; --sunk: #f3f1ea;
 --accent: #0b6169; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e6df; --soft: #a6adb5; --paper: #14171a; --line: #33393f;
 --sunk: #22272c; --accent: #6cc5c9; } }
* { box-sizing: border-box; } body { margin: 0 auto; max-width: 1000px; padding: 24px 20px 60px; color: var(--ink);
 background: var(--paper); font: 400 15px/1.5 system-ui, sans-serif; }
h1, h2, h3 { font-family: "Iowan Old Style", Palatino, Georgia, serif; line-height: 1.2; } h2 { margin: 40px 0 4px; }
h2 code { font-size: 17px; overflow-wrap: anywhere; } h3 { font-size: 15px; margin: 18px 0 4px; }
a { color: var(--accent); } code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.9em; }
.soft { color: var(--soft); }
.box { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); }
th { font-weight: 500; color: var(--soft); }
td:first-child { white-space: nowrap; } td:last-child { min-width: 220px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 10px 0; border-block: 1px solid var(--line); }
summary { cursor: pointer; color: var(--soft); } p { margin: 6px 0; max-width: 80ch; }
"""


def to_json(schema: Schema) -> bytes:
    """Return the OpenAPI description as JSON."""
    return json.dumps(schema, ensure_ascii=False, sort_keys=True).encode()


def revision(body: bytes) -> str:
    """Return what changes whenever a description does."""
    return hashlib.sha256(body).hexdigest()


def page(schema: Schema) -> str:
    """Return the whole page of an OpenAPI description."""
    base = schema["servers"][0]["url"]
    routes = {path: one["get"] for path, one in schema["paths"].items()}
    links = [el("a", path, href=f"#{one['operationId']}") for path, one in routes.items()]
    models = schema["components"]["schemas"]
    named = [el("a", name, href=f"#model-{name}") for name in models]
    body = join(
        el("p", el("a", "Castboard", href="/"), " · ", el("a", "Reading it by machine", href="/data")),
        el("h1", schema["info"]["title"], " ", el("small", "v1", class_="soft")),
        *(el("p", _prose(part)) for part in schema["info"]["description"].split("\n\n")),
        el("p", "For programs: ", el("a", "openapi.json", href=f"{base}/openapi.json"), "."),
        el("nav", *links, aria_label="Routes"),
        *(_route(base, path, one) for path, one in routes.items()),
        el("h2", "Answers", id="models"),
        el("nav", *named, aria_label="Answers"),
        *(_model(name, one) for name, one in models.items()),
    )
    head = join(
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", schema["info"]["title"]),
        el("style", Markup(_STYLE)),
    )
    return "<!doctype html>" + el("html", el("head", head), el("body", el("main", body)), lang="en")


def _route(base: str, path: str, one: Schema) -> Markup:
    answer = one["responses"]["200"]["content"]["application/json"]["schema"]
    statuses = [
        el("tr", el("td", el("code", code)), el("td", told["description"])) for code, told in one["responses"].items()
    ]
    return join(
        el("h2", el("code", f"GET {base}{path}"), id=one["operationId"]),
        el("p", el("b", one["summary"]), ". ", _prose(one["description"])),
        _table(("Parameter", "Kind", "What it is"), [_parameter(each) for each in one.get("parameters", [])]),
        el("p", "Answer: ", _kind(answer)),
        el("details", el("summary", "Status codes"), el("table", *statuses)),
    )


def _prose(text: str) -> Markup:
    """Return a text whose words between backticks are code."""
    return join(*(el("code", part) if at % 2 else part for at, part in enumerate(text.split("`"))))


def _parameter(one: Schema) -> Markup:
    told = one.get("description") or one["schema"].get("description", "")
    needed = el("b", " needed") if one.get("required") else None
    usual = one["schema"].get("default")
    kind = join(_kind(one["schema"]), needed, f", else {usual}" if usual not in (None, "") else None)
    return el("tr", el("td", el("code", one["name"])), el("td", kind), el("td", _prose(told)))


def _model(name: str, one: Schema) -> Markup:
    fields = [
        el("tr", el("td", el("code", key)), el("td", _kind(each)), el("td", _prose(each.get("description", ""))))
        for key, each in one.get("properties", {}).items()
    ]
    return join(
        el("h3", name, id=f"model-{name}"),
        el("p", one.get("description", ""), class_="soft"),
        _table(("Field", "Kind", "What it is"), fields),
    )


def _table(heads: tuple[str, ...], rows: list[Markup]) -> Markup | None:
    if not rows:
        return None
    head = el("tr", *(el("th", text, scope="col") for text in heads))
    return el("div", el("table", head, *rows), class_="box", tabindex=0, role="region", aria_label=heads[0])


def _kind(schema: Schema) -> Markup:
    """Return the kind of a value in words, a record as a link to its fields."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return el("a", name, href=f"#model-{name}")
    if "anyOf" in schema:
        return join(*(_kind(one) for one in schema["anyOf"]), by=" or ")
    if "enum" in schema:
        return join(" | ".join(str(one) or "(empty)" for one in schema["enum"]))
    if schema.get("type") == "array":
        return join("list of ", _kind(schema.get("items", {})))
    if isinstance(schema.get("additionalProperties"), dict):
        return join("by name: ", _kind(schema["additionalProperties"]))
    bounds: list[Child] = [
        f"{word} {schema[key]:g}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in schema
    ]
    return join(schema.get("type", "anything"), *bounds, by=" ")
