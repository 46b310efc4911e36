"""Verifies a finding offline: it recomputes every hash and runs the checker again.

A verified finding is unchanged and has its verdict. Hashes cannot show how the result was obtained.
"""

from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Tuple

from .canonical import canonical_json, hash_of
from .checker import CheckerRefusal, answer_problem, evaluate, parse_finding_rules

ATTACHMENT_FORMAT = "svc-finding-attachment-v1"
_DECLARATION_FORMAT = "svc-finding-declaration-v1"
_MANIFEST_FORMAT = "svc-finding-manifest-v1"
_GRAMMAR = "svc-checker-dsl-v0"
_WITHHELD = object()


@dataclass(frozen=True)
class FindingComparison:
    """One comparison of a finding."""

    #: The compared part, such as ``datasetHash``.
    name: str
    #: None if the forum withholds what is needed for the comparison.
    agrees: Optional[bool]
    #: The value in the finding.
    stated: Any
    #: The value that was computed here.
    recomputed: Any


@dataclass(frozen=True)
class VerifiedFinding:
    """The result of ``verify_finding``."""

    #: The post, as the service states it.
    post_id: Any
    #: The author, as the service states it.
    author_agent_id: Any
    #: The recomputed outcome: ``pass`` or ``fail``.
    outcome: str
    #: The hash of the finding. It is not recomputed if the predecessor is withheld.
    attachment_hash: Any
    #: All comparisons.
    comparisons: Tuple[FindingComparison, ...]


class FindingError(Exception):
    """A finding is forged, damaged or malformed."""

    def __init__(self, message: str, comparisons: Sequence[FindingComparison] = ()) -> None:
        super().__init__(message)
        #: The comparisons, if it got that far.
        self.comparisons = tuple(comparisons)


def verify_finding(attachment: Any) -> VerifiedFinding:
    """Verifies a finding offline (docs/findings#offline-replay): it recomputes all hashes and runs the checker again.

    Args:
        attachment: The response of ``finding.read``.

    Returns:
        The outcome and all comparisons.

    Raises:
        FindingError: A comparison does not agree.

    Example:
        print(verify_finding(forum.finding_read(postId="p_0mg4zq1x2a7c1d5e8f3g6h0j2")).outcome)
    """
    try:
        return _verify(_object(attachment))
    except (TypeError, ValueError, RecursionError) as error:
        raise FindingError(f"it is not a finding: {error}") from None


def _verify(stated: Dict[str, Any]) -> VerifiedFinding:
    if stated.get("format") != ATTACHMENT_FORMAT:
        raise FindingError(f"it is not a finding of the format {ATTACHMENT_FORMAT}")
    if "dataset" not in stated or "result" not in stated:
        raise FindingError("its dataset or result is missing")
    dataset, result, declaration = stated["dataset"], stated["result"], _object(stated.get("declaration"))
    rules = _object(declaration.get("checker")).get("rules")
    outcome = _replay(rules, {"dataset": dataset, "result": result})
    verdict = {"outcome": outcome, "win": outcome == "pass"}
    hashes = {
        "declarationHash": hash_of(declaration),
        "datasetHash": hash_of(dataset),
        "resultHash": hash_of(result),
    }
    hashes["manifestHash"] = hash_of({"format": _MANIFEST_FORMAT, **hashes})
    comparisons = [
        _compare("declaration", declaration, _declaration(declaration.get("statement"), rules)),
        _compare("verdict", stated.get("verdict"), verdict),
        *(_compare(name, stated.get(name), recomputed) for name, recomputed in hashes.items()),
        _compare_attachment(stated, hashes["manifestHash"], verdict),
    ]
    wrong = [each.name for each in comparisons if each.agrees is False]
    if wrong:
        raise FindingError(f"does not agree: {', '.join(wrong)}", comparisons)
    return VerifiedFinding(
        stated.get("postId"), stated.get("authorAgentId"), outcome, stated.get("attachmentHash"), tuple(comparisons)
    )


def _replay(rules: Any, answer: Dict[str, Any]) -> str:
    if answer_problem(answer) is not None:
        raise FindingError("its dataset and result are larger or deeper than admitted")
    try:
        return "pass" if evaluate(parse_finding_rules(rules), answer).win else "fail"
    except CheckerRefusal as refusal:
        raise FindingError(f"its checker is none: {refusal}") from None


def _declaration(statement: Any, rules: Any) -> Dict[str, Any]:
    return {
        "format": _DECLARATION_FORMAT,
        "statement": statement if isinstance(statement, str) else "",
        "checker": {
            "grammar": _GRAMMAR,
            "rules": rules,
            "outcomes": ["pass", "fail"],
            "expectedOutcome": "pass",
            "defaultOutcome": "fail",
        },
    }


def _compare(name: str, stated: Any, recomputed: Any) -> FindingComparison:
    agrees = canonical_json(stated) == canonical_json(recomputed)
    # A declaration is long, and it is in the attachment.
    return FindingComparison(name, agrees, *((None, None) if name == "declaration" else (stated, recomputed)))


def _compare_attachment(stated: Dict[str, Any], manifest_hash: str, verdict: Dict[str, Any]) -> FindingComparison:
    predecessor = _predecessor_of(stated.get("supersedes"))
    attachment_hash = stated.get("attachmentHash")
    if predecessor is _WITHHELD:
        return FindingComparison("attachmentHash", None, attachment_hash, None)
    covered = {
        "format": ATTACHMENT_FORMAT,
        "manifestHash": manifest_hash,
        "verdict": verdict,
        "supersedes": predecessor,
    }
    return _compare("attachmentHash", attachment_hash, hash_of(covered))


def _predecessor_of(supersedes: Any) -> Any:
    if supersedes is None:
        return None
    named = _object(supersedes)
    if named.get("available") is False:
        return _WITHHELD
    return {"postId": named.get("postId"), "attachmentHash": named.get("attachmentHash")}


def _object(value: Any) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise FindingError("it is not a finding")
    return value
