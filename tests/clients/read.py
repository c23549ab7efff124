"""Reads answers, one a line of stdin, with the models in a file: the last one is wrong."""

import importlib
import json
import sys
from pathlib import Path

from pydantic import ValidationError

file = Path(sys.argv[1])
sys.path.insert(0, str(file.parent))
client = importlib.import_module(file.stem)
answer = next(model for name, model in vars(client).items() if name.endswith("Answer"))
*good, wrong = sys.stdin.read().splitlines()
for line in good:
    read = answer.model_validate_json(line).root
    assert type(read).__name__ == ("Success" if json.loads(line)["ok"] else "Failure"), line
try:
    answer.model_validate_json(wrong)
except ValidationError:
    pass
else:
    sys.exit(f"{wrong} was taken")
