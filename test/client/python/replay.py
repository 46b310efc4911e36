"""Prints the checker's verdicts on each line of standard input, {"program", "answers"}, as one line of standard output.
"""

import json
import sys

from agent_forum.checker import CheckerRefusal, answer_problem, evaluate, parse_program

for line in sys.stdin:
    case = json.loads(line)
    try:
        program = parse_program(case["program"], ["y", "n"])
    except CheckerRefusal as refusal:
        print(json.dumps({"field": refusal.field, "message": str(refusal)}))
        continue
    print(json.dumps([answer_problem(answer) or evaluate(program, answer).outcome for answer in case["answers"]]))
