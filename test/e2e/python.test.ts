// What a Python user does: an item without a server, a served agent, its deploy, and a run from a program, against a real
// stack.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
    const env = { ASSAY_BASE_URL: stack.base_url, ASSAY_API_KEY: stack.api_key }
    const child = python(['nightly.py'], env)
    let [out, err] = ['', '']
    child.stdout!.on('data', piece => (out += piece))
    child.stderr!.on('data', piece => (err += piece))
    const [code] = await once(child, 'close')
    expect([code, err]).toEqual([0, ''])
    const found = JSON.parse(out)
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
})
