// Agents that answer anything at all, at once and later, in both protocols, through a real consumer and real stores.
// Whatever they send: every item ends or waits for a person, items that were answered well keep their answers, the run
// adds up, and everything that shows it answers. FUZZ_SEED and FUZZ_LINES repeat or prolong it.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import type { InvokeAgent } from '../../shared/agents/rules/invoke-agent.ts'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../shared/context.ts'
import { createApp } from '../../shared/http/app.ts'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import { ANSWER_URL_HEADER, type ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { sweep } from '../../shared/upkeep/verbs/sweep.ts'
import { conservation, type TestEngine, testEngine } from '../support/engine.ts'
import { about, type Head, head, plain, type Said, said } from './agent-lines.ts'

const LINES = Number(process.env.FUZZ_LINES ?? 20_000)
/** Items of a run. Every second one is answered well, before all others of its request. */
const ITEMS = 24
const AT_ONCE = 6 // runs
/** An agent gives up after so many: yielding for ever is bounded by LIMITS.attempts_per_item, an hour or more away. */
const YIELDS = 20
const TURNS = YIELDS + 10 // an item is tried as often as its agent yields or retries, and five times more; at least once a turn

let engine: TestEngine
let app: ReturnType<typeof createApp>
let key: string
let plainAgent: string
beforeAll(async () => {
  engine = await testEngine()
  app = createApp(endpoints, () => engine.ctx)
  key = (await mintKey(engine.ctx, engine.project_id, 'reader')).key
  plainAgent = await engine.agent('plain')
  await engine.deploy({ max_steps: 6, retries: 1, item_budget_cents: 5, max_consecutive_failures: 1_000_000 })
  await engine.sql`update deployments set protocol = 'json' where agent_id = ${plainAgent}`
})
afterAll(() => engine?.close())

/** What the agent does in one run. */
interface Round {
  said: Said[]
  heads: Head[]
  plain: Uint8Array[]
  /** Whether it sends its later answers, or is never heard of again. */
  answers: boolean[]
}
const round: fc.Arbitrary<Round> = fc.record({
  said: fc.array(said, { minLength: ITEMS, maxLength: ITEMS }),
  heads: fc.array(head, { minLength: 5, maxLength: 5 }),
  plain: fc.array(plain, { minLength: ITEMS, maxLength: ITEMS }),
  answers: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
})

const isGood = ({ seq }: { seq: number }) => seq % 2 === 1
const GOOD = '{"label":"as it was sent"}'
const good = ({ seq, attempt }: ItemLine) =>
  Buffer.from(`{"type":"result","seq":${seq},"attempt":${attempt},"output":${GOOD}}`)

const given = ({ seq, attempt }: ItemLine) =>
  Buffer.from(
    `{"type":"error","seq":${seq},"attempt":${attempt},"error":{"code":"gave_up","message":"No.","retryable":false}}`,
  )

let lines = 0
interface Asked {
  address: string
  items: ItemLine[]
}

/** An open run, and the requests that its agent has got so far. */
interface Played {
  runId: string
  round: Round
  asked: Asked[]
  answered: number
}

/** The played agent of several runs; its requests are recorded, so that it can answer them later. */
const playing =
  (runs: ReadonlyMap<string, Played>): InvokeAgent =>
  async ({ protocol }, { headers, body }) => {
    const { round, asked } = runs.get(headers['assay-run']!)!
    const address = headers[ANSWER_URL_HEADER]!
    if (protocol === 'json') {
      const [seq, attempt] = [Number(headers['assay-seq']), Number(headers['assay-attempt'])]
      asked.push({ address, items: [{ seq, attempt } as ItemLine] })
      return answerPlainly(round, seq, asked.length)
    }
    const items = body
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as ItemLine)
    asked.push({ address, items })
    return answerOpenly(round, items, asked.length)
  }

function answerPlainly({ plain, heads }: Round, seq: number, nth: number) {
  lines++
  if (isGood({ seq })) return answerOf(GOOD_HEAD, [Buffer.from(GOOD)])
  return answerOf(heads[nth % heads.length]!, [plain[seq % plain.length]!])
}

function answerOpenly({ said, heads }: Round, items: readonly ItemLine[], nth: number) {
  const bad = items.filter(item => !isGood(item))
  const sent = [
    ...items.filter(isGood).map(good),
    ...bad.flatMap(item =>
      item.attempt > YIELDS
        ? [given(item)]
        : said[item.seq % said.length]!.openly.map(line => about(line, item)),
    ),
  ]
  lines += sent.length
  // If a request holds good items its head is good as well: otherwise nothing of the answer would be read.
  const isOfBad = bad.length === items.length
  const pieces = sent.flatMap(line => [line, LF])
  return answerOf(isOfBad ? heads[nth % heads.length]! : GOOD_HEAD, pieces)
}

const LF = Buffer.from('\n')
const GOOD_HEAD: Head = { status: 200, contentType: 'application/x-ndjson' }
function answerOf(head: Head, pieces: readonly Uint8Array[]) {
  async function* body() {
    // In pieces that end anywhere.
    const whole = Buffer.concat(pieces)
    for (let at = 0; at < whole.length; at += 65_521) yield whole.subarray(at, at + 65_521)
  }
  return { ...head, body: body() }
}

/** Posts what was left for later. */
async function answerLater({ address, items }: Asked, { said }: Round): Promise<void> {
  const bad = items.filter(item => !isGood(item))
  const sent = bad.map(item => said[item.seq % said.length]!.later.map(line => about(line, item)))
  lines += sent.flat().length
  for (const of of sent) await post(address, of)
}

async function post(address: string, lines: readonly Uint8Array[]): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const body = Buffer.concat(lines.flatMap(line => [line, LF]))
  const answer = await app.request(address, { method: 'POST', headers, body })
  const text = await answer.text()
  expect([200, 400, 409], `${body.toString('latin1').slice(0, 2000)}\n${text}`).toContain(answer.status)
}

/** Plays all rounds at once, each as a run, and checks the runs. */
async function play(rounds: readonly Round[]): Promise<void> {
  const runs = new Map<string, Played>()
  for (const [nth, round] of rounds.entries()) {
    const runId = await engine.submit(ITEMS, {
      agent_id: nth % 4 === 3 ? plainAgent : engine.agent_id,
      unpriced: 'allow', // otherwise calls of models without a price pause their run
    })
    runs.set(runId, { runId, round, asked: [], answered: 0 })
  }
  const ctx = { ...engine.ctx, invokeAgent: playing(runs) }
  for (let turn = 0; turn < TURNS && (await waiting()) > 0; turn++) {
    await consumeAtOnce(ctx)
    for (const { round, asked, ...run } of runs.values()) {
      for (const one of asked.slice(run.answered))
        if (round.answers[one.items[0]!.seq % round.answers.length]) await answerLater(one, round)
      runs.get(run.runId)!.answered = asked.length
    }
    await engine.expireLeases()
    await engine.skipBackoff()
    await sweep(engine.ctx)
  }
  for (const runId of runs.keys()) await checkRun(runId)
}

/** Consumes until nothing is left, without waits between attempts: one statement at a time, since two would wait. */
async function consumeAtOnce(ctx: Context): Promise<void> {
  let wake = () => {}
  let isOver = false
  const consuming = consume(ctx, { onWake: hear => (wake = hear) }).finally(() => (isOver = true))
  while (!isOver) {
    await engine.skipBackoff()
    wake()
    await Promise.race([consuming, new Promise(resolve => setTimeout(resolve, 50))])
  }
  await consuming
}

async function waiting(): Promise<number> {
  const [row] = await engine.sql<{ count: number }[]>`
    select count(*)::int from items where status in ('queued', 'running')`
  return row!.count
}

async function checkRun(runId: string): Promise<void> {
  const items = await engine.items(runId)
  expect(items.filter(({ status }) => status === 'queued' || status === 'running')).toEqual([])
  for (const item of items.filter(item => isGood(item as never)))
    expect([item.status, item.outcome, item.output], JSON.stringify([item, await engine.run(runId)])).toEqual(
      ['completed', 'ok', GOOD],
    )
  expect(await conservation(engine, runId)).toEqual([])
  const { differences } = (await read(`/v2/runs/${runId}/verify`)) as { differences: unknown[] }
  expect(differences).toEqual([])
  const shown = (await read(`/v2/runs/${runId}/items?limit=500`)) as unknown[]
  expect(shown.length).toBe(ITEMS)
  for (const path of [
    `/v2/runs/${runId}`,
    `/v1/triage?limit=200`,
    '/v1/durable/runs/clusters',
    '/v1/steps?limit=200',
  ])
    await read(path)
  for (let seq = 2; seq <= ITEMS; seq += 2)
    for (const of of ['', '/why', '/lineage']) await read(`/v1/durable/runs/${itemRecordId(runId, seq)}${of}`)
  await read(`/v1/results?run_id=${runId}`, 'application/x-ndjson')
}

async function read(path: string, accept = 'application/json'): Promise<unknown> {
  const answer = await app.request(path, { headers: { authorization: `Bearer ${key}`, accept } })
  const text = await answer.text()
  expect(answer.status, `${path}\n${text.slice(0, 2000)}`).toBe(200)
  const values = accept === 'application/json' ? [text] : text.split('\n').filter(Boolean)
  // What an agent sent must leave the answer valid JSON.
  const parsed = values.map(value => JSON.parse(value))
  return accept === 'application/json' ? parsed[0] : parsed
}

it(
  'whatever agents answer, every run ends and shows what was answered [runs.answer-later, errors.only-these]',
  async () => {
    const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
    console.log(`agent lines: seed ${seed}, ${LINES} lines`)
    const before = process.memoryUsage().rss
    const began = performance.now()
    let runs = 0
    for (; lines < LINES; runs += AT_ONCE) {
      try {
        await play(fc.sample(round, { numRuns: AT_ONCE, seed: seed + runs }))
      } catch (error) {
        throw new Error(`FUZZ_SEED=${seed + runs}`, { cause: error })
      }
    }
    const seconds = (performance.now() - began) / 1000
    const grown = Math.round((process.memoryUsage().rss - before) / 1e6)
    console.log(
      `agent lines: ${lines} in ${runs} runs, ${Math.round(lines / seconds)} a second, ${grown} MB more`,
    )
  },
  600_000 + LINES * 20,
)
