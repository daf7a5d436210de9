// The operator of Airflow and the asset of Dagster that are to be copied, run against a real stack. Neither program is
// installed where tests run: doubles of what their documentation promises stand in their places, and nothing else does.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { assay, CHECKOUT, type Stack, startStack } from '../support/stack.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const PYTHON = process.env.PYTHON ?? 'python3'
const HAS_PANDAS = spawnSync(PYTHON, ['-c', 'import pandas']).status === 0

const AGENT = `
from assay import Context, agent

@agent(name="Claims")
def claims(ctx: Context, page):
    if page["text"] == "wait":
        ctx.hold("a person reads this")
    answer = ctx.llm("read", {"model": "gpt-5-mini"}, lambda request: {
        "model": "gpt-5-mini",
        "choices": [{"message": {"role": "assistant", "content": page["text"]}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
    })
    return {"words": answer["choices"][0]["message"]["content"]}
`

/** A task of two tries, the same of the next night, and one that waits for a person and is then killed. */
const AIRFLOW = `
import json
from assay import Assay, Run
from airflow_operator import AssayOperator

with open("pages-2026-03-02.jsonl", "w") as rows:
    rows.write("".join(json.dumps({"id": n, "text": "" if n == 1 else "my roof leaks"}) + "\\n" for n in range(4)))
task = AssayOperator(task_id="claims", retries=2, agent="claims", rows="pages-{{ ds }}.jsonl", item_id="id")
first, again = (task.run_as_task(ds="2026-03-02", run_id="scheduled__1") for _ in range(2))
next_night = task.__class__(task_id="claims", agent="claims", rows="pages-2026-03-02.jsonl", item_id="id")
other = next_night.run_as_task(run_id="scheduled__2")

held = [{"id": 1, "text": "wait"}]
stopped = AssayOperator(task_id="stopped", agent="claims", rows=held, item_id="id", idempotency_key="stopped")
stopped.template_fields = ()
try:
    stopped.run_as_task()
    stopped_as = None
except RuntimeError as error:
    stopped_as = str(error)
stopped.on_kill()
killed = Assay().run(stopped.run.id)
print(json.dumps({
    "same": first == again, "other": other != first, "status": Assay().run(first).status, "stopped_as": stopped_as,
    "killed": killed.status,
}))
`

const DAGSTER = `
import json
import pandas
from assay import Assay
from dagster import AssetExecutionContext
from dagster_asset import claims

pages = pandas.DataFrame({"id": ["a", "b", "c"], "text": ["my roof leaks", "", "a fire"]})
found, again = (claims(AssetExecutionContext("materialization-1"), pages) for _ in range(2))
values = {name: one.value for name, one in found.metadata.items()}
print(json.dumps({
    "values": values, "same": again.metadata["run"].value == values["run"],
    "outcomes": sorted(found.value["outcome_status"]), "status": Assay().run(values["run"]).status,
}))
`

let stack: Stack
let folder: TempFolder
let agent: ChildProcess
beforeAll(async () => {
  folder = await tempFolder()
  stack = await startStack()
  await writeFile(join(folder.path, 'claims.py'), AGENT)
  agent = python(['-m', 'assay', 'serve', 'claims.py', '--port', '0', '--workers', '1'])
  const [line] = (await once(createInterface({ input: agent.stdout! }), 'line')) as [string]
  const url = / on (http:\S+?),/.exec(line)![1]!
  const deployed = await assay({ env: stack.env }, ['deploy', '--url', url]).done
  expect(deployed.events[0]).toMatchObject({ event: 'deployed', slug: 'claims' })
})
afterAll(async () => {
  if (agent && agent.exitCode === null) {
    agent.kill('SIGTERM')
    await once(agent, 'exit')
  }
  await stack?.close()
  await folder?.remove()
})

function python(args: string[]): ChildProcess {
  const paths = ['shared/sdk/python', 'test/support/pipelines', 'examples/python-pipelines']
  const env = {
    ...process.env,
    PYTHONPATH: paths.map(path => join(CHECKOUT, path)).join(':'),
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    ASSAY_BASE_URL: stack.base_url,
    ASSAY_API_KEY: stack.api_key,
  }
  return spawn(PYTHON, args, { cwd: folder.path, env })
}

/** The JSON that a program prints last. */
async function printed(source: string) {
  await writeFile(join(folder.path, 'program.py'), source)
  const child = python(['program.py'])
  let [out, err] = ['', '']
  child.stdout!.on('data', piece => (out += piece))
  child.stderr!.on('data', piece => (err += piece))
  const [code] = await once(child, 'close')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out.trim().split('\n').at(-1)!)
}

it('an operator of Airflow comes back to its run on its next try, fails with what does not end, and ends its run when it is killed', async () => {
  expect(await printed(AIRFLOW)).toEqual({
    same: true,
    other: true,
    status: 'partial',
    stopped_as: expect.stringMatching(/^Run\('\S+', status='running', outcome=\S+, paused=1\): assay why /),
    killed: 'cancelled',
  })
})

const pandas = HAS_PANDAS ? '' : ': not tried, since pandas is not installed'
it(`an asset of Dagster has the results of its run, once for its materialization${pandas}`, async () => {
  if (!HAS_PANDAS) return
  expect(await printed(DAGSTER)).toMatchObject({
    values: { cost_usd: 0.00081, not_ok: 1 },
    same: true,
    outcomes: ['degraded', 'ok', 'ok'],
    status: 'partial',
  })
})
