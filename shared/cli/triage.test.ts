import { describe, expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { connect } from './api.ts'
import { acknowledge, callWrong, replay, triage, why } from './triage.ts'
import { type Act, decideAct } from './triage-acts.ts'
import { groupsOf, type Row } from './triage-view.ts'
import { verdicts } from './verdicts.ts'

const RECORD = '01a1fab9-81a7-7eca-a25c-32a500000001'
const row = {
  record_id: RECORD,
  item_id: RECORD,
  partition_key: null,
  outcome_status: 'failed',
  error_code: 'tool_call_error',
  reason: 'step_error',
  message: 'the order service did not answer in time',
  available_actions: ['replay', 'acknowledge', 'dismiss'],
  created_at: '2026-01-01T00:00:00.000Z',
}
const held = { ...row, outcome_status: null, error_code: null, reason: 'hold', message: 'looks like fraud' }
const refused = { ...row, outcome_status: 'degraded', error_code: null, reason: 'refusal', message: null }

/** A session where nobody has judged a verdict, unless the answers say otherwise. */
const listing = (answers: Parameters<typeof answering>[0]) =>
  answering({ 'GET /v1/verdicts': { rows: [], next_cursor: null }, 'GET /v2/runs': [], ...answers })

describe('the list of triage', () => {
  it('shows how often a reason was called wrong, and the question about an item that has one', async () => {
    const judged = { agent_id: 'a', reason: 'refusal', judged: 25, wrong: 8, often_wrong: true }
    const asked = { ...refused, reason: 'suspected_refusal', question: 'Is this a refusal?' }
    const session = listing({
      'GET /v1/verdicts': { rows: [judged], next_cursor: null },
      'GET /v1/triage': { rows: [{ ...refused, agent_id: 'a' }, refused, asked], next_cursor: null },
    })
    await triage(session(200), given())
    expect(printed().match(/the model refused \(called wrong in 8 of 25 judged\)/g)).toHaveLength(1)
    expect(printed()).toContain('Is this a refusal?')
  })

  it('shows the reason at 80 columns, and also the available actions at 120', async () => {
    const session = listing({ 'GET /v1/triage': { rows: [row, held, refused], next_cursor: null } })
    await triage(session(80), given())
    expect(printed()).toMatch(/^ITEM +WORKED +WHY/m)
    expect(printed()).toContain('tool_call_error: the order')
    expect(printed()).toContain('looks like fraud')
    expect(printed()).toContain('the model refused')
    await triage(session(120), given())
    expect(printed()).toMatch(/failed .* replay, ack, dismiss +5m ago$/m)
  })

  it('shows the item ids of the submitter', async () => {
    const own = { ...row, item_id: 'ticket-4711' }
    await triage(listing({ 'GET /v1/triage': { rows: [own, held], next_cursor: null } })(100), given())
    expect(printed()).toMatch(/^ITEM +YOUR ID +WORKED +WHY/m)
    expect(printed()).toMatch(/ticket-4711 +failed +tool_call_error/)
  })

  it('requests rows with the given filters, and says how many there are', async () => {
    const session = listing({
      'GET /v1/agents': [{ id: 'the-agent', slug: 'a' }],
      'GET /v1/triage?run_id=r&agent_id=the-agent&reason=refusal&kind=dlq&limit=1': {
        rows: [row],
        next_cursor: 'more',
      },
      'GET /v1/triage?run_id=r&agent_id=the-agent&reason=refusal&kind=dlq&limit=200&cursor=more': {
        rows: [row, row],
        next_cursor: null,
      },
    })
    await triage(session(80), given({ run: 'r', agent: 'a', reason: 'refusal', kind: 'dlq', limit: '1' }))
    expect(printed('notes')).toContain('the first 1 of 3 items; --limit N shows more')
  })

  it('names stopped runs, whose other items are in no triage, with the command that runs all again', async () => {
    const stopped = {
      id: 'the-run',
      name: 'nightly',
      replay_of: null,
      agent_slug: 'a',
      stop_reason: 'pilot_failed',
    }
    const session = listing({
      'GET /v1/triage': { rows: [row], next_cursor: null },
      'GET /v2/runs?limit=50': [
        { ...stopped, undecided_count: 128, left_over_count: 4227 },
        { ...stopped, undecided_count: 3, left_over_count: 3 },
      ],
    })
    await triage(session(200), given())
    expect(printed('notes')).toBe(
      'nightly was stopped: 4,227 items did not end well, 4,099 of them in no triage: assay recover --run the-run --all --dry-run\n',
    )
  })

  it('says that nothing waits for a decision if it is empty', async () => {
    await triage(listing({ 'GET /v1/triage': { rows: [], next_cursor: null } })(80), given())
    expect(printed()).toBe('nothing waits for a decision\n')
  })
})

it('the list of verdicts says, when none is judged, from when an ok item called wrong counts', async () => {
  await verdicts(listing({})(200), given())
  expect(printed()).toContain('an ok item that was called wrong counts once it is decided about')
})

describe('groups without a cause', () => {
  it('are separate for each agent', () => {
    const similar = [{ agent_id: 'a' }, { agent_id: 'b' }].map(own => ({
      ...refused,
      ...own,
      cause_id: null,
    }))
    const groups = groupsOf(similar as unknown as Row[], false, new Map(), of =>
      of.agent_id === 'a' ? 'often wrong' : undefined,
    )
    expect(groups.map(group => group.words)).toEqual([
      'refusal: the model refused (often wrong)',
      'refusal: the model refused',
    ])
  })
})

describe('a decision', () => {
  it('that calls a row wrong names what the row showed: the verdict, the question or the correction', async () => {
    const sent: unknown[] = []
    const api = connect({ base_url: 'http://assay.test', api_key: 'pk_test' }, async input => {
      sent.push(await (input as Request).json())
      return new Response(null, { headers: { 'assay-version': '0.1.0' } })
    })
    const review = { kind: 'review', question: null, available_actions: ['wrong'] } as const
    const rows = [{ kind: 'dlq' }, { question: 'Is this a refusal?' }, {}].map(own => ({ ...review, ...own }))
    const act = await decideAct(api, { rows: rows as unknown as Row[] }, 'wrong', {})
    await (act as Act).perform()
    expect(sent).toEqual([{ of: 'verdict' }, { of: 'question' }, { of: 'correction' }])
  })

  it('about a group acts on what was counted, not on what came while it waited for confirmation', async () => {
    const [filter, counted] = [
      { reason: 'refusal' },
      { reason: 'refusal', to: '2026-01-01T00:00:00.000001Z' },
    ]
    const sent: unknown[] = []
    const api = connect({ base_url: 'http://assay.test', api_key: 'pk_test' }, async input => {
      const order = await (input as Request).json()
      sent.push(order)
      const plan = { action: 'dismiss', filter: counted, eligible: 2, ineligible: [], max_cost_usd: null }
      return Response.json(order.dry_run ? plan : { id: 'r' }, { headers: { 'assay-version': '0.1.0' } })
    })
    const group = { key: 'g', words: 'refused', rows: [], count: 2, filter }
    const act = await decideAct(api, { rows: [], group }, 'dismiss', {})
    expect((act as Act).words).toBe('dismiss 2 items as one recovery')
    await (act as Act).perform()
    expect(sent).toEqual([
      { action: 'dismiss', filter, dry_run: true },
      { action: 'dismiss', filter: counted },
    ])
  })

  it('to replay says where the replay runs and how many steps are reused', async () => {
    const continued = { run_id: 'the-run', record_id: 'the-copy', reused_steps: 2 }
    const session = answering({ [`POST /v1/durable/runs/${RECORD}/replay`]: continued })
    await replay(session(80), given({}, [RECORD]))
    expect(printed()).toBe(
      'replayed as the-copy in run the-run, 2 steps not done again\ntry   assay item the-copy\n',
    )
  })

  it.each([
    [{}, 'degraded', 'is called wrong; what was recorded stays'],
    [{}, 'ok', 'is called wrong and waits in triage; it counts in verdicts once it is decided about there'],
    [{ of: 'question' }, 'ok', 'is ok in results, as it was recorded'],
    [{ of: 'correction' }, 'ok', 'is ok in results, as it was recorded'],
  ])(
    'to call wrong what was said (%j, recorded as %s) says what holds from now on',
    async (of, recorded, words) => {
      const session = answering({
        [`POST /v1/durable/runs/${RECORD}/wrong`]: {},
        [`GET /v1/durable/runs/${RECORD}`]: { outcome_status: recorded },
      })
      await callWrong(session(80), given(of, [RECORD]))
      expect(printed()).toBe(`${RECORD} ${words}\n`)
    },
  )

  it('to acknowledge says that nothing is decided', async () => {
    await acknowledge(
      answering({ [`POST /v1/durable/runs/${RECORD}/acknowledge`]: {} })(80),
      given({}, [RECORD]),
    )
    expect(printed()).toBe(`${RECORD} left triage; nothing was decided about it\n`)
  })
})

it('why shows one token and one sentence', async () => {
  const found = { token: 'run_cap', message: '2 items of the run are at work, and 2 may be at once.' }
  await why(answering({ [`GET /v1/durable/runs/${RECORD}/why`]: found })(80), given({}, [RECORD]))
  expect(printed()).toBe(`run_cap: ${found.message}\n`)
})
