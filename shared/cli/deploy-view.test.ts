import { describe, expect, it } from 'vitest'
import { screen } from '../../test/support/cli-samples.ts'
import { deployedText, dryRunText, type Plan } from './deploy-view.ts'

const plain = {
  slug: 'a',
  agent_created: true,
  version: 1,
  created: true,
  external_id: null,
  bytes: 0,
  plan: { schedules: [], triggers: [], limits: [] },
}

const PLAN: Plan = {
  limits: [],
  schedules: [
    { action: 'created', id: 's1', cron: '30 7 * * 1-5', timezone: 'Europe/Berlin', changes: [] },
    {
      action: 'changed',
      id: 's2',
      cron: '0 12 * * 6',
      timezone: 'Asia/Tokyo',
      changes: [
        { field: 'timezone', from: 'UTC', to: 'Asia/Tokyo' },
        { field: 'enabled', from: 'false', to: 'true' },
        { field: 'declared', from: 'false', to: 'true' },
      ],
    },
    { action: 'unchanged', id: 's3', cron: '1 1 1 * *', timezone: 'UTC', changes: [] },
    { action: 'deleted', id: 's4', cron: '5 5 * * *', timezone: 'UTC', changes: [] },
  ],
  triggers: [
    {
      action: 'rotated',
      id: 't1',
      name: 'sales',
      secret_env: 'SALES_SECRET',
      replaces: 'orders',
      url: 'http://assay.test/v1/webhooks/whk_a/trigger',
      secret: 'whk_secret_a',
      changes: [],
    },
    {
      action: 'changed',
      id: 't2',
      name: 'stock',
      secret_env: 'STOCK',
      replaces: null,
      secret: null,
      url: 'http://assay.test/v1/webhooks/whk_b/trigger',
      changes: [{ field: 'secret_env', from: null, to: 'STOCK' }],
    },
    {
      action: 'deleted',
      id: 't3',
      name: 'old',
      secret_env: null,
      replaces: null,
      secret: null,
      url: 'http://assay.test/v1/webhooks/whk_c/trigger',
      changes: [],
    },
    {
      action: 'kept',
      id: 't4',
      name: 'stays',
      secret_env: null,
      replaces: null,
      secret: null,
      url: 'http://assay.test/v1/webhooks/whk_d/trigger',
      changes: [],
    },
  ],
}

describe('the output of a deploy', () => {
  it('says that the label is not kept if nothing has changed, and how to get a new version', () => {
    const same = {
      slug: 'a',
      agent_created: false,
      version: 1,
      created: false,
      external_id: null,
      bytes: 0,
    }
    const plan = { schedules: [], triggers: [], limits: [] }
    const text = deployedText({ ...same, agent_key: null, plan, other_label: 'fix-2' }, screen(120))
    expect(text).toContain('version 1, unchanged\n! the label fix-2 is not kept')
    expect(text).toContain('--env RELEASE=fix-2')
  })

  it('has one line for each limit that changed, old and new', () => {
    const limits: Plan['limits'] = [
      { action: 'created', host: 'a.test', credential: 'KEY', from: null, to: '60 requests a minute' },
      { action: 'changed', host: 'b.test', credential: null, from: '2 in flight', to: '9 in flight' },
      { action: 'deleted', host: 'c.test', credential: null, from: '2 in flight', to: null },
      { action: 'unchanged', host: 'd.test', credential: null, from: '2 in flight', to: '2 in flight' },
    ]
    const text = deployedText({ ...plain, agent_key: null, plan: { ...plain.plan, limits } }, screen(120))
    expect(text).toContain(`
  + limit     a.test (KEY)  60 requests a minute
  ~ limit     b.test        2 in flight → 9 in flight
  - limit     c.test        2 in flight
  = 1 declaration unchanged`)
  })

  it('names the default checks of a new version', () => {
    const result = { ...plain, agent_key: null, default_checks: ['repeats', 'cut_json'] }
    const line = 'answers are looked at for repeats, cut_json; checks: [] for none'
    expect(deployedText(result, screen(120))).toContain(line)
    expect(deployedText({ ...result, created: false }, screen(120))).not.toContain(line)
  })

  it('says what is looked at of an agent that answers in plain JSON', () => {
    const plainJson = { ...plain, agent_key: null, is_plain: true, default_checks: ['cut_json', 'cost_jump'] }
    const schemas = ['input_schema' as const, 'output_schema' as const]
    expect(deployedText({ ...plainJson, schemas }, screen(120))).toContain(`
outputs are looked at for cut_json; checks: [] for none
inputs are checked against input_schema before a call, outputs are checked against output_schema`)
  })

  it('shows warnings with their hints, in a dry run too', () => {
    const message = 'A step may take 300 s, and consumers have 50 s.'
    const warnings = [{ code: 'step_outlasts_consumer' as const, message, hint: 'Give consumers more.' }]
    const lines = `! ${message}\n  Give consumers more.`
    expect(deployedText({ ...plain, agent_key: null, warnings }, screen(120))).toContain(lines)
    const dry = { agent: 'create' as const, current_version: null, changes: ['everything'], env: [] }
    expect(dryRunText({ ...plain, ...dry, warnings }, screen(120))).toContain(lines)
  })

  it('has one line for each changed declaration, and shows the secrets once', () => {
    const deployed = {
      slug: 'digest',
      agent_created: false,
      version: 4,
      created: true,
      external_id: 'sha-1',
      bytes: 2048,
      agent_key: null,
      plan: PLAN,
    }
    expect(deployedText(deployed, screen(120))).toBe(
      `digest: version 4 deployed (sha-1), 2.0 KiB
  + schedule  30 7 * * 1-5  Europe/Berlin
  ~ schedule  0 12 * * 6    timezone UTC → Asia/Tokyo; enabled again; was made through the API, is declared from now on
  - schedule  5 5 * * *     UTC
  ! trigger   sales         http://assay.test/v1/webhooks/whk_a/trigger
                            the URL of orders answers 404 from now on
  ~ trigger   stock         secret_env none → STOCK
  - trigger   old           its URL answers 404 from now on
  = trigger   stays         stays, though this version does not declare it; a deploy would delete it
  = 1 declaration unchanged
Give the senders their secrets; they are shown this once:
  sales  SALES_SECRET=whk_secret_a
try   assay run digest --input JSON --watch
or    assay submit FILE --agent digest --item-id FIELD --watch
      FILE: JSON lines or CSV; FIELD: where each item has your own id, by which it is found again`,
    )
  })

  it('says nothing about automation if there is none', () => {
    expect(deployedText({ ...plain, agent_key: null }, screen(80))).toBe(
      `a (new agent): version 1 deployed
try   assay run a --input JSON --watch
or    assay submit FILE --agent a --item-id FIELD --watch
      FILE: JSON lines or CSV; FIELD: where each item has your own id, by which it is found again`,
    )
  })

  it('shows the key of an agent behind a URL', () => {
    expect(deployedText({ ...plain, agent_key: 'whsec_a' }, screen(80))).toBe(
      `a (new agent): version 1 deployed
Requests are signed; with this variable, the function at the URL answers nobody else:
  ASSAY_AGENT_KEY=whsec_a
try   assay run a --input JSON --watch
or    assay submit FILE --agent a --item-id FIELD --watch
      FILE: JSON lines or CSV; FIELD: where each item has your own id, by which it is found again`,
    )
  })
})

describe('the output of a dry run', () => {
  const result = {
    slug: 'digest',
    agent: 'exists' as const,
    version: 4,
    created: true,
    current_version: 3,
    changes: ['code', 'schedules'],
    bytes: 2048,
    env: ['FEED_URL'],
    plan: {
      limits: [],
      schedules: PLAN.schedules.slice(0, 1),
      triggers: [{ ...PLAN.triggers[0]!, url: null, secret: null }],
    },
  }

  it('says what would change', () => {
    expect(dryRunText(result, screen(120))).toBe(
      `digest: would deploy version 4; version 3 runs now and differs in code, schedules
bundle of 2.0 KiB
environment: FEED_URL
  + schedule  30 7 * * 1-5  Europe/Berlin
  ! trigger   sales         gets a URL and a secret of its own
                            the URL of orders would answer 404
a dry run: nothing was changed`,
    )
  })

  it('distinguishes a new agent, an older version and the version that already runs', () => {
    const nothing = { plan: { schedules: [], triggers: [], limits: [] }, bytes: 0, env: [] }
    expect(
      dryRunText(
        {
          ...result,
          ...nothing,
          agent: 'create',
          version: 1,
          current_version: null,
          changes: ['everything'],
        },
        screen(120),
      ),
    ).toBe('would create the agent digest\ndigest: would deploy version 1\na dry run: nothing was changed')
    expect(dryRunText({ ...result, ...nothing, version: 2, created: false }, screen(120))).toContain(
      'would go back to version 2; version 3 runs now',
    )
    expect(dryRunText({ ...result, ...nothing, version: 3, created: false, changes: [] }, screen(120))).toBe(
      'digest: version 3 runs already and has this content\na dry run: nothing was changed',
    )
  })
})
