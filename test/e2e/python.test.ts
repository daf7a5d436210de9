// What a Python user does: an item without a server, a served agent, its deploy, and a run from a program, against a real
// stack.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startModelServer } from '../../examples/model-server/server.ts'
import { assay, CHECKOUT, type Ran, type Stack, startStack } from '../support/stack.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const AGENT = `
from dataclasses import dataclass
from typing import Literal
from assay import Context, agent

@dataclass
class Label:
    label: Literal["theft", "water", "other"]

@agent(name="Claims", input={"type": "object", "required": ["text"]}, output=Label)
def claims(ctx: Context, page):
    text = page["text"]
    answer = ctx.llm("classify", {"model": "gpt-5-mini"}, lambda request: {
        "model": "gpt-5-mini",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": page.get("finish", "stop")}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
    })
    return {"label": answer["choices"][0]["message"]["content"]}
`

const PROGRAM = `
import json
import sys
from assay import Assay, AssayError

assay = Assay()
rows = [{"id": n, "text": "theft" if n % 2 else "flood"} for n in range(20)]
run = assay.submit("claims", rows, item_id="id", budget="1.00", idempotency_key="night", wait=True)
again = assay.submit("claims", rows, item_id="id", budget="1.00", idempotency_key="night")
found = list(run.results())
try:
    assay.submit("nobody", rows)
except AssayError as error:
    refused = [error.code, error.hint]
print(json.dumps({
    "status": run.status, "outcome": run.outcome, "cost": run.cost_usd, "same": again.id == run.id,
    "reasons": sorted({row["outcome_reason"] or "ok" for row in found}), "ids": len({row["item_id"] for row in found}),
    "not_ok": len(list(run.results(only="not_ok"))), "refused": refused, "of": [one.id for one in assay.runs("claims")],
}))
`

/** Runs the examples of the client's documentation, which name the agent of this test. */
const EXAMPLES = `
import asyncio, doctest, importlib, json, pkgutil
import assay.client
from assay import Assay, AsyncAssay

flags = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
names = {"Assay": Assay, "AsyncAssay": AsyncAssay, "asyncio": asyncio}
tried = set()
for one in [*pkgutil.iter_modules(assay.client.__path__, "assay.client."), None]:
    module = importlib.import_module(one.name if one else "assay.client")
    runner = doctest.DocTestRunner(optionflags=flags)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, extraglobs=names):
        if runner.run(test).failed == 0:
            tried.add(test.name.rpartition(".")[2])
print(json.dumps(sorted(tried)))
`

/** A pilot, its rest, a recovery and a comparison, as JSON that is held against the command's. */
const MORNING = `
import json
from assay import Assay

assay = Assay()
rows = [{"id": n, "text": "theft" if n % 3 else "flood"} for n in range(30)]
pilot = assay.pilot("claims", rows, items=6, item_id="id", budget="1.00", idempotency_key="morning")
run = pilot.go_on(wait=True)
again = assay.pilot("claims", rows, items=6, item_id="id", budget="1.00", idempotency_key="morning")
after = assay.submit("claims", [{"id": n, "text": "theft" if n % 2 else "flood"} for n in range(30)], item_id="id", wait=True)
diff = assay.diff(run, after)
plan = run.recover(dry_run=True, reason="schema_mismatch")
cause = next(run.causes())
item = run.item(str(next(row["item_id"] for row in run.results(only="not_ok"))))
print(json.dumps({
    "pilot": pilot.run.id, "outlook": pilot.outlook, "run": run.id, "same": [again.run.id, again.go_on().id], "after": after.id,
    "summary": diff.summary, "changed": diff.changed, "plan": plan.data, "cause": cause, "item": item,
    "items": len({row["item_id"] for one in (pilot.run, run) for row in one.results()}),
}))
recovery = plan.go_on(first=2, wait=True)
assert (recovery.status, recovery.data["first"]) == ("stopped", 2), recovery
assert recovery.warnings[0].startswith("none of its 2 items worked"), recovery.warnings
`

let stack: Stack
let folder: TempFolder
let agent: ChildProcess
let url: string
beforeAll(async () => {
  folder = await tempFolder()
  await writeFile(join(folder.path, 'claims.py'), AGENT)
  await writeFile(join(folder.path, 'nightly.py'), PROGRAM)
  stack = await startStack()
  agent = python(['-m', 'assay', 'serve', 'claims.py', '--port', '0', '--workers', '1'])
  url = await addressOf(agent)
})
afterAll(async () => {
  if (agent && agent.exitCode === null) {
    agent.kill('SIGTERM')
    await once(agent, 'exit')
  }
  await stack?.close()
  await folder?.remove()
})

const ENV = { PYTHONPATH: join(CHECKOUT, 'shared/sdk/python'), PYTHONUNBUFFERED: '1' }
const python = (args: string[], env: Record<string, string> = {}) =>
  spawn('python3', args, { cwd: folder.path, env: { ...process.env, ...ENV, ...env } })
const run = (...args: string[]): Promise<Ran> => assay({ env: { ...stack.env, ...ENV } }, args).done

/** The JSON that a program prints last. */
const printed = async (args: string[]) => JSON.parse((await told(args)).trim().split('\n').at(-1)!)

/** What a program prints, which ends well and says nothing on standard error. */
async function told(args: string[]): Promise<string> {
  const env = { ASSAY_BASE_URL: stack.base_url, ASSAY_API_KEY: stack.api_key }
  const child = python(args, env)
  let [out, err] = ['', '']
  child.stdout!.on('data', piece => (out += piece))
  child.stderr!.on('data', piece => (err += piece))
  const [code] = await once(child, 'close')
  expect([code, err]).toEqual([0, ''])
  return out
}

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const found = / on (http:\S+?),/.exec(line)?.[1]
    if (found !== undefined) return found
  }
  throw new Error('the agent was not served')
}

describe('an agent in Python', () => {
  it('is tried over one item without a server, with the verdict of a server', async () => {
    const tried = (input: object) =>
      run('test', join(folder.path, 'claims.py'), '--input', JSON.stringify(input))
    const ok = await tried({ text: 'theft' })
    expect(ok.code).toBe(0)
    expect(ok.events[0]).toMatchObject({
      event: 'item_tried',
      status: 'completed',
      outcome: { status: 'ok' },
      output: { label: 'theft' },
      cost: { micro: 270 },
    })
    expect((await tried({ text: 'flood' })).events[0]).toMatchObject({
      outcome: { status: 'degraded', reason: 'schema_mismatch' },
    })
    expect((await tried({})).events[0]).toMatchObject({ error: { code: 'invalid_input' }, steps: [] })
  })

  it('says how it is served and deployed, and is deployed by its URL', async () => {
    const how = await run('deploy', join(folder.path, 'claims.py'))
    expect(how.events[0]).toMatchObject({ event: 'served_elsewhere', declaration: { name: 'Claims' } })
    const deployed = await run('deploy', join(folder.path, 'claims.py'), '--url', url)
    expect(deployed.events[0]).toMatchObject({ event: 'deployed', slug: 'claims', version: 1 })
  })

  it('is not deployed by the URL of another one', async () => {
    await writeFile(join(folder.path, 'other.py'), AGENT.replace('"Claims"', '"Letters"'))
    const refused = await run('deploy', join(folder.path, 'other.py'), '--url', url)
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('is the agent Claims, and other.py has Letters'),
    ])
  })

  it('is run from a program, which waits and reads the results', async () => {
    const found = await printed(['nightly.py'])
    expect(found).toMatchObject({
      status: 'partial',
      outcome: 'degraded',
      same: true,
      reasons: ['ok', 'schema_mismatch'],
      ids: 20,
      not_ok: 10,
      refused: ['not_found', expect.stringContaining('there are: claims')],
    })
    expect(found.of).toHaveLength(1)
    expect(found.cost).toBeCloseTo(20 * 0.00027, 9)
  })

  it('is piloted, compared and recovered from a program, as by the command', async () => {
    await writeFile(join(folder.path, 'morning.py'), MORNING)
    const found = await printed(['morning.py'])
    expect(found).toMatchObject({
      outlook: { run_id: found.pilot, rows: 24, unpriced: false, budget_cents: 99, affordable: null },
      same: [found.pilot, found.run],
      items: 30,
      plan: { eligible: found.cause.count, warnings: [] },
    })
    const diff = await run('diff', found.run, found.after)
    const rows = diff.events.flatMap(({ event, ...row }) => (event === 'changed' ? [row] : []))
    const { event: _, ...summary } = diff.events.find(one => one.event === 'diff')!
    expect(found.summary).toEqual(summary)
    expect(found.changed).toEqual(rows)
    const of = (name: string, events: Ran['events']) => events.find(({ event }) => event === name)
    const causes = (await run('causes', '--run', found.run)).events
    expect(of('cause', causes)).toMatchObject({
      ...found.cause,
      ...Object.fromEntries(['runs', 'waiting', 'share'].map(name => [name, expect.any(Number)])),
      last_seen: expect.any(String),
    })
    const item = (await run('item', found.run, found.item.item_id)).events
    expect(of('item', item)).toMatchObject({ steps: found.item.steps, output: found.item.output })
    // The rows of the pilot are those that the command takes.
    const lines = Array.from({ length: 30 }, (_, n) => JSON.stringify({ id: n, text: 'theft' }))
    await writeFile(join(folder.path, 'rows.jsonl'), `${lines.join('\n')}\n`)
    const file = join(folder.path, 'rows.jsonl')
    const piloted = await run('submit', file, '--agent', 'claims', '--item-id', 'id', '--pilot', '6', '--yes')
    const theirs = of('pilot', piloted.events) as unknown as { run_id: string }
    const idsOf = async (id: string) =>
      (await run('items', id)).events.map(event => (event as unknown as { item_id: string }).item_id)
    expect(await idsOf(found.pilot)).toEqual(await idsOf(theirs.run_id))
    expect(Object.keys(of('outlook', piloted.events)!)).toEqual(
      expect.arrayContaining(Object.keys(found.outlook)),
    )
  })

  it('is what the examples in the documentation of the client run', async () => {
    await writeFile(join(folder.path, 'examples.py'), EXAMPLES)
    const tried: string[] = await printed(['examples.py'])
    expect(tried).toEqual(
      expect.arrayContaining(
        'Assay AssayError ApiError AsyncAssay AsyncPilot AsyncPlan AsyncRecovery AsyncRun Diff InvalidRows Pilot Plan Recovery Results Run go_on cancel causes item pilot recover submit'.split(
          ' ',
        ),
      ),
    )
  })

  it('whose schema has changed without a deploy is named where a run begins, and by doctor', async () => {
    await writeFile(
      join(folder.path, 'changed.py'),
      AGENT.replace('"water", "other"', '"water", "fire", "other"'),
    )
    const one = (words: string) => expect.stringContaining(words)
    const input = ['--input', '{"text": "theft"}']
    expect((await run('run', 'claims', ...input)).err).not.toContain('declares another')
    agent.kill('SIGTERM')
    await once(agent, 'exit')
    agent = python(['-m', 'assay', 'serve', 'changed.py', '--port', new URL(url).port, '--workers', '1'])
    await addressOf(agent)
    const words = 'declares another output_schema than version 1 of claims'
    expect((await run('run', 'claims', ...input)).err).toEqual(one(words))
    const checked = (await run('doctor')).events.find(
      event => (event as { check?: string }).check === 'agents',
    )
    expect(checked).toMatchObject({ state: 'wrong', found: one(words) })
  })

  it('and the insurer’s program has a pilot, the rest in its budget and what did not work once more', async () => {
    const example = join(CHECKOUT, 'examples/python-insurer')
    const model = await startModelServer({ port: 0 })
    const env = { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'none' }
    const served = python(
      ['-m', 'assay', 'serve', join(example, 'pages.py'), '--port', '0', '--workers', '1'],
      env,
    )
    try {
      const deployed = await run('deploy', '--url', await addressOf(served))
      expect(deployed.events[0]).toMatchObject({
        slug: 'pages',
        schedules: [{ action: 'created' }],
      })
      // Of these the model refuses some, and answers none with 429 or 500, which would take half a minute.
      const pages = Array.from({ length: 60 }, (_, n) =>
        JSON.stringify({
          page_id: `${n}`,
          customer: n === 7 ? 'nobody' : 'north',
          text: `Page ${n} of letter 1386: my roof leaks.`,
        }),
      )
      await writeFile(join(folder.path, 'pages.jsonl'), `${pages.join('\n')}\n`)
      const first = await told([join(example, 'nightly.py'), 'pages.jsonl', '5.00'])
      expect(first).toMatch(/^pilot \S+: \d+% ok; the other 40 cost about \$0\.\d\d\n/)
      expect(first).toMatch(/\n +\d+ {2}kind: /)
      expect(first).toMatch(/\n\d+ again, for at most \$0\.\d+, \d+ steps reused\n\d+ of \d+ work now\n/)
      const again = await told([join(example, 'nightly.py'), 'pages.jsonl', '5.00'])
      const runOf = (text: string) => /\nrun (\S+): \d+ of 60 pages/.exec(text)?.[1]
      expect(runOf(again)).toBe(runOf(first))
      expect(runOf(first)).toBeDefined()
      const started = (await run('schedules')).events[0] as unknown as { id: string }
      expect((await run('schedules', 'trigger', started.id, '--watch')).events.at(-1)).toMatchObject({
        run: { total_items: 3 },
      })
    } finally {
      served.kill('SIGTERM')
      await once(served, 'exit')
      await model.close()
    }
  })
})
