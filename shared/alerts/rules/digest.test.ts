import { expect, it } from 'vitest'
import { corrected, type DigestRun, digestMessage, digestWords, runLinks } from './digest.ts'

const run: DigestRun = {
  id: 'r',
  name: 'schedule 0 2 * * *',
  agent_slug: 'nightly',
  cron: '0 2 * * *',
  status: 'partial',
  total_items: 5000,
  ok: 4857,
  degraded: 143,
  failed: 0,
  budget_exceeded: 0,
  cancelled: 0,
  paused: 0,
  cost_micro: 3_120_000,
  budget_micro: 5_000_000,
  unpriced_items: 0,
  finished_at: new Date(0),
  corrected: 0,
  waited_ms: 0,
}
const none = { in_triage: 0, items: 0 }
const before = { ...run, id: 'q', ok: 5000, degraded: 0, cost_micro: 3_000_000 }
const links = runLinks('https://assay.example.com', 'r')

it('a digest says what ran, what worked, what it cost, how the previous run did, and what to do', () => {
  expect(
    digestWords({
      run,
      previous: before,
      causes: [],
      left: { in_triage: 143, items: 143 },
      noticed: [],
      waited_for: [],
      waits: [],
    }),
  ).toEqual({
    name: 'nightly 0 2 * * *',
    ran: 'all 5,000',
    worked: '4,857 ok, 143 degraded',
    cost: '$3.12 of $5.00 (62 %)',
    waited: null,
    waits: [],
    compared: 'last time: 5,000 items, 100 % ok for $3.00; now 97.1 % ok for $3.12',
    left: '143 items did not end well',
    command: 'assay recover --run r --dry-run',
  })
})

it('a digest counts corrected verdicts as corrected, and says how many there are', () => {
  const [now, last] = [
    corrected(run, { to_ok: 43, to_degraded: 0 }),
    corrected(before, { to_ok: 0, to_degraded: 50 }),
  ]
  expect(
    digestWords({
      run: now,
      previous: last,
      causes: [],
      left: { in_triage: 143, items: 143 },
      noticed: [],
      waited_for: [],
      waits: [],
    }),
  ).toMatchObject({
    worked: '4,900 ok, 100 degraded (43 corrected)',
    compared: 'last time: 5,000 items, 99 % ok (50 corrected) for $3.00; now 98 % ok for $3.12',
  })
})

it('a digest of an all-ok run without previous run and budget has no comparison and no command', () => {
  const well = { ...run, ok: 5000, degraded: 0, budget_micro: null }
  expect(
    digestWords({
      run: well,
      previous: null,
      causes: [],
      left: none,
      noticed: [],
      waited_for: [],
      waits: [],
    }),
  ).toMatchObject({
    cost: '$3.12 (no budget)',
    compared: null,
    command: null,
  })
  expect(
    digestMessage(
      { run: well, previous: null, causes: [], left: none, noticed: [], waited_for: [], waits: [] },
      links,
    ),
  ).toMatchObject({
    tone: 'good',
    title: 'nightly 0 2 * * * · ran: all 5,000 · worked: 5,000 ok',
    paragraphs: [],
  })
})

it('a digest lists the findings of run checks, and its tone is then a warning even if all items are ok', () => {
  const well = { ...run, ok: 5000, degraded: 0 }
  const noticed = ['an item costs 2.4 times what it did in the run before']
  const message = digestMessage(
    { run: well, previous: null, causes: [], left: none, noticed, waited_for: [], waits: [] },
    links,
  )
  expect(message.tone).toBe('warning')
  expect(message.facts).toContainEqual(['Noticed', noticed[0]])
})

it('a digest marks the cost as a lower bound when items are unpriced', () => {
  expect(
    digestWords({
      run: { ...run, unpriced_items: 7 },
      previous: null,
      causes: [],
      left: none,
      noticed: [],
      waited_for: [],
      waits: [],
    }).cost,
  ).toBe('≥$3.12 of $5.00 (62 %); 7 items without a price')
})

it('a digest counts the causes of items that did not work, and links to the run and its results', () => {
  const causes = [
    { cause: 'schema_mismatch: total is no number', items: 100 },
    { cause: 'refusal', items: 43 },
  ]
  const message = digestMessage(
    {
      run,
      previous: null,
      causes,
      left: { in_triage: 143, items: 143 },
      noticed: [],
      waited_for: [],
      waits: [],
    },
    links,
  )
  expect(message.paragraphs).toEqual([
    'Why 143 items did not work: 100 × schema_mismatch: total is no number; 43 × refusal',
  ])
  expect(message.tone).toBe('warning')
  expect(message.links.map(link => link.url)).toEqual([
    'https://assay.example.com/dashboard/runs/r',
    'https://assay.example.com/dashboard/runs/r/results',
  ])
})

it('a digest has the tone bad if nothing worked or the budget cut the run short', () => {
  const toneOf = (more: object) =>
    digestMessage(
      {
        run: { ...run, ...more },
        previous: null,
        causes: [],
        left: none,
        noticed: [],
        waited_for: [],
        waits: [],
      },
      links,
    ).tone
  expect(toneOf({ ok: 0, degraded: 5000 })).toBe('bad')
  expect(toneOf({ status: 'budget_exceeded', ok: 3000, degraded: 0, budget_exceeded: 2000 })).toBe('bad')
})

it('a digest says what items of its project still wait for', () => {
  const waits = [
    { host: 'api.openai.com', label: 'OPENAI_API_KEY', state: 'out_of_credit' as const, items: 1200 },
    { host: 'https://agents.example.com/triage', label: null, state: 'away' as const, items: 1 },
  ]
  const digest = { run, previous: null, causes: [], left: none, noticed: [], waited_for: [], waits }
  const text = [
    '1,200 items wait: out of credit, api.openai.com (OPENAI_API_KEY)',
    '1 item waits: away, https://agents.example.com/triage',
  ]
  expect(digestWords(digest).waits).toEqual(text)
  expect(digestMessage(digest, links).facts).toContainEqual([
    'Waiting now',
    `${text.join('; ')} (assay upstreams)`,
  ])
})

it('a digest says what held its run up and for how long, and nothing of moments', () => {
  const waited_for = [
    { host: 'api.openai.com', label: 'OPENAI_API_KEY' },
    { host: 'https://agents.example.com/triage', label: null },
  ]
  const digest = { run, previous: null, causes: [], left: none, noticed: [], waited_for, waits: [] }
  const held = { ...digest, run: { ...run, waited_ms: 2_520_400 } }
  const text = '42 min for api.openai.com (OPENAI_API_KEY), https://agents.example.com/triage'
  expect(digestMessage(held, links).facts).toContainEqual(['Waited', text])
  expect(digestWords({ ...held, waited_for: [], waits: [] }).waited).toBe('42 min for a provider')
  expect(digestWords({ ...digest, run: { ...run, waited_ms: 900 } }).waited).toBeNull()
})
