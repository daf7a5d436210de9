// What a search shows: messages first, on the page and over HTTP, with the hit in its sentence.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { PROMPTS, SAID } from '../../../shared/providers/rules/sample-prompts.ts'
import { indexSteps } from '../../../shared/traces/queries/step-index.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { openWorld, type World } from '../../conformance/world.ts'

let world: World
let cookie: string
let run: string
const names = Object.keys(PROMPTS)

beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const response = await fetch(`${world.url}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(world.first.account),
  })
  cookie = response.headers.getSetCookie()[0]!.split(';')[0]!
  run = await makeRun(world, (await makeAgent(world)).id, [{ input: 1 }])
  for (const prompt of Object.values(PROMPTS)) await addStep({ input: JSON.stringify(prompt) })
})
afterAll(() => world.end())

let made = 0
async function addStep(more: object) {
  made++
  const key = { project_id: world.first.project_id, run_id: run, seq: 1, step_no: made, attempt: 1 }
  const row = { kind: 'llm_call', outcome: 'ok', duration_ms: 1, key: `k${made}`, name: 'draft', ...more }
  await world.ctx
    .sql`insert into steps ${world.ctx.sql({ ...key, ...row, started_at: new Date(Date.now() + made) })}`
}

async function found(query: string) {
  const { status, json } = await world.call('GET', `/v1/steps?limit=200&${query}`)
  expect(status).toBe(200)
  return json
}

async function shown(query: string): Promise<string> {
  const url = `${world.url}/dashboard/projects/${world.first.project_id}/search?${query}`
  const response = await fetch(url, { headers: { cookie } })
  expect(response.status).toBe(200)
  return response.text()
}

it('the words of every provider’s prompt are found in messages, and none of its parameters', async () => {
  expect((await found('q=refund&in=messages')).steps).toHaveLength(names.length)
  for (const { snippet } of (await found('q=refund&in=messages')).steps)
    expect(snippet).toEqual({ field: 'input', text: SAID.replace('refund', '«refund»') })
  expect((await found('q=decoy&in=messages')).steps).toEqual([])
  const everything = await found('q=decoy')
  expect(everything.steps.length).toBeGreaterThanOrEqual(names.length - 2)
})

it('the page looks in messages unless everything is asked for, and keeps that in its form and its command', async () => {
  const messages = await shown('q=decoy')
  expect(messages).toContain('No step fits.')
  expect(messages).not.toContain('<mark>')
  expect(messages).toMatch(/<a href="[^"]*q=decoy&amp;in=everything">Search everything<\/a>/)
  expect(messages).toContain('assay search decoy --in messages')
  const everything = await shown('q=decoy&in=everything')
  expect(everything).toContain('<mark>decoy</mark>')
  expect(everything).toMatch(/<a href="[^"]*q=decoy">Search messages<\/a>/)
  expect(everything).toContain('<input type="hidden" name="in" value="everything"/>')
  expect(await shown('outcome=ok')).not.toContain('Search everything')
})

it('a hit stands in its sentence, decoded, in its own direction and as text', async () => {
  const content = 'He wrote:\n"<img src=x onerror=alert(1)> the zeppelin’s café" \u202eمنطاد'
  await addStep({ input: JSON.stringify({ messages: [{ role: 'user', content }] }) })
  const escaped = JSON.stringify({ prompt: 'أرسلوا منطادا إلى Köln' }).replace(
    /[^\0-\x7f]/g,
    one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  await addStep({ input: escaped })
  const html = await shown('q=zeppelin')
  expect(html).toContain(
    '<bdi dir="auto">He wrote: &quot;&lt;img src=x onerror=alert(1)&gt; the <mark>zeppelin</mark>’s café',
  )
  expect(html).not.toContain('<img')
  expect(await shown(`q=${encodeURIComponent('منطادا')}`)).toContain('أرسلوا <mark>منطادا</mark> إلى Köln')
  expect((await found('q=k%C3%B6ln&in=messages')).steps).toHaveLength(1)
})

it('what is found is counted up to a bound', async () => {
  expect(await shown('q=refund')).toContain(`${names.length} steps in messages`)
  const { sql } = world.ctx
  await sql`
    insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name, output)
    select ${world.first.project_id}, ${run}, 1, 1000 + n, 1, 'llm_call', 'ok', now(), 1, 'k' || n, 'draft', '"one marmot"'
    from generate_series(1, ${LIMITS.search_counted + 1}::int) n`
  while ((await indexSteps(sql, 1000)) > 0);
  expect(await found('q=marmot&in=messages&count=true')).toMatchObject({
    total: LIMITS.search_counted,
    more_than_total: true,
  })
  expect(await shown('q=marmot')).toContain(`${LIMITS.search_page} of more than 1,000 steps in messages`)
})
