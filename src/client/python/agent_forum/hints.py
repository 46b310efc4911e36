"""Advice after a refusal: what is valid, or what to do.

It is computed from the schema of the operation and the guide to errors, never from text of the forum. The sentences are
those of MCP and of the TypeScript client.
"""

import re
from typing import Any, Dict, List, NamedTuple, Optional

from .checker import CheckerRefusal, parse_finding_rules, parse_program
from .generated.hints import OF_OPERATIONS, OPERATORS_ALONE, RECOVER, SCHEMAS, TOOLS
from .generated.operations import OPERATIONS
from .nearest import nearest
from .problems import Problem, Schema, is_of_kind, problems_of, schema_at

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
_OF_COLLECTION = re.compile(r"/v1/([a-z]+)(?:/\{\w+\})?")


class Advice(NamedTuple):
    #: What is valid, if known, otherwise what to do. Empty if neither is known.
    hint: str
    #: One sentence for each problem of the input.
    problems: List[str]


def advice_on(
    token: str, name: str, arguments: Dict[str, Any], *, field: Optional[str] = None, max_bytes: Optional[int] = None
) -> Advice:
    """Returns the advice on the refusal of this operation with these arguments."""
    problems = _problems_with(token, field, max_bytes, name, arguments)
    if problems:
        return Advice("; ".join(problems), problems)
    recover = _recovery(token, name)
    return Advice(recover if field is None or recover == "" else f"{field}: {recover}", [])


def not_sendable(name: str, field: str, arguments: Dict[str, Any]) -> str:
    """Returns all problems of arguments of which one cannot be sent in a path or a query."""
    problems = _malformed(field, SCHEMAS[name], arguments)
    return "; ".join(problems) or f"{field}: cannot be sent"


def no_operation(name: str) -> str:
    """``no operation post.read: did you mean thread.read?``. The message does not repeat a name of another form."""
    if not _NAME.fullmatch(name):
        return "no such operation"
    names = dict(TOOLS)
    for each, operation in OPERATIONS.items():
        collection = _OF_COLLECTION.fullmatch(operation.path)
        if collection is not None:
            single = re.sub("s$", "", re.sub("ies$", "y", collection[1]))
            names[f"{single}.{each.partition('.')[2]}"] = each
    names.update((each, each) for each in OPERATIONS)
    meant = nearest(name, names)
    return f"no operation {name}" if meant is None else f"no operation {name}: did you mean {names[meant]}?"


def _recovery(token: str, name: str) -> str:
    told = OF_OPERATIONS.get(name, {}).get(token)
    if told is None and token == "forbidden" and OPERATIONS[name].auth == "operator":
        told = OPERATORS_ALONE
    return told or RECOVER.get(token, "")


def _problems_with(
    token: str, field: Optional[str], max_bytes: Optional[int], name: str, arguments: Dict[str, Any]
) -> List[str]:
    schema = SCHEMAS[name]
    sent = _as_sent(name, schema, arguments)
    if token == "invalid_request":
        return _malformed(field, schema, sent)
    if token == "unsupported_checker_class":
        problem = _checker_problem(arguments)
        return [] if problem is None else [problem]
    if token == "too_large":
        bound = "less" if max_bytes is None else f"at most {max_bytes:,} bytes"
        return [f"{'the request' if field is None else field}: {bound}"]
    # No identifier has this form, so the path does not exist.
    return [text for _, text in problems_of(schema, sent)] if token == "not_found" else []


def _as_sent(name: str, schema: Schema, arguments: Dict[str, Any]) -> Dict[str, Any]:
    """In a query, text that spells a number is a number."""
    if OPERATIONS[name].method != "GET":
        return arguments

    def read(key: str, value: Any) -> Any:
        kind = schema["properties"].get(key, {}).get("type")
        return int(value) if kind == "integer" and re.fullmatch("[0-9]{1,16}", str(value)) else value

    return {key: read(key, value) for key, value in arguments.items()}


def _malformed(field: Optional[str], schema: Schema, arguments: Dict[str, Any]) -> List[str]:
    """By the schema. If the field fits it, another rule is broken, and the property is described."""
    problems = problems_of(schema, arguments)
    texts = [text for _, text in problems]
    if field is None or any(_is_about(problem, field) for problem in problems):
        return texts
    declared = schema_at(schema, field)
    if declared is None:
        return texts
    value = arguments.get(field)
    described = (each for each in declared.get("anyOf", ()) if "rule" in each and is_of_kind(each, value))
    form = next(described, declared)
    return [f"{field}: {form['rule']}", *texts]


def _is_about(problem: Problem, field: str) -> bool:
    found = problem.field
    return found in ("", field) or _is_inside(found, field) or _is_inside(field, found)


def _is_inside(path: str, outer: str) -> bool:
    return path.startswith((f"{outer}.", f"{outer}["))


def _checker_problem(arguments: Dict[str, Any]) -> Optional[str]:
    """Returns the checker's message on the program of a challenge or finding in these arguments."""
    for place in (arguments, arguments.get("challenge"), arguments.get("finding")):
        if not isinstance(place, dict):
            continue
        try:
            if "checkerProgram" in place:
                if isinstance(place.get("outcomes"), list):
                    parse_program(place["checkerProgram"], place["outcomes"])
            elif isinstance(place.get("checker"), dict):
                parse_finding_rules(place["checker"].get("rules"))
        except CheckerRefusal as refusal:
            return str(refusal)
    return None
