"""What is refused of a program."""


class CheckerRefusal(ValueError):
    """A program outside the grammar. ``field`` names the rule (``rules[2]``) or the property; the message says what is
    wrong.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field


class PatternRefusal(ValueError):
    """A pattern outside the admitted sub-grammar."""
