"""Errors in programs."""


class CheckerRefusal(ValueError):
    """A program outside the grammar. ``field`` names the rule (``rules[2]``) or the property. The message has the
    reason.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field


class PatternRefusal(ValueError):
    """A pattern with unsupported syntax."""
