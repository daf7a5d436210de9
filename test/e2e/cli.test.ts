// The `assay` command as it is installed, against a real stack: what it prints, what it sends, how it ends.

import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passBack, passOn, plain, startProxy } from '../support/doubles/proxy.ts'
import { type Gate, listening, startGate } from '../support/gate.ts'
import { assay, CHECKOUT, type Ran, type Stack, startStack } from '../support/stack.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

// Each item says itself how it ends.
const AGENT = `
import { agent, type Context } from 'assay'
@agent({ name: 'Obedient Worker', description: 'does as its items say', retries: 0, network: ['$GATE'] })
export default class Obedient {
  async run(ctx: Context, input: { do?: string }) {
    const done = await ctx.step('work', () => ({ done: input.do ?? 'ok', as: process.env.MODE ?? 'default' }))
    if (input.do === 'degrade') ctx.degrade('asked to be \\u001b[31mdegraded')
    if (input.do === 'fail') throw new Error('asked to fail')
    if (input.do === 'hold') await ctx.hold('asked to wait for a person')
    if (input.do === 'wait') await (await fetch(process.env.GATE!)).text()
    return done
  }
}
`

let stack: Stack
let folder: TempFolder
let agentFile: string
let gate: Gate
beforeAll(async () => {
  folder = await tempFolder()
  agentFile = join(folder.path, 'agent.ts')
  await writeFile(agentFile, AGENT)
  gate = await startGate()
  stack = await startStack()
  expect(await deployed()).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await stack?.close()
  await gate?.close()
  await folder?.remove()
})

const run = (...args: string[]): Promise<Ran> => assay(stack, args).done
const deployed = () => run('deploy', agentFile, '--env', `GATE=${gate.url}`)
const SLUG = 'obedient-worker'

async function rows(name: string, values: object[]): Promise<string> {
  const file = join(folder.path, name)
  await writeFile(file, values.map(value => `${JSON.stringify(value)}\n`).join(''))
  return file
}

const errorOf = ({ err }: Ran) => JSON.parse(err.trim().split('\n').at(-1)!)

describe('deploy', () => {
  it('makes a version, and no new one if nothing has changed', async () => {
    const again = await deployed()
    expect(again.code).toBe(0)
    expect(again.events).toEqual([
      expect.objectContaining({
        event: 'deployed',
        slug: SLUG,
        version: 1,
        created: false,
        agent_created: false,
      }),
    ])
    const other = await run('deploy', agentFile, '--slug', 'other-worker', '--env', 'MODE=special')
    expect(other.events[0]).toMatchObject({
      slug: 'other-worker',
      version: 1,
      created: true,
      agent_created: true,
    })
    const item = await run('run', 'other-worker', '--input', '{}', '--watch')
    expect(item.events.at(-1)).toMatchObject({ event: 'item', output: { as: 'special' } })
  })

  it('as a dry run says what would change, and changes nothing', async () => {
    const unknown = await run('deploy', agentFile, '--slug', 'never', '--dry-run')
    expect(unknown).toMatchObject({
      code: 0,
      events: [{ event: 'plan', agent: 'create', current_version: null }],
    })
    expect((await run('runs', '--agent', 'never')).events).toEqual([])
    const env = ['--env', `GATE=${gate.url}`]
    const known = await run('deploy', agentFile, '--dry-run', ...env)
    expect(known.events).toMatchObject([{ agent: 'exists', current_version: 1, changes: [] }])
    const changed = join(folder.path, 'changed.ts')
    await writeFile(
      changed,
      AGENT.replace('does as its items say', 'has changed').replace('retries: 0', 'retries: 3'),
    )
    const plan = await run('deploy', changed, '--dry-run')
    expect(plan.events[0].changes.sort()).toEqual(['code', 'description', 'env', 'retries'])
    expect((await deployed()).events[0]).toMatchObject({ version: 1, created: false })
  })

  describe('of an agent that declares schedules and triggers', () => {
    const declaring = async (decorators: string) => {
      const file = join(folder.path, 'declaring.ts')
      await writeFile(
        file,
        `import { agent, schedule, trigger } from 'assay'
         ${decorators}
         @agent({ name: 'Declaring' })
         export default class Declaring { async run() { return 'done' } }`,
      )
      return file
    }
    const deployed = async (decorators: string, ...options: string[]) => {
      const ran = await run('deploy', await declaring(decorators), ...options)
      expect(ran).toMatchObject({ code: 0 })
      return ran.events[0]
    }

    it('plans and makes versions, rolls back, promotes, and lists its versions', async () => {
      const first = `@schedule('30 7 * * 1-5') @trigger('orders', { secretEnv: 'ORDERS' })`
      const planned = await deployed(first, '--dry-run')
      expect(planned).toMatchObject({ event: 'plan', agent: 'create', version: 1, created: true })
      expect(planned.schedules).toMatchObject([{ action: 'created', cron: '30 7 * * 1-5', id: null }])
      expect(planned.triggers).toMatchObject([{ action: 'created', name: 'orders', url: null }])

      const one = await deployed(first, '--external-id', 'sha-1')
      expect(one).toMatchObject({ event: 'deployed', version: 1, agent_created: true, external_id: 'sha-1' })
      const [{ url, secret }] = one.triggers
      const answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: '{"n":1}',
      })
      expect(answer.status).toBe(202)
      expect((await deployed(first, '--dry-run')).changes).toEqual([])

      const two = await deployed(`@schedule('30 8 * * *')`, '--external-id', 'sha-2')
      const actions = (event: typeof two) =>
        [...event.schedules, ...event.triggers].map(({ action }) => action)
      expect(actions(two)).toEqual(['created', 'deleted', 'deleted'])

      const back = await run('rollback', 'declaring')
      expect(back.events).toMatchObject([{ event: 'promoted', version: 1 }])
      expect(actions(back.events[0])).toEqual(['created', 'deleted', 'created'])
      expect(back.events[0].triggers[0].secret).toMatch(/^whk_secret_/)
      const none = await run('rollback', 'declaring')
      expect([none.code, errorOf(none).message]).toEqual([3, 'declaring has no version before 1'])
      const forward = await run('promote', 'declaring', '2', '--dry-run')
      expect(actions(forward.events[0])).toEqual(['created', 'deleted', 'kept'])

      const versions = await run('deployments', 'declaring')
      expect(versions.events).toMatchObject([
        { version: 2, external_id: 'sha-2', is_current: false },
        { version: 1, external_id: 'sha-1', is_current: true },
      ])
      expect((await run('deployments', 'declaring', '--external-id', 'sha-2')).events).toHaveLength(1)
      expect((await run('promote', 'declaring', 'x')).code).toBe(2)
    })

    it('reports a mistake by its name, and sends nothing', async () => {
      const ran = await run('deploy', await declaring(`@schedule('0 0 9 * * *')`))
      expect(ran.code).toBe(2)
      expect(errorOf(ran)).toMatchObject({ code: 'DecoratorValidationError' })
    })
  })

  it('takes an HTTP function that runs elsewhere', async () => {
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.method !== 'POST') return void response.writeHead(404).end()
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ echo: JSON.parse(body) }))
    })
    const url = await listening(server)
    try {
      const unnamed = await run('deploy', '--url', url, '--protocol', 'json')
      expect(unnamed.code).toBe(2)
      expect(errorOf(unnamed).message).toContain('--name is missing')
      expect(await run('deploy', '--url', url, '--protocol', 'json', '--name', 'Echo')).toMatchObject({
        code: 0,
      })
      const item = await run('run', 'echo', '--input', '{"n":1}', '--watch')
      expect(item.code).toBe(0)
      expect(item.events.at(-1)).toMatchObject({ event: 'item', output: { echo: { n: 1 } } })
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('names the place of an error in the file, and sends nothing', async () => {
    const broken = join(folder.path, 'broken.ts')
    await writeFile(broken, 'export default class {\n  run( {\n')
    const ran = await run('deploy', broken)
    expect(ran.code).toBe(2)
    expect(errorOf(ran).message).toMatch(/broken\.ts:3:1: /)
  })
})

it('a schedule is made and changed with tags, which its run by hand gets [schedules.tags]', async () => {
  const tagged = ['--tag', 'acme', '--tag', 'Ticket 7']
  const made = await run('schedules', 'create', SLUG, '0 6 1 1 *', '--input', '{"n":1}', ...tagged)
  expect(made).toMatchObject({ code: 0, events: [{ event: 'created', tags: ['acme', 'Ticket 7'] }] })
  const { id } = made.events[0]
  const named = await run('schedules', 'update', id, '--name', 'Tagged')
  expect(named.events[0]).toMatchObject({ name: 'Tagged', tags: ['acme', 'Ticket 7'] })
  const changed = await run('schedules', 'update', id, '--tag', 'other')
  expect(changed.events[0]).toMatchObject({ event: 'updated', name: 'Tagged', tags: ['other'] })
  const { run_id } = (await run('schedules', 'trigger', 'Tagged', '--watch')).events[0]
  expect((await run('runs', '--tag', 'other')).events[0]).toMatchObject({ id: run_id, tags: ['other'] })
  expect(await run('schedules', 'delete', id)).toMatchObject({ code: 0 })
})

it('a schedule is made and changed with a concurrency, which its run by hand gets [schedules.concurrency]', async () => {
  const bound = ['--input', '{"n":1}', '--concurrency', '3']
  const made = await run('schedules', 'create', SLUG, '0 7 1 1 *', ...bound)
  expect(made).toMatchObject({ code: 0, events: [{ event: 'created', concurrency: 3 }] })
  const { id } = made.events[0]
  const named = await run('schedules', 'update', id, '--name', 'Gentle')
  expect(named.events[0]).toMatchObject({ name: 'Gentle', concurrency: 3 })
  const changed = await run('schedules', 'update', id, '--concurrency', '2')
  expect(changed.events[0]).toMatchObject({ event: 'updated', name: 'Gentle', concurrency: 2 })
  const { run_id } = (await run('schedules', 'trigger', id, '--watch')).events[0]
  const started = (await run('runs')).events.find(one => one.id === run_id)
  expect(started).toMatchObject({ concurrency: 2 })
  expect(await run('schedules', 'delete', id)).toMatchObject({ code: 0 })
})

describe('submit', () => {
  it('as a dry run prints the plan and starts nothing [agents.estimate]', async () => {
    const file = await rows('planned.jsonl', [{ do: 'ok' }, { do: 'ok' }])
    const before = (await run('runs', '--agent', SLUG)).events.length
    const ran = await run('submit', file, '--agent', SLUG, '--dry-run', '--concurrency', '2')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.events).toMatchObject([
      { event: 'file', rows: 2, lines: 2, columns: ['do'], odd: [] },
      { event: 'plan', agent_slug: SLUG, items: 2, concurrency: 2, budget_cents: null },
    ])
    expect(ran.events[1].estimate.message).toMatch(/^(about|not known)/)
    expect((await run('runs', '--agent', SLUG)).events).toHaveLength(before)
  })

  const batch = [{ do: 'degrade' }, { do: 'fail' }, {}, {}].map((row, at) => ({
    ...row,
    id: `row-${at + 1}`,
    tenant: 't',
  }))

  it('without a terminal prints one event a line; items, item and verify agree [starts.file]', async () => {
    const file = await rows('batch.jsonl', batch)
    const ran = await run(
      'submit',
      file,
      '--agent',
      SLUG,
      '--item-id',
      'id',
      '--partition-key',
      'tenant',
      '--name',
      'batch',
      '--watch',
    )
    expect(ran.code).toBe(11)
    expect(ran.out.trim().split('\n')).toHaveLength(ran.events.length)
    expect(ran.events[0]).toMatchObject({ event: 'submitted', total_items: 4 })
    expect(ran.events.slice(1, -1).every(({ event }) => event === 'progress')).toBe(true)
    const end = ran.events.at(-1)
    expect(end).toMatchObject({
      event: 'ended',
      exit_code: 11,
      run: { name: 'batch', status: 'partial', completed: 3, degraded_count: 1, failed: 1 },
    })
    const runId = end.run.id

    const items = await run('items', runId)
    expect(items.code).toBe(0)
    expect(items.events.map(item => [item.item_id, item.worst_outcome_status]).sort()).toEqual([
      ['row-1', 'degraded'],
      ['row-2', 'failed'],
      ['row-3', 'ok'],
      ['row-4', 'ok'],
    ])
    const failed = await run('items', runId, '--outcome', 'failed')
    expect(failed.events).toMatchObject([
      { item_id: 'row-2', partition_key: 't', error_message: expect.stringContaining('asked to fail') },
    ])
    const few = await run('items', runId, '--limit', '3')
    expect(few.events).toHaveLength(3)
    expect(few.err).toContain('the first 3 of 4 items')

    const item = await run('item', failed.events[0].id)
    expect(item).toMatchObject({
      code: 0,
      events: [{ event: 'item', input_snapshot: batch[1], steps: [{ key: 'work', outcome_status: 'ok' }] }],
    })

    const verified = await run('verify', runId)
    expect(verified).toMatchObject({
      code: 0,
      events: [
        { event: 'verified', balanced: true, total_items: 4, counted: { ok: 2, degraded: 1, failed: 1 } },
      ],
    })

    expect((await run('runs', '--agent', SLUG)).events[0]).toMatchObject({ event: 'run', id: runId })
    const late = await run('cancel', runId)
    expect(late.code).toBe(3)
    expect(errorOf(late)).toMatchObject({ event: 'error', code: 'run_already_ended' })
    expect((await run('watch', runId)).code).toBe(11)
  })

  it.each([
    ['ok', 0],
    ['degrade', 10],
    ['fail', 11],
    ['hold', 10],
  ])('of items that say "%s" ends with exit code %i', async (what, code) => {
    const file = await rows(`${what}.jsonl`, [{ do: what }, {}])
    const ran = await run('submit', file, '--agent', SLUG, '--watch')
    expect(ran.code).toBe(code)
    expect(ran.events.at(-1)).toMatchObject({ event: 'ended', exit_code: code })
  })

  it('under a budget of nothing ends with exit code 12', async () => {
    const file = await rows('broke.jsonl', [{}, {}])
    const ran = await run('submit', file, '--agent', SLUG, '--budget', '0', '--allow-unpriced', '--watch')
    expect(ran).toMatchObject({ code: 12 })
    expect(ran.events.at(-1).run.status).toBe('budget_exceeded')
  })

  it('that is cancelled while it is watched ends with exit code 13', async () => {
    const file = await rows('waiting.jsonl', [{ do: 'wait' }, { do: 'wait' }, {}])
    const watching = assay(stack, ['submit', file, '--agent', SLUG, '--concurrency', '1', '--watch'])
    const { run_id } = await watching.seen('submitted')
    await gate.reached()
    const cancelled = await run('cancel', run_id)
    expect(cancelled).toMatchObject({ code: 0, events: [{ event: 'cancelled', run: { id: run_id } }] })
    gate.open()
    const { code, events } = await watching.done
    expect(code).toBe(13)
    // The item in flight finished.
    expect(events.at(-1).run).toMatchObject({ status: 'cancelled', completed: 1, cancelled: 2 })
  })

  it('names bad lines by their numbers, those it finds and those the server finds', async () => {
    const file = join(folder.path, 'bad.jsonl')
    await writeFile(file, '{"id":1}\n\nnope\n{"id":1}\n')
    const local = await run('submit', file, '--agent', SLUG)
    expect(local.code).toBe(2)
    expect(errorOf(local)).toMatchObject({
      code: 'invalid_line',
      message: expect.stringContaining('line 3: is not JSON'),
    })
    await writeFile(file, '{"id":1}\n\n{"id":2}\n{"id":1}\n')
    const remote = await run('submit', file, '--agent', SLUG, '--item-id', 'id')
    expect(remote.code).toBe(3)
    expect(errorOf(remote)).toMatchObject({
      code: 'duplicate_item_id',
      message: expect.stringContaining('lines 1 and 4'),
    })
  })

  it('passes rows on byte for byte, however many', async () => {
    const file = join(folder.path, 'large.jsonl')
    const row = `{"n":1.50,  "digits":12345678901234567890.0, "text":"${'ä'.repeat(1000)}"}\n`
    await writeFile(file, row.repeat(30_000))
    const ran = await run('submit', file, '--agent', SLUG)
    expect(ran.events.at(-1)).toMatchObject({ event: 'submitted', total_items: 30_000 })
    const runId = ran.events.at(-1).run_id
    await run('cancel', runId)
    const response = await fetch(`${stack.base_url}/v2/runs/${runId}/items?limit=1`, {
      headers: { authorization: `Bearer ${stack.api_key}` },
    })
    expect(await response.text()).toContain(`"input":${row.trim()}`)
  })

  it('with the same idempotency key twice starts one run', async () => {
    const file = await rows('once.jsonl', [{}])
    const once = () => run('submit', file, '--agent', SLUG, '--idempotency-key', 'once')
    const [first, second] = [await once(), await once()]
    const { run_id } = first.events.at(-1)
    expect(first.events.at(-1)).toMatchObject({ duplicate: false })
    expect(second.events.at(-1)).toMatchObject({ run_id, duplicate: true })
  })
})

describe('run', () => {
  it('starts one item, with the input as it was typed [starts.command]', async () => {
    const ran = await run(
      'run',
      SLUG,
      '--input',
      '{"n":1.50}',
      '--item-id',
      'mine',
      '--partition-key',
      'p',
      '--watch',
    )
    expect(ran.code).toBe(0)
    const item = ran.events.at(-1)
    expect(item).toMatchObject({ event: 'item', item_id: 'mine', partition_key: 'p', outcome_status: 'ok' })
    const response = await fetch(`${stack.base_url}/v1/durable/runs/${item.id}`, {
      headers: { authorization: `Bearer ${stack.api_key}` },
    })
    expect(await response.text()).toContain('"input_snapshot":{"n":1.50}')
    for (const named of [['mine'], [item.run_id, 'mine'], [item.run_id, item.id]])
      expect((await run('item', ...named)).events).toMatchObject([{ event: 'item', id: item.id }])
  })

  it('refuses an input that is not JSON before anything is sent', async () => {
    const ran = await run('run', SLUG, '--input', '{text: 1}')
    expect(ran.code).toBe(2)
    expect(errorOf(ran)).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--input is not JSON'),
    })
  })
})

describe('triggers', () => {
  it('are made, fired, listed, renamed and deleted', async () => {
    const made = await run('triggers', 'create', 'from-outside', '--agent', SLUG, '--secret-env', 'SECRET')
    expect(made.code).toBe(0)
    const trigger = made.events[0]
    expect(trigger).toMatchObject({ event: 'trigger_created', name: 'from-outside', secret_env: 'SECRET' })
    const fire = async ({ url, secret }: { url: string; secret: string }) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
      return fetch(url, { method: 'POST', headers, body: '{}' })
    }
    const fired = await fire(trigger)
    expect(fired.status).toBe(202)
    const { run_id } = (await fired.json()) as { run_id: string }
    expect((await run('watch', run_id)).code).toBe(0)
    const list = await run('triggers', '--agent', SLUG)
    expect(list.events).toMatchObject([{ event: 'trigger', id: trigger.id, url: trigger.url }])
    expect(list.out).not.toContain(trigger.secret)

    const renamed = (await run('triggers', 'rename', 'from-outside', 'outside')).events[0]
    expect(renamed).toMatchObject({ event: 'trigger_renamed', id: trigger.id, name: 'outside' })
    expect([(await fire(trigger)).status, (await fire(renamed)).status]).toEqual([404, 202])
    expect(await run('triggers', 'delete', 'outside')).toMatchObject({ code: 0 })
    expect((await fire(renamed)).status).toBe(404)
    const gone = await run('triggers', 'delete', 'outside')
    expect(gone.code).toBe(3)
    // Other tests on this stack may have made some.
    const hint = expect.stringMatching(/^(none has been made yet|there are: )/)
    expect(errorOf(gone)).toMatchObject({ code: 'not_found', hint })
  })

  it('take a sender’s secret only from an environment variable', async () => {
    await run('triggers', 'create', 'pay', '--agent', SLUG, '--scheme', 'stripe')
    const unset = await run('triggers', 'secret', 'pay', '--signing-secret', 'NOT_SET_HERE')
    expect([unset.code, errorOf(unset).message]).toEqual([2, expect.stringContaining('is not set')])
    const env = { env: { ...stack.env, FROM_STRIPE: 'whsec_of_stripe' } }
    const given = await assay(env, ['triggers', 'secret', 'pay', '--signing-secret', 'FROM_STRIPE']).done
    expect(given).toMatchObject({ code: 0, events: [{ event: 'trigger_changed', ready: true }] })
    await run('triggers', 'delete', 'pay')
  })
})

describe('watch', () => {
  it('continues after the server was killed and started again', async () => {
    const file = await rows('restart.jsonl', [{ do: 'wait' }])
    const watching = assay(stack, ['submit', file, '--agent', SLUG, '--watch'])
    await watching.seen('progress')
    await stack.kill()
    await watching.warned(/nothing answers|no answer/)
    await stack.start()
    await watching.warned(/the server is back/)
    watching.child.kill('SIGINT')
    expect(await watching.done).toMatchObject({ code: 130 })
  })

  it('that is interrupted says how to continue, and leaves the run alone', async () => {
    const file = await rows('interrupted.jsonl', [{ do: 'wait' }])
    const watching = assay(stack, ['submit', file, '--agent', SLUG, '--watch'])
    const { run_id } = await watching.seen('submitted')
    await watching.seen('progress')
    watching.child.kill('SIGINT')
    const ran = await watching.done
    expect(ran.code).toBe(130)
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', next: `assay watch ${run_id}` })
    expect(await run('cancel', run_id)).toMatchObject({ code: 0 })
  })
})

describe('while the server is away', () => {
  it('commands that read and start wait for it, and start one run each', async () => {
    const file = await rows('meanwhile.jsonl', [{ do: 'ok' }, { do: 'ok' }])
    const tag = ['--tag', 'meanwhile']
    const to = stack.env.ASSAY_BASE_URL!
    const proxy = await startProxy(async (incoming, outgoing) => {
      const passed = passOn(incoming, outgoing, new URL(incoming.url!, to), {})
      const response = await passed.catch(() => plain(outgoing, 502, 'nothing answers behind this proxy'))
      if (response instanceof IncomingMessage) await passBack(response, outgoing)
    })
    const through = { env: { ...stack.env, ASSAY_BASE_URL: proxy.url } }
    await stack.kill()
    const all = [
      assay(through, ['runs', ...tag]),
      assay(through, ['submit', file, '--agent', SLUG, ...tag, '--watch']),
      assay(through, ['run', SLUG, '--input', '{}', ...tag]),
    ]
    await Promise.all(all.map(one => one.warned(/asking again for up to 2 minutes/)))
    await stack.start()
    const ran = await Promise.all(all.map(one => one.done))
    for (const { code, err } of ran) {
      expect(code, err).toBe(0)
      expect(err.match(/the server is back/g), err).toHaveLength(1)
    }
    expect((await run('runs', ...tag)).events).toHaveLength(2)
    proxy.kill()
  })
})

describe('errors', () => {
  it('of usage end with exit code 2 and need no key', async () => {
    const bare = { env: { ASSAY_DATA_DIR: join(folder.path, 'nothing') } }
    expect(await assay(bare, ['sumbit']).done).toMatchObject({ code: 2, out: '' })
    expect(await assay(bare, ['submit']).done).toMatchObject({ code: 2, out: '' })
    const help = await assay(bare, ['--help']).done
    expect(help).toMatchObject({ code: 0, err: '' })
    const keyless = await assay(bare, ['runs']).done
    expect(keyless.code).toBe(3)
    expect(errorOf(keyless)).toMatchObject({
      code: 'no_credentials',
      next: `ASSAY_DATA_DIR=${bare.env.ASSAY_DATA_DIR} npm start`,
    })
  })

  it('of the server end with exit code 3 and say what to try', async () => {
    const nobody = await assay({ env: { ...stack.env, ASSAY_API_KEY: 'pk_wrong' } }, ['runs']).done
    expect(nobody.code).toBe(3)
    expect(errorOf(nobody)).toMatchObject({ code: 'unauthenticated' })
    const nothing = await run('watch', '01a1fab9-81a7-7eca-a25c-32a500000000')
    expect(nothing.code).toBe(3)
    expect(errorOf(nothing)).toMatchObject({ code: 'not_found', next: 'assay runs' })
    const agent = await run('run', 'nobody', '--input', '1')
    expect(errorOf(agent)).toMatchObject({ code: 'not_found', hint: expect.stringContaining(SLUG) })
  })

  it('of a stack that is not running say how to start it, while it is waited for', async () => {
    const away = { env: { ASSAY_BASE_URL: 'http://127.0.0.1:65529', ASSAY_API_KEY: 'pk_x' } }
    const waiting = assay(away, ['runs'])
    await waiting.warned(
      /nothing answers at .*\(if it does not run: PORT=65529 npm start\); asking again for up to 10 s/,
    )
    waiting.child.kill('SIGINT')
    expect(await waiting.done).toMatchObject({ code: 130, out: '' })
    const { code, out } = await assay(away, ['doctor']).done
    expect([code, out]).toEqual([1, expect.stringContaining('PORT=65529 npm start')])
  })

  it('do not occur if the reader closes the pipe early', () => {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', 'set -o pipefail; shared/cli/main.ts runs | head -c 1 >/dev/null'],
      {
        cwd: CHECKOUT,
        encoding: 'utf8',
        env: {
          ...process.env,
          ...stack.env,
          PATH: `${join(CHECKOUT, 'node_modules/.bin')}:${process.env.PATH}`,
        },
      },
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

describe.skipIf(spawnSync('script', ['--version']).status !== 0)('in a terminal', () => {
  const screenOf = (out: string) => stripVTControlCharacters(out).replaceAll('\r\n', '\n').split(/\r|\n/)

  it('progress is one line that is redrawn within the width, followed by the summary', async () => {
    const file = await rows('shown.jsonl', [{ do: 'degrade' }, {}, {}])
    const ran = await assay(stack, ['submit', file, '--agent', SLUG, '--watch'], { terminal: 100 }).done
    expect(ran.code).toBe(10)
    const lines = screenOf(ran.out)
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(120)
    const progress = lines.filter(line => /^ran .*worked /.test(line))
    expect(progress.at(-1)).toMatch(/^ran █+ 3\/3 {2}worked █+▓+ 2 ok 1 degraded/)
    for (const line of progress) expect(line.length).toBeLessThan(100)
    expect(lines).toContainEqual('ran: all · worked: 2 ok, 1 degraded · 1 to decide')
    expect(lines).toContainEqual(expect.stringMatching(/^status +partial, 3 items in/))
    expect(ran.out).toContain('\x1b[33m')

    const runId = /run +(\S{36})/.exec(lines.join('\n'))![1]!
    const items = await assay(stack, ['items', runId, '--outcome', 'not_ok'], { terminal: 80 }).done
    expect(screenOf(items.out)[0]).toMatch(/^ID +RAN +WORKED/)
    // Text of an item cannot set colours or move the cursor.
    expect(items.out).not.toContain('\x1b[31m')
    for (const line of screenOf(items.out)) expect(line.length).toBeLessThanOrEqual(80)

    const bare = await assay({ env: { ...stack.env, NO_COLOR: '1' } }, ['verify', runId], { terminal: 80 })
      .done
    expect(bare.code).toBe(0)
    expect(bare.out).not.toContain('\x1b')
    expect(bare.out).toContain('balanced: every item')
  })

  it('--json prints lines of JSON all the same', async () => {
    const ran = await assay(stack, ['runs', '--limit', '1', '--json'], { terminal: 80 }).done
    expect(ran.events.map(({ event }) => event)).toEqual(['run', 'note'])
    expect(ran.out.trim().split('\n')).toHaveLength(2)
  })
})

it('in a checkout npx, which fetches nothing, finds the command and runs it with the packaged Node', async () => {
  const cache = join(folder.path, 'npm')
  await mkdir(cache)
  const { status, stdout } = spawnSync('npx', ['--no', 'assay', 'runs', '--limit', '1'], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...stack.env, npm_config_cache: cache },
  })
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ event: 'run' })
})
