// The files of a new agent project in Python. Guarantee: its tests pass unchanged, and its items end ok.

import { ITEMS } from './init-files.ts'

export interface NewPythonProject {
  /** The agent's name for people. */
  name: string
  slug: string
  /** The wheel, from the project's folder. */
  wheel: string
}

export const pythonFiles = (project: NewPythonProject): Record<string, string> => ({
  'requirements.txt': `./${project.wheel}\nopenai\n`,
  '.gitignore': '.venv\n.assay\n.env*\n__pycache__\n',
  'agent.py': AGENT.replace('"NAME"', JSON.stringify(project.name)),
  'test_agent.py': TEST,
  'run.py': run(project),
  'items.jsonl': ITEMS,
  'README.md': readme(project),
})

const AGENT = `"""Sorts a customer's message."""

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import Literal

from assay import Context, agent
from openai import OpenAI

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")


@dataclass
class Message:
    id: str
    text: str


@dataclass
class Sorting:
    kind: Literal["question", "complaint", "praise", "unsorted"]
    urgent: bool


SCHEMA = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["question", "complaint", "praise"]},
        "urgent": {"type": "boolean"},
    },
    "required": ["kind", "urgent"],
    "additionalProperties": False,
}


@cache
def client() -> OpenAI:
    return OpenAI(max_retries=0)  # Assay tries again, and pays for no step twice


@agent(name="NAME", retries=2, timeout_seconds=60, input=Message, output=Sorting)
def sort(ctx: Context, message: Message) -> Sorting:
    answer = ctx.llm(
        "sort",
        {
            "model": MODEL,
            "messages": [
                {"role": "system", "content": "Sort the message of a customer."},
                {"role": "user", "content": message.text},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "sorting", "strict": True, "schema": SCHEMA},
            },
        },
        lambda request: client().chat.completions.create(**request),
    )
    choice = answer.choices[0]
    # Cut off, empty or refused: the verdict says so, read from the recorded answer.
    if choice.finish_reason != "stop" or not choice.message.content:
        return Sorting("unsorted", False)
    return Sorting(**json.loads(choice.message.content))
`

const TEST = `import json
import unittest

from assay.testing import run_item

from agent import sort

INPUT = {"id": "m-1", "text": "My order has not arrived, and I need it today!"}


def answer(text, finish_reason="stop", refusal=None):
    message = {"role": "assistant", "content": text, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 120, "completion_tokens": 12, "total_tokens": 132}
    return {"model": "gpt-5-mini", "choices": [choice], "usage": usage}


COMPLAINT = answer(json.dumps({"kind": "complaint", "urgent": True}))


class SortTest(unittest.TestCase):
    def test_sorts_a_message(self):
        result = run_item(sort, INPUT, {"sort": COMPLAINT})
        self.assertEqual((result.status, result.outcome), ("completed", "ok"))
        self.assertEqual(result.output, {"kind": "complaint", "urgent": True})
        self.assertLess(result.cost_usd, 0.01)

    def test_is_degraded_not_failed_where_the_model_did_not_answer(self):
        for reason, given in [
            ("refusal", answer(None, refusal="I cannot help with that.")),
            ("truncated", answer('{"kind": "compl', "length")),
            ("empty_output", answer("")),
        ]:
            with self.subTest(reason):
                result = run_item(sort, INPUT, {"sort": given})
                self.assertEqual((result.status, result.outcome, result.reason), ("completed", "degraded", reason))

    def test_asks_again_when_the_model_is_overloaded(self):
        result = run_item(sort, INPUT, {"sort": [RuntimeError("overloaded"), COMPLAINT]})
        self.assertEqual((result.outcome, result.attempts), ("ok", 2))


if __name__ == "__main__":
    unittest.main()
`

const run = ({
  slug,
}: NewPythonProject) => `"""Runs the deployed agent over the items, waits, and prints what did not work."""

from assay import Assay

run = Assay().submit("${slug}", "items.jsonl", item_id="id", budget="1.00", wait=True)
print(run.status, run.outcome, f"\${run.cost_usd:.4f}")
for row in run.results(only="not_ok"):
    print(row["item_id"], row["outcome_status"], row["outcome_reason"])
`

const readme = ({ name, slug }: NewPythonProject) => `# ${name}

\`agent.py\` is what runs over each item, \`test_agent.py\` tests it without a server or a model, \`items.jsonl\` is a few examples, \`run.py\` runs them.

\`\`\`sh
python3 -m venv .venv && . .venv/bin/activate
pip install -r requirements.txt
python3 -m unittest
\`\`\`

\`assay\` below is the command. Where it is not installed, write \`npx --no --prefix CHECKOUT assay\` with the folder of the checkout that made this project, also for the tests, which get their verdicts from it: \`export ASSAY_COMMAND="npx --no --prefix CHECKOUT assay"\`.

Serve the agent with your own key in its environment, or with the two variables of the model server that \`npm start\` prints after \`model\`:

\`\`\`sh
export OPENAI_API_KEY=sk-…
python3 -m assay serve agent.py --port 8097
\`\`\`

Deploy it from another terminal, and run it over the examples. \`ASSAY_BASE_URL\` and \`ASSAY_API_KEY\` say which server that is: of \`npm start\` they are \`base_url\` and \`api_key\` in \`.assay/local.json\`.

\`\`\`sh
assay deploy agent.py --url http://127.0.0.1:8097
python3 run.py                                           # or: assay submit items.jsonl --agent ${slug} --item-id id --watch
assay triage                                             # what did not work
\`\`\`

A deploy prints \`ASSAY_AGENT_KEY\`. With it in the environment of \`python3 -m assay serve\`, the agent answers only requests that your Assay signed.
`
