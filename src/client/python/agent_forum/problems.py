"""All problems of an input by its schema, in sentences that repeat only names of properties.

The sentences are those of the other clients. Descriptions of schemas come from ``generated.hints``.
"""

import json
import math
import re
from functools import lru_cache
from typing import Any, Dict, List, NamedTuple, Optional, Pattern

from .generated.hints import RECOGNISED
from .nearest import did_you_mean

Schema = Dict[str, Any]

#: The most sentences of a hint.
_MAX_PROBLEMS = 8
#: The most names that are listed if no name is close.
_MAX_NAMES = 12
#: The form of ``field`` in a refusal.
_FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\[\]]{0,63}")
_HANDLE = re.compile(r"[a-z0-9-]{3,64}")
_CONTRASTED = {"integer": "a number", "number": "a number", "boolean": "a boolean"}


class Problem(NamedTuple):
    #: The position in the form of ``field`` in a refusal. Empty for the input itself.
    field: str
    #: ``limit: 1 to 20``.
    text: str


def problems_of(schema: Schema, value: Any) -> List[Problem]:
    """Returns the first eight problems, in the order of the schema."""
    found: List[Problem] = []
    _look(schema, value, "", found)
    return found


def schema_at(schema: Schema, path: str) -> Optional[Schema]:
    """Returns the schema at a path such as ``identity.client`` or ``rules[2].outcome``."""
    found: Optional[Schema] = schema
    for step in re.findall(r"[^.\[\]]+|\[", path):
        if found is None:
            return None
        if re.fullmatch("[0-9]+", step):
            continue
        inside = [form["items"] if step == "[" else form["properties"] for form in _forms(found, step)]
        found = None if not inside else inside[0] if step == "[" else inside[0][step]
    return found


def _forms(schema: Schema, step: str) -> List[Schema]:
    """Returns the alternatives of the schema that have items, or the property."""
    forms = schema.get("anyOf", [schema])
    if step == "[":
        return [form for form in forms if "items" in form]
    return [form for form in forms if step in form.get("properties", {})]


def _look(schema: Schema, value: Any, field: str, found: List[Problem]) -> None:
    if len(found) >= _MAX_PROBLEMS or (value is None and schema.get("nullable")):
        return
    if "anyOf" in schema:
        _look_at_forms(schema, value, field, found)
    elif not is_of_kind(schema, value):
        _add(field, _wrong_kind(schema, value), found)
    elif not _is_within(schema, value):
        _add(field, _wrong_form(schema, value), found)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value if "items" in schema else ()):
            if len(found) >= _MAX_PROBLEMS:
                return
            _look(schema["items"], item, f"{field}[{index}]", found)
    elif "properties" in schema:
        _look_inside(schema, value, field, found)


def _look_at_forms(schema: Schema, value: Any, field: str, found: List[Problem]) -> None:
    """Uses the alternative that was meant. If none is close, the sentence names all alternatives."""
    meant = [form for form in schema["anyOf"] if is_of_kind(form, value) and _is_meant(form, value)]
    if meant:
        _look(meant[0], value, field, found)
    else:
        _add(field, schema["wanted"], found)


def _is_meant(form: Schema, value: Any) -> bool:
    required = form.get("required", ())
    return not required or any(name in value for name in required)


def _look_inside(schema: Schema, value: Dict[str, Any], field: str, found: List[Problem]) -> None:
    properties = schema["properties"]
    for name, inner in properties.items():
        path = name if field == "" else f"{field}.{name}"
        if name in value:
            _look(inner, value[name], path, found)
        elif name in schema.get("required", ()):
            _add(path, f"required, {inner['wanted']}", found)
    if schema.get("additionalProperties") is True:
        return
    for name in value:
        if len(found) >= _MAX_PROBLEMS:
            return
        if name not in properties:
            found.append(_unknown(field, str(name), list(properties)))


def _unknown(field: str, name: str, known: List[str]) -> Problem:
    """Repeats a name only if it has the form of ``field`` in a refusal."""
    path = name if field == "" else f"{field}.{name}"
    shown = path if _FIELD_NAME.fullmatch(path) else ""
    meant = did_you_mean(name, known) if shown else ""
    told = "there are none" if not known else "" if len(known) > _MAX_NAMES else f"there are {_all_of(known)}"
    subject = f"property {shown}" if shown else "such property"
    return Problem(shown, f"no {subject}{meant or (told and f': {told}')}")


def _add(field: str, wanted: str, found: List[Problem]) -> None:
    if len(found) < _MAX_PROBLEMS:
        found.append(Problem(field, wanted if field == "" else f"{field}: {wanted}"))


def _all_of(names: List[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _wrong_kind(schema: Schema, value: Any) -> str:
    """``a number, not text (a whole number, 1 to 20)``."""
    wanted: str = schema.get("wanted", "an object")
    if not isinstance(value, str):
        return wanted
    kind, first = schema.get("type"), value.lstrip()[:1]
    if kind == "object" and first == "{":
        return "an object, not JSON in a string"
    if kind == "array" and first == "[":
        return "a list, not JSON in a string" + _bracketed(schema.get("bounds"))
    if kind in _CONTRASTED:
        return f"{_CONTRASTED[kind]}, not text" + _bracketed(schema.get("bounds") if kind == "number" else wanted)
    return wanted + (did_you_mean(value, [str(each) for each in schema["enum"]]) if "enum" in schema else "")


def _bracketed(text: Optional[str]) -> str:
    return f" ({text})" if text else ""


def _wrong_form(schema: Schema, value: Any) -> str:
    """``a handle, not an agent id (3 to 64 of a-z, 0-9 and -)``."""
    bounds: str = schema.get("bounds", "")
    pattern = schema.get("pattern")
    if pattern is None or not isinstance(value, str):
        return bounds
    if value.startswith("@") and _compiled(pattern).search(value[1:]):
        return f"without the @ ({bounds})"
    noun = schema.get("noun")
    sent = next((each for known, each in RECOGNISED if _compiled(known).search(value)), None)
    if sent is None and noun == "an agent id" and _HANDLE.fullmatch(value[1:] if value.startswith("@") else value):
        sent = "a handle"
    return bounds if sent is None else f"{', '.join(filter(None, [noun, f'not {sent}']))} ({bounds})"


def is_of_kind(schema: Schema, value: Any) -> bool:
    """True if the value has the type that the schema names. Does not look inside it."""
    if "enum" in schema:
        return any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in schema["enum"])
    kind = schema.get("type")
    if kind in ("integer", "number"):
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return False
        return math.isfinite(value) and (kind == "number" or value == math.floor(value))
    kinds: Dict[Optional[str], Any] = {
        "string": str,
        "boolean": bool,
        "array": (list, tuple),
        "object": dict,
        "null": type(None),
        None: object,
    }
    return isinstance(value, kinds[kind])


def _is_within(schema: Schema, value: Any) -> bool:
    if isinstance(value, str):
        forbidden = schema.get("not", {}).get("const")
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf) or value == forbidden:
            return False
        return "pattern" not in schema or _compiled(schema["pattern"]).search(value) is not None
    if isinstance(value, (list, tuple)):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
            return False
        return not schema.get("uniqueItems") or len({json.dumps(item) for item in value}) == len(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        return bool(low <= value <= high and value > schema.get("exclusiveMinimum", -math.inf))
    return True


@lru_cache(maxsize=None)
def _compiled(pattern: str) -> Pattern[str]:
    """Compiles a pattern of ECMAScript, whose ``$`` is the very end and whose ``\\d`` is ASCII."""
    return re.compile(f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern, re.ASCII)
