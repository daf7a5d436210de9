import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleRun } from '../../test/support/cli-samples.ts'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { show, trigger } from './schedules.ts'
import { submit } from './submit.ts'
import { estimates } from './watch.ts'

const message = 'about 3 h 10 min at 200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)'
const estimate = { seconds: 11_400, ends_at: '2026-01-01T03:15:00.000Z', limited_by: 'limit', message }
const planned = { agent_slug: 'classify', deployment_version: 3, items: 3, estimate }
const agent = { id: 'a1', slug: 'classify' }

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-plan-'))
  file = join(folder, 'rows.jsonl')
  await writeFile(file, '{"n":1}\n{"n":2}\n{"n":3}\n')
})
afterAll(() => rm(folder, { recursive: true }))

describe('submit --dry-run', () => {
  const session = answering({
    'GET /v1/agents': [agent],
    'GET /v1/agents/a1': { ...agent, budget_gap: null },
    'GET /v1/agents/a1/estimate?items=3&concurrency=20': planned,
    'GET /v1/agents/a1/estimate?items=3': { ...planned, deployment_version: null },
  })
  const dry = (options: Record<string, string> = {}, columns = 120) =>
    submit(session(columns), given({ agent: 'classify', 'dry-run': 'yes', ...options }, [file]))

  it('prints the plan, and sends no row', async () => {
    expect(await dry({ concurrency: '20', budget: '$5' })).toBe(0)
    expect(printed().split('\n').slice(0, 5)).toEqual([
      'rows.jsonl: 3 rows on 3 lines, 1 column (n)',
      `3 items of ${file} would run on classify v3; nothing was sent`,
      'budget   $5.00',
      'at once  20',
      `takes    ${message}`,
    ])
    expect(printed()).toMatch(/ends {5}at about .*\d\d:15, if it begins now\n$/)
  })

  it('says that an agent has no version yet', async () => {
    await dry()
    expect(printed()).toContain(
      'would run on classify, which has no version yet; nothing was sent\nbudget  none of its own',
    )
  })

  it('names a row that can be no item, and a file without rows', async () => {
    const bad = join(folder, 'bad.jsonl')
    await writeFile(bad, '{"n":1}\n{')
    const of = (path: string) => submit(session(80), given({ agent: 'classify', 'dry-run': 'yes' }, [path]))
    await expect(of(bad)).rejects.toThrow('line 2')
    await writeFile(bad, '\n')
    await expect(of(bad)).rejects.toMatchObject({ code: 'no_items' })
  })
})

const SCHEDULE = '01900000-0000-7000-8000-000000000000'
const schedule = {
  id: SCHEDULE,
  agent_id: 'a1',
  agent_slug: 'classify',
  name: null,
  cron: '0 2 * * *',
  timezone: 'UTC',
  enabled: true,
  input: { day: 'today' },
  source: null,
  results: null,
  budget_cents: null,
  pilot_items: null,
  concurrency: null,
  timeout_seconds: null,
  patience_seconds: null,
  callback_url: null,
  tags: [],
  next_fires: ['2026-01-02T02:00:00Z'],
  last_event: null,
  declared: false,
}

describe('schedules', () => {
  it('trigger --dry-run says how long what its source holds would take', async () => {
    const items = [{ item_id: 'one', partition_key: null, input: 1 }]
    const session = answering({
      [`GET /v1/schedules/${SCHEDULE}`]: { ...schedule, source: { url: 'https://example.com/x' } },
      'POST /v1/sources/preview': { count: 3, items },
      'GET /v1/agents/a1/estimate?items=3': planned,
    })
    expect(await trigger(session(120), given({ 'dry-run': 'yes' }, [SCHEDULE]))).toBe(0)
    expect(printed()).toContain('3 items, nothing was started; the first 1:')
    expect(printed()).toContain(`takes   ${message}`)
  })

  it('trigger --dry-run of one without a source is about one item', async () => {
    const session = answering({
      [`GET /v1/schedules/${SCHEDULE}`]: schedule,
      'GET /v1/agents/a1/estimate?items=1': { ...planned, items: 1 },
    })
    await trigger(session(120), given({ 'dry-run': 'yes' }, [SCHEDULE]))
    expect(printed()).toContain('1 item of its input would run on classify v3; nothing was sent')
  })

  it('show says when its run ends, and by when it has to', async () => {
    const ending = { run_id: 'r', starts_at: null, items: 3, deadline_at: '2026-01-01T04:00:00Z', estimate }
    const session = answering({ [`GET /v1/schedules/${SCHEDULE}`]: { ...schedule, ending } })
    await show(session(120), given({}, [SCHEDULE]))
    expect(printed()).toContain(`run       ends at about 03:15, its deadline is 04:00: ${message}`)
  })
})

it('watch notes once what binds a long run, and counts down to its end', async () => {
  const open = sampleRun()
  const answers = { [`GET /v2/runs/${open.id}`]: { ...open, estimate } }
  const session = answering(answers)(120)
  let now = Date.parse('2026-01-01T00:05:00Z')
  const left = estimates({ ...session, now: () => now }, open.id)
  expect(await left(open)).toEqual({})
  for (const minutes of [1, 2, 3]) {
    now += 60_000
    expect(await left(open)).toEqual({ left_ms: (190 - minutes) * 60_000 })
  }
  expect(printed('notes')).toBe(`${message}\n`)
  const pace = {
    ...estimate,
    limited_by: 'pace',
    message: 'about 1 h at about 2 items a second, its pace so far',
  }
  answers[`GET /v2/runs/${open.id}`] = { ...open, estimate: pace }
  now += 60_000
  await left(open)
  expect(printed('notes')).toBe(`${message}\n${pace.message}\n`)
})

it('watch says nothing of what is soon over or not known, and goes on where it cannot ask', async () => {
  const open = sampleRun()
  const answers: Record<string, unknown> = {}
  let now = 0
  const left = estimates({ ...answering(answers)(120), now: () => (now += 20_000) }, open.id)
  expect(await left(open)).toEqual({})
  const unknown = { seconds: null, ends_at: null, limited_by: null, message: 'not known: it waits' }
  for (const printed of [unknown, { ...estimate, seconds: 5 }]) {
    answers[`GET /v2/runs/${open.id}`] = { ...open, estimate: printed }
    await left(open)
  }
  expect(printed('notes')).toBe('')
})
