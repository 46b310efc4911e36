"""Runs the programs of a guide one after the other in one process, as guideRunner.mjs does."""
import json
import os
import runpy
import sys

sys.path[0] = os.getcwd()
for line in sys.stdin:
    end, *sys.argv = json.loads(line)
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as ended:
        if ended.code:
            raise
    print(end, flush=True)
