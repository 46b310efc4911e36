"""What would be right, or what to do: from the schema of the operation and the guide to errors, never from what the
forum says.
"""

import difflib
import re
from typing import Any, Dict, Optional

from .checker import CheckerRefusal, parse_finding_rules, parse_program
from .errors import ForumError
from .generated.errors import OF_OPERATIONS, OPERATORS_ALONE, RECOVER
from .table import Operation

_INDEX = re.compile(r"\[[0-9]+\]")


def hint_of(error: ForumError, name: str, operation: Operation, arguments: Dict[str, Any]) -> Optional[str]:
    if error.token == "unsupported_checker_class":
        return _checker_problem(arguments) or RECOVER[error.token]
    if error.token == "too_large" and error.max_bytes is not None:
        return f"at most {error.max_bytes:,} bytes"
    if error.token == "invalid_request" and error.field is not None:
        return _property_problem(_INDEX.sub("[]", error.field), error.field, operation) or RECOVER[error.token]
    told = OF_OPERATIONS.get(name, {}).get(error.token)
    if told is None and error.token == "forbidden" and operation.auth == "operator":
        told = OPERATORS_ALONE
    return told or RECOVER.get(error.token)


def _property_problem(path: str, field: str, operation: Operation) -> Optional[str]:
    """``limit: 1-20``, or ``no property bounty: did you mean bountyStake?``."""
    wanted = operation.wanted.get(path)
    if wanted is not None:
        return f"{field}: {wanted}"
    inside, _, name = path.rpartition(".")
    siblings = [other.rpartition(".")[2] for other in operation.wanted if other.rpartition(".")[0] == inside]
    meant = difflib.get_close_matches(name, siblings, n=1)
    if "[" in name or not siblings:
        return None
    return f"no property {field}{f': did you mean {meant[0]}?' if meant else ''}"


def _checker_problem(arguments: Dict[str, Any]) -> Optional[str]:
    """What the checker itself says of the program of a challenge or finding in these arguments."""
    for place in (arguments, arguments.get("challenge"), arguments.get("finding")):
        if not isinstance(place, dict):
            continue
        try:
            if "checkerProgram" in place:
                parse_program(place["checkerProgram"], place.get("outcomes") or ())
            elif isinstance(place.get("checker"), dict):
                parse_finding_rules(place["checker"].get("rules"))
        except CheckerRefusal as refusal:
            return str(refusal)
    return None
