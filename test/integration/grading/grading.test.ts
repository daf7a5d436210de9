// Recorded answers of a run, graded again by today's rules: over the API and on the command line, page by page.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { connect } from '../../../shared/cli/api.ts'
import { grade } from '../../../shared/cli/grade.ts'
import { createOutput } from '../../../shared/cli/output.ts'
import { Retrying } from '../../../shared/cli/retrying.ts'
import type { Session } from '../../../shared/cli/session.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { given } from '../../support/cli-session.ts'
import { result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { tempFolder } from '../../support/temp-folder.ts'

let engine: TestEngine
let ask: (path: string) => Promise<Response>
let sessionOf: (json?: boolean) => { session: Session; said: () => string }

beforeAll(async () => {
  engine = await testEngine()
  const { key } = await mintKey(engine.ctx, engine.project_id, 'grading')
  const app = createApp(endpoints, () => engine.ctx)
  const authorization = `Bearer ${key}`
  ask = async path => app.fetch(new Request(`http://assay.test${path}`, { headers: { authorization } }))
  sessionOf = (json = false) => {
    let words = ''
    const out = { columns: 160, write: (text: string) => (words += text) }
    const api = connect({ base_url: 'http://assay.test', api_key: key }, async input =>
      app.fetch(input as Request),
    )
    const output = createOutput({ out, err: out, json, color: false, program: 'assay' })
    const folder = '/'
    const retrying = new Retrying(output, Date.now)
    const given = { words: [], folder, env: {}, now: () => 0 }
    return { session: { api, output, retrying, ...given }, said: () => words }
  }
})
afterAll(() => engine.close())

const chat = (content: string) => ({
  object: 'chat.completion',
  model: 'test-model',
  choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
})
const SUSPECT = 'I must decline.'

/** Each item asks a model once; every tenth answer may be a refusal. */
const asks = (answer = (item: ItemLine) => (item.seq % 10 === 0 ? SUSPECT : 'billing')) =>
  engine.play(async function* (items) {
    for (const item of items) {
      yield step(item, 'classify', { kind: 'llm_call', name: 'test-model', output: chat(answer(item)) })
      yield result(item)
    }
  })

async function ran(items: number): Promise<string> {
  const run_id = await engine.submit(items)
  await consume(engine.ctx)
  return run_id
}

describe('a run that is graded again', () => {
  it('differs if its agent has declared other rules since, and keeps what was recorded [runs.grade]', async () => {
    asks()
    await engine.deploy()
    const run_id = await ran(30)
    const recorded = [await engine.run(run_id), await engine.items(run_id)]
    expect(await (await ask(`/v2/runs/${run_id}/grade`)).json()).toMatchObject({
      agent: 'played',
      refusals: 'sure',
      checks: [],
      items: 30,
      calls: 30,
      changes: [],
      next_cursor: null,
    })
    await engine.deploy({ refusals: 'balanced' })
    const now = (await (await ask(`/v2/runs/${run_id}/grade`)).json()) as { changes: object[] }
    expect(now).toMatchObject({
      refusals: 'balanced',
      verdicts: [
        { verdict: 'ok', items_was: 30, items_now: 27, calls_was: 27, calls_now: 27 },
        { verdict: 'suspected_refusal', calls_was: 3, calls_now: 0 },
        { verdict: 'refusal', items_was: 0, items_now: 3, calls_was: 0, calls_now: 3 },
      ],
      changes: [
        { of: 'call', was: 'suspected_refusal', now: 'refusal', count: 3 },
        { of: 'item', was: 'ok', now: 'refusal', count: 3, examples: [{ item_id: 'item-10' }, {}, {}] },
      ],
    })
    const off = await ask(`/v2/runs/${run_id}/grade?refusals=off&checks=none`)
    expect(await off.json()).toMatchObject({ changes: [{ of: 'call', now: 'ok', count: 3 }] })
    expect([await engine.run(run_id), await engine.items(run_id)]).toEqual(recorded)
  })

  it('keeps the verdict of an answer that its agent reported, whatever its output reads like [runs.grade]', async () => {
    engine.play(async function* (items) {
      for (const item of items) {
        const answer = { text: 'Half', finish: 'length' } as const
        yield step(item, 'classify', { kind: 'llm_call', name: 'test-model', output: chat('Half'), answer })
        yield result(item)
      }
    })
    await engine.deploy()
    const run_id = await ran(2)
    expect(await (await ask(`/v2/runs/${run_id}/grade`)).json()).toMatchObject({
      calls: 2,
      calls_left: 2,
      verdicts: [{ verdict: 'truncated', items_was: 2, items_now: 2, calls_was: 2, calls_now: 2 }],
      changes: [],
    })
  })

  it('is returned in pages of a bounded size that add up to the run [runs.grade]', async () => {
    asks()
    await engine.deploy()
    const items = LIMITS.regrade_page.max + 500
    const run_id = await ran(items)
    const { next_cursor, ...first } = (await (await ask(`/v2/runs/${run_id}/grade`)).json()) as {
      next_cursor: string
      items: number
    }
    expect(first.items).toBeLessThanOrEqual(LIMITS.regrade_page.max)
    expect(next_cursor).not.toBeNull()
    const { session, said } = sessionOf(true)
    await grade(session, given({ refusals: 'balanced' }, [run_id]))
    expect(JSON.parse(said().trim().split('\n').at(-1)!)).toMatchObject({
      event: 'grade',
      items,
      calls: items,
      changes: [
        { of: 'call', count: items / 10 },
        { of: 'item', was: 'ok', now: 'refusal', count: items / 10 },
      ],
    })
    const other = await ask(`/v2/runs/${run_id}/grade?refusals=off&cursor=${next_cursor}`)
    expect(other.status).toBe(400)
  })

  it('uses the last answers of an item with very many long ones', async () => {
    const long = chat('x'.repeat(200_000))
    engine.play(async function* (items) {
      for (const item of items) {
        for (let at = 0; at < 45; at++)
          yield step(item, `call ${at}`, { kind: 'llm_call', name: 'test-model', output: long })
        yield result(item)
      }
    })
    const run_id = await ran(1)
    const regrade = (await (await ask(`/v2/runs/${run_id}/grade`)).json()) as { items: number; calls: number }
    expect(regrade.items).toBe(1)
    expect(regrade.calls).toBe(Math.floor(LIMITS.regrade_chunk_bytes / JSON.stringify(long).length))
  })

  it('is refused, with the reason, if retention has removed its steps or a check is unknown', async () => {
    asks()
    const run_id = await ran(1)
    const wrong = await ask(`/v2/runs/${run_id}/grade?checks=cut_jsom`)
    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toMatch(/no check .+cut_jsom.+but cut_json/)
    await engine.sql`update runs set steps_purged_at = now() where id = ${run_id}`
    const purged = await ask(`/v2/runs/${run_id}/grade`)
    expect(purged.status).toBe(400)
    expect(await purged.text()).toMatch(/Retention has removed/)
  })
})

describe('assay grade', () => {
  it('prints what differs in a run, with items to look at', async () => {
    asks()
    await engine.deploy()
    const run_id = await ran(20)
    const { session, said } = sessionOf()
    expect(await grade(session, given({ refusals: 'balanced' }, [run_id]))).toBe(0)
    expect(said()).toMatch(
      /^graded 20 calls of 20 items by refusals balanced, no checks \(agent played v\d+\)\n2 items and 2 calls differ; what was recorded stays\n/,
    )
    expect(said()).toMatch(/2 items +ok +refusal +item-10, item-20/)
    expect(said()).toMatch(/ok +20 +18 +18 +18/)
  })

  it('grades a file by the rules an agent declares or by those given, and says how many labels agree', async () => {
    await engine.deploy({ refusals: 'balanced', checks: ['fenced_json'] })
    const { path: folder } = await tempFolder()
    const lines = [
      { item_id: 't-1', answer: chat(SUSPECT), verdict: 'ok', label: 'refusal' },
      { item_id: 't-2', answer: chat('billing'), verdict: 'ok', label: 'ok' },
      { says: 'Hi' },
    ]
    await writeFile(join(folder, 'answers.jsonl'), lines.map(line => JSON.stringify(line)).join('\n'))
    const { session, said } = sessionOf()
    await grade({ ...session, folder }, given({ agent: 'played' }, ['answers.jsonl']))
    expect(said()).toMatch(
      /^graded 3 answers of answers.jsonl by refusals balanced, checks fenced_json \(agent/,
    )
    expect(said()).toMatch(/1 call +ok +refusal +t-1/)
    expect(said()).toContain('2 of 2 labels agree (100.0 %)')
    expect(said()).toContain('line 3: The output is no answer that is known: an object with "says".')
    const sure = sessionOf()
    await grade({ ...sure.session, folder }, given({ refusals: 'sure' }, ['answers.jsonl']))
    expect(sure.said()).toMatch(/1 call +ok +suspected_refusal +t-1/)
  })

  it('reports a name that is neither a file nor a run, and an unknown check', async () => {
    const { session } = sessionOf()
    await expect(grade(session, given({}, ['nothing.jsonl']))).rejects.toThrow(/no file nothing.jsonl/)
    await expect(grade(session, given({ checks: 'repeat' }, ['x']))).rejects.toThrow(/no check "repeat"/)
  })
})
