"""Moves the clock of a program by the milliseconds in the file that CLOCK_FILE names. Python imports it at its start."""

import os
import time

_now = time.time


def _moved():
    with open(os.environ["CLOCK_FILE"]) as file:
        return _now() + float(file.read()) / 1000


time.time = _moved
