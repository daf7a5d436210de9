import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { addMember } from '../../shared/accounts/verbs/members.ts'
import { START_COLUMNS } from '../../shared/submission/wire/start-settings.ts'
import { openAccount, PASSWORD, signIn } from './account-of-own.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'
import type { Answer, Call } from './world.ts'

const AT_ONCE = 50
const JSON_BODY = { 'content-type': 'application/json' }

interface Made {
  id: string
  agent_id: string
  url: string
  secret: string
}

/** Triggers, and the fires that start runs. How senders sign is tested in shared/triggers/rules/webhook-signatures.test.ts. */
export function triggersPart(given: Given): void {
  const create = (body: object, token?: string) =>
    given().call('POST', '/v1/triggers', { body, ...(token !== undefined && { token }) })
  const pathOf = (url: string) => new URL(url).pathname

  async function makeTrigger(more: object = {}, token?: string): Promise<Made> {
    const agent = await makeAgent(given(), token)
    const { status, json } = await create({ agent_id: agent.id, name: 'new-ticket', ...more }, token)
    expect(status).toBe(201)
    return json
  }
  /** Fires with the secret, unless the headers hold something else. */
  function fire(trigger: Made, raw: string | Uint8Array, headers: Record<string, string> = {}) {
    const call: Call = { token: trigger.secret, raw: raw as BodyInit, headers: { ...JSON_BODY, ...headers } }
    return given().call('POST', pathOf(trigger.url), call)
  }
  /** Fires without a bearer, but with a signature. */
  function fireSigned(trigger: Made, raw: string, headers: Record<string, string>) {
    return given().call('POST', pathOf(trigger.url), {
      token: null,
      raw,
      headers: { ...JSON_BODY, ...headers },
    })
  }
  const refused = ({ status, json }: Answer) => [status, json?.error?.code]
  const runsOf = async (agent_id: string) =>
    (
      await given().ctx.sql<{ id: string }[]>`select id from runs where agent_id = ${agent_id} order by id`
    ).map(run => run.id)

  describe('triggers', () => {
    it('have a URL of their own and a secret that is shown once [triggers.url, triggers.secret-once, triggers.manage]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const made = await create({ agent_id: agent.id, name: 'new-ticket', secret_env: 'ASSAY_SECRET' })
      expect(made.json).toMatchObject({
        agent_id: agent.id,
        agent_slug: agent.slug,
        name: 'new-ticket',
        secret_env: 'ASSAY_SECRET',
        scheme: 'bearer',
        ready: true,
        declared: false,
        last_fired_at: null,
      })
      const { secret, ...shown } = made.json
      expect(made.json.url).toMatch(/^http:\/\/assay\.test\/v1\/webhooks\/whk_[A-Za-z0-9_-]{22}\/trigger$/)
      expect(secret).toMatch(/^whk_secret_[A-Za-z0-9_-]{43}$/)
      const path = `/v1/triggers/${shown.id}`
      expect((await world.call('GET', path)).json).toEqual(shown)
      const list = await world.call('GET', `/v1/triggers?agent_id=${agent.id}`)
      expect(list.json).toEqual({ triggers: [shown], next_cursor: null })
      const log = await world.call('GET', '/v1/audit?action=createTrigger')
      expect(log.json.entries[0]).toMatchObject({
        target_id: shown.id,
        fields: ['agent_id', 'name', 'secret_env'],
      })
      const { sql } = world.ctx
      const kept = await sql<{ row: string }[]>`select t::text as row from triggers t`
      const logged = await sql<{ row: string }[]>`select a::text as row from audit_log a`
      const rows = [...kept, ...logged].map(({ row }) => row).join('')
      expect(rows).not.toContain(secret)
      expect(rows).not.toContain(secret.slice('whk_secret_'.length))
      const gone = await world.call('DELETE', path)
      expect([gone.status, gone.json]).toEqual([200, shown])
      expect((await world.call('GET', path)).status).toBe(404)
      expect((await world.call('DELETE', path)).status).toBe(404)
    })

    it('are unique by agent and name, and keep their URL [triggers.keyed]', async () => {
      const trigger = await makeTrigger()
      const again = { agent_id: trigger.agent_id, name: 'new-ticket' }
      const taken = await Promise.all([create(again), create(again)])
      expect(taken.map(refused)).toEqual([
        [409, 'trigger_name_taken'],
        [409, 'trigger_name_taken'],
      ])
      expect((await create({ ...again, name: 'New-ticket' })).status).toBe(201)
      const other = await makeTrigger()
      expect(other.url).not.toBe(trigger.url)
      const path = `/v1/triggers/${trigger.id}`
      const changed = await given().call('PATCH', path, { body: { secret_env: 'OTHER', name: 'new-ticket' } })
      expect(changed.json).toMatchObject({ url: trigger.url, secret_env: 'OTHER', secret: null })
      expect((await fire(trigger, '1')).status).toBe(202)
      const cleared = await given().call('PATCH', path, { body: { secret_env: null } })
      expect(cleared.json).toMatchObject({ url: trigger.url, secret_env: null })
    })

    it('get another URL and secret with another name, and the old ones end [triggers.rename-rotates, triggers.gone]', async () => {
      const world = given()
      const trigger = await makeTrigger({ secret_env: 'KEPT' })
      await fire(trigger, '1')
      const { json: renamed } = await world.call('PATCH', `/v1/triggers/${trigger.id}`, {
        body: { name: 'b' },
      })
      expect(renamed).toMatchObject({ id: trigger.id, name: 'b', secret_env: 'KEPT', last_fired_at: null })
      expect(renamed.url).not.toBe(trigger.url)
      expect(renamed.secret).toMatch(/^whk_secret_/)
      expect(renamed.secret).not.toBe(trigger.secret)
      expect(refused(await fire(trigger, '1'))).toEqual([404, 'not_found'])
      expect(refused(await fire({ ...trigger, url: renamed.url }, '1'))).toEqual([401, 'unauthenticated'])
      expect((await fire(renamed, '1')).status).toBe(202)
      // The old name is free, and a trigger that takes it is another one.
      const second = await create({ agent_id: trigger.agent_id, name: 'new-ticket' })
      expect(second.status).toBe(201)
      const back = await world.call('PATCH', `/v1/triggers/${second.json.id}`, { body: { name: 'b' } })
      expect(refused(back)).toEqual([409, 'trigger_name_taken'])
      // The refused rename changed nothing.
      expect((await fire(second.json, '1')).status).toBe(202)
    })

    it.each([
      ['no name', { name: undefined }],
      ['an empty name', { name: '' }],
      ['a name with a space', { name: 'a b' }],
      ['a name with a line end', { name: 'a\n' }],
      ['a name of 65 characters', { name: 'x'.repeat(65) }],
      ['a name that is not ASCII', { name: 'é' }],
      ['secret_env in small letters', { secret_env: 'secret' }],
      ['secret_env that begins with a digit', { secret_env: '1A' }],
      ['secret_env with a line end', { secret_env: 'A\n' }],
      ['secret_env null', { secret_env: null }],
      ['an unknown scheme', { scheme: 'gitlab' }],
      ['a signing secret for bearer', { signing_secret: 'x'.repeat(32) }],
      ['a short signing secret', { scheme: 'stripe', signing_secret: 'short' }],
      ['a signing secret that no header holds', { scheme: 'slack', signing_secret: 'ünlesbar ünlesbar' }],
      [
        'a standard secret that is not base64',
        { scheme: 'standard_webhooks', signing_secret: 'whsec_?'.repeat(9) },
      ],
      ['a secret of the caller', { secret: 'whk_secret_mine' }],
      ['an unknown field', { colour: 'red' }],
    ])('are refused with %s [triggers.name, triggers.secret-env]', async (_, body) => {
      const agent = await makeAgent(given())
      const answer = await create({ agent_id: agent.id, name: 'n', ...body })
      expect(refused(answer)).toEqual([400, 'invalid_request'])
    })

    it('take names of 64 letters, digits, underscores and dashes [triggers.name]', async () => {
      const agent = await makeAgent(given())
      for (const name of ['a', '_', '-', 'Ab_0-9'.padEnd(64, 'z')]) {
        expect((await create({ agent_id: agent.id, name })).status).toBe(201)
      }
    })

    it('are listed in pages, newest first, by project and by agent', async () => {
      const world = given()
      const { key } = await openAccount(world)
      const agent = await makeAgent(world, key)
      const other = await makeTrigger({}, key)
      const ids: string[] = []
      for (const name of ['a', 'b', 'c'])
        ids.unshift((await create({ agent_id: agent.id, name }, key)).json.id)
      const list = async (query: string) => {
        const { status, json } = await world.call('GET', `/v1/triggers?${query}`, { token: key })
        expect(status).toBe(200)
        return { ids: json.triggers.map((row: Made) => row.id), next: json.next_cursor as string | null }
      }
      expect(await list('')).toEqual({ ids: [...ids, other.id], next: null })
      const first = await list(`agent_id=${agent.id}&limit=2`)
      expect(first.ids).toEqual(ids.slice(0, 2))
      const second = await list(`agent_id=${agent.id}&limit=2&cursor=${first.next}`)
      expect(second).toEqual({ ids: ids.slice(2), next: null })
    })

    it('cannot be changed by viewers', async () => {
      const world = given()
      const { account_id, key } = await openAccount(world)
      const trigger = await makeTrigger({}, key)
      const email = `viewer-of-triggers-${account_id}@example.org`
      await addMember(world.ctx, { account_id, email, role: 'viewer', password: PASSWORD })
      const { access_token: token } = await signIn(world, email)
      expect((await create({ agent_id: trigger.agent_id, name: 'b' }, token)).status).toBe(403)
      const path = `/v1/triggers/${trigger.id}`
      expect((await world.call('PATCH', path, { token, body: { name: 'b' } })).status).toBe(403)
      expect((await world.call('DELETE', path, { token })).status).toBe(403)
      expect((await world.call('GET', path, { token })).status).toBe(200)
    })
  })

  describe('a fire', () => {
    it.each([
      ['an object', '{"b":1.50,  "a":[1e2, "\\u00e9"]}'],
      ['an object on several lines', '{\n  "a": 1\n}\n'],
      ['null', 'null'],
      ['a string', '"ünlesbar 😀"'],
      ['a number', ' -0.10e+1 '],
      ['false', 'false'],
      ['an array', '[{"id":"x"},\t[]]'],
      ['an empty object', '{}'],
    ])('starts one run over %s, byte for byte [triggers.fire, starts.trigger]', async (_, text) => {
      const world = given()
      const trigger = await makeTrigger()
      const { status, json } = await fire(trigger, text)
      expect([status, json.duplicate]).toEqual([202, false])
      expect(await runsOf(trigger.agent_id)).toEqual([json.run_id])
      const { text: record, json: item } = await world.call('GET', `/v1/durable/runs/${json.record_id}`)
      expect(record).toContain(`"input_snapshot":${text},`)
      expect(item).toMatchObject({ run_id: json.run_id, item_id: json.record_id })
      const run = await world.call('GET', `/v2/runs/${json.run_id}`)
      expect(run.json).toMatchObject({ name: 'new-ticket', total_items: 1, callback_url: null })
    })

    it('starts its run with the settings of its trigger, also after a rename [triggers.settings]', async () => {
      const world = given()
      const settings = {
        budget_cents: 250,
        allow_unpriced: true,
        pilot_items: 1,
        concurrency: 3,
        timeout_seconds: 60,
        patience_seconds: 7200,
        callback_url: 'https://example.org/done',
        tags: ['hook'],
      }
      const made = await makeTrigger({ items: true, ...settings })
      expect(made).toMatchObject(settings)
      const started = async (trigger: Made, raw: string, headers = {}) => {
        const { json } = await fire(trigger, raw, headers)
        const [row] = await world.ctx.sql`
          select ${world.ctx.sql([...START_COLUMNS])} from runs where id = ${json.run_id}`
        return row
      }
      const { budget_cents: _, ...kept } = settings
      expect(await started(made, '[1,2,3]')).toEqual({ budget_micro: 2_500_000, ...kept })
      const headers = { 'x-callback-url': 'https://example.org/this' }
      expect(await started(made, '[1,2,3]', headers)).toMatchObject({
        callback_url: headers['x-callback-url'],
      })
      const path = `/v1/triggers/${made.id}`
      const renamed = await world.call('PATCH', path, { body: { name: 'renamed' } })
      expect(renamed.json).toMatchObject(settings)
      const changes = { budget_cents: null, tags: [], items: false }
      expect((await world.call('PATCH', path, { body: changes })).json).toMatchObject({
        ...settings,
        budget_cents: null,
        tags: [],
      })
      const one = { ...kept, budget_micro: null, tags: [], pilot_items: null }
      expect(await started(renamed.json, '[1,2,3]')).toEqual(one)
    })

    it('stays one line in an export as lines, whatever the layout of its body', async () => {
      const world = given()
      const { key } = await openAccount(world)
      const trigger = await makeTrigger({}, key)
      await fire(trigger, '{\r\n  "a": 1\n}\n')
      const headers = { accept: 'application/x-ndjson' }
      const { text } = await world.call('GET', '/v1/durable/runs', { token: key, headers })
      expect(text.trimEnd().split('\n')).toHaveLength(1)
      expect(JSON.parse(text).input_snapshot).toEqual({ a: 1 })
    })

    it('accepts the trigger’s own secret and nothing else [triggers.bearer]', async () => {
      const world = given()
      const trigger = await makeTrigger()
      const other = await makeTrigger()
      const { token: session } = await openAccount(world)
      const cut = trigger.secret.slice(0, -1)
      for (const token of [
        null,
        other.secret,
        world.first.api_key,
        session,
        cut,
        `${trigger.secret}x`,
        'x',
      ]) {
        expect(refused(await fire({ ...trigger, secret: token as string }, '1'))).toEqual([
          401,
          'unauthenticated',
        ])
      }
      for (const authorization of [trigger.secret, `Basic ${trigger.secret}`, 'Bearer', `Bearer  x`]) {
        expect((await fire(trigger, '1', { authorization })).status).toBe(401)
      }
      // The secret opens nothing else.
      expect((await world.call('GET', '/v1/triggers', { token: trigger.secret })).status).toBe(401)
      expect(await runsOf(trigger.agent_id)).toEqual([])
    })

    it('at an unknown URL answers 404 to anybody [triggers.gone]', async () => {
      const world = given()
      const trigger = await makeTrigger()
      const known = pathOf(trigger.url).split('/')[3]!
      for (const id of [
        `${known}x`,
        known.slice(0, -1),
        `whk_${'A'.repeat(22)}`,
        trigger.id,
        'x',
        ...(world.proxied ? [] : ['%00']), // nginx answers 400 to it
        '..%2F',
      ]) {
        const answer = await fire({ ...trigger, url: `http://x/v1/webhooks/${id}/trigger` }, 'not json')
        expect([id, ...refused(answer)]).toEqual([id, 404, 'not_found'])
      }
      await world.call('DELETE', `/v1/triggers/${trigger.id}`)
      expect(refused(await fire(trigger, '1'))).toEqual([404, 'not_found'])
      const orphan = await makeTrigger()
      await world.call('DELETE', `/v1/agents/${orphan.agent_id}`)
      expect(refused(await fire(orphan, '1'))).toEqual([404, 'not_found'])
      expect((await world.call('GET', `/v1/triggers/${orphan.id}`)).status).toBe(404)
    })

    it('of a deleted project answers 404', async () => {
      const world = given()
      const { token, key, project_id } = await openAccount(world)
      const trigger = await makeTrigger({}, key)
      expect((await world.call('DELETE', `/v1/projects/${project_id}?confirm=main`, { token })).status).toBe(
        202,
      )
      expect(refused(await fire(trigger, '1'))).toEqual([404, 'not_found'])
    })

    it.each([
      ['nothing', '', JSON_BODY, 'invalid_request'],
      ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 'invalid_request'],
      ['plain text', '{}', { 'content-type': 'text/plain' }, 'invalid_request'],
      ['incomplete JSON', '{"a":', JSON_BODY, 'invalid_json'],
      ['a byte order mark', '\ufeff{}', JSON_BODY, 'invalid_json'],
      ['a repeated key', '{"a":1,"a":2}', JSON_BODY, 'duplicate_key'],
      ['a value that is nested too deeply', '['.repeat(65) + ']'.repeat(65), JSON_BODY, 'too_deep'],
      ['a number out of range', '1e999', JSON_BODY, 'number_out_of_range'],
      ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), JSON_BODY, 'invalid_utf8'],
      ['more bytes than an input may have', `"${'x'.repeat(1024 * 1024)}"`, JSON_BODY, 'body_too_large'],
      ['a compressed body', '{}', { ...JSON_BODY, 'content-encoding': 'gzip' }, 'invalid_request'],
      [
        'a bad callback URL',
        '{}',
        { ...JSON_BODY, 'x-callback-url': 'ftp://example.org' },
        'invalid_request',
      ],
      [
        'a long idempotency key',
        '{}',
        { ...JSON_BODY, 'x-idempotency-key': 'k'.repeat(257) },
        'invalid_request',
      ],
      ['an empty idempotency key', '{}', { ...JSON_BODY, 'x-idempotency-key': '' }, 'invalid_request'],
    ])('of %s is refused, and starts nothing', async (_, body, headers, code) => {
      const trigger = await makeTrigger()
      expect(refused(await fire(trigger, body, headers as Record<string, string>))).toEqual([400, code])
      expect(await runsOf(trigger.agent_id)).toEqual([])
    })

    it('accepts other JSON content types', async () => {
      const trigger = await makeTrigger()
      for (const type of ['application/json; charset=utf-8', 'application/cloudevents+json']) {
        expect((await fire(trigger, '{}', { 'content-type': type })).status).toBe(202)
      }
    })

    it('sets the callback of its run by X-Callback-URL [triggers.callback-header]', async () => {
      const trigger = await makeTrigger()
      const { json } = await fire(trigger, '{}', { 'X-Callback-URL': 'https://example.org/notified' })
      const run = await given().call('GET', `/v2/runs/${json.run_id}`)
      expect(run.json.callback_url).toBe('https://example.org/notified')
    })

    it('shows when the trigger last started a run', async () => {
      const world = given()
      const trigger = await makeTrigger()
      await fire(trigger, '1')
      const read = async () => (await world.call('GET', `/v1/triggers/${trigger.id}`)).json.last_fired_at
      await expect.poll(read).toMatch(/^20\d\d-.*Z$/)
    })

    it('is refused like a run: 402 beyond the plan, 429 with too many runs open [errors.402, errors.429]', async () => {
      const world = given()
      const { key, account_id, project_id } = await openAccount(world)
      const trigger = await makeTrigger({}, key)
      const keyed = { 'x-idempotency-key': 'first' }
      const first = await fire(trigger, '1', keyed)
      const { sql } = world.ctx
      await sql`update projects set settings = settings || '{"open_runs": 1}' where id = ${project_id}`
      const many = await fire(trigger, '1')
      expect([...refused(many), many.headers.get('retry-after')]).toEqual([429, 'too_many_open_runs', '5'])
      await sql`update accounts set plan = '{"open_runs": 1}' where id = ${account_id}`
      expect(refused(await fire(trigger, '1'))).toEqual([402, 'plan_limit'])
      await sql`update accounts set status = 'suspended' where id = ${account_id}`
      expect(refused(await fire(trigger, '1'))).toEqual([402, 'account_suspended'])
      // A fire that was answered once gets the same answer again.
      const again = await fire(trigger, '1', keyed)
      expect([again.status, again.json]).toEqual([202, { ...first.json, duplicate: true }])
    })

    it('that comes too often is answered 429, while other triggers still fire [errors.429]', async () => {
      const world = given()
      const { key, project_id } = await openAccount(world)
      const [busy, calm] = [await makeTrigger({}, key), await makeTrigger({}, key)]
      await world.ctx
        .sql`update projects set settings = settings || '{"requests_per_second": 1}' where id = ${project_id}`
      // A caller without the secret uses nothing up.
      for (let n = 0; n < 10; n++) expect((await fire({ ...busy, secret: 'x' }, '1')).status).toBe(401)
      const answers = await Promise.all(Array.from({ length: 6 }, () => fire(busy, '1')))
      const late = answers.filter(answer => answer.status === 429)
      expect(answers.filter(answer => answer.status === 202).length).toBeGreaterThanOrEqual(2)
      expect(late.length).toBeGreaterThanOrEqual(3)
      expect(refused(late[0]!)).toEqual([429, 'rate_limited'])
      expect(Number(late[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect((await fire(calm, '1')).status).toBe(202)
    })
  })

  it('is fired by messages of Assay twenty times in a row, and then once a minute [triggers.own-fires]', async () => {
    const trigger = await makeTrigger()
    const statuses: number[] = []
    for (let n = 0; n < 22; n++)
      statuses.push((await fire(trigger, '{}', { ...JSON_BODY, 'assay-hop': '1' })).status)
    expect(statuses).toEqual([...Array(20).fill(202), 429, 429])
    expect((await fire(trigger, '{}')).status).toBe(202)
  })

  describe('fires with one X-Idempotency-Key', () => {
    const keyed = { 'X-Idempotency-Key': 'order 4711' }

    it('start one run, even fifty at once and whatever their bodies [triggers.idempotency]', async () => {
      const trigger = await makeTrigger()
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => fire(trigger, JSON.stringify({ n }), keyed)),
      )
      expect(
        new Set(answers.map(({ status, json }) => `${status} ${json.run_id} ${json.record_id}`)).size,
      ).toBe(1)
      expect(answers[0]!.status).toBe(202)
      expect(answers.filter(({ json }) => !json.duplicate)).toHaveLength(1)
      expect(await runsOf(trigger.agent_id)).toEqual([answers[0]!.json.run_id])
    })

    it('start one run even if Redis is wiped in between', async () => {
      const trigger = await makeTrigger()
      const first = await fire(trigger, '1', keyed)
      await given().ctx.redis.flushdb()
      const second = await fire(trigger, '1', keyed)
      expect([second.json.run_id, second.json.duplicate]).toEqual([first.json.run_id, true])
    })

    it('start another after 24 hours, and not a minute before', async () => {
      const { sql } = given().ctx
      const trigger = await makeTrigger()
      const first = await fire(trigger, '1', keyed)
      const age = (minutes: number) => sql`
        update idempotency_keys set created_at = now() - make_interval(mins => ${minutes})
        where run_id = ${first.json.run_id}`
      await age(24 * 60 - 1)
      expect((await fire(trigger, '1', keyed)).json.run_id).toBe(first.json.run_id)
      await age(24 * 60 + 1)
      const second = await fire(trigger, '1', keyed)
      expect([second.json.duplicate, second.json.run_id === first.json.run_id]).toEqual([false, false])
    })

    it('count for one URL: other triggers, and runs with the same key, are separate', async () => {
      const world = given()
      const [one, two] = [await makeTrigger(), await makeTrigger()]
      const body = { input: 1, idempotency_key: 'order 4711' }
      const run = await world.call('POST', `/v1/agents/${one.agent_id}/runs`, { body })
      const ids = [run, await fire(one, '1', keyed), await fire(two, '1', keyed)].map(
        ({ json }) => json.run_id,
      )
      expect(new Set(ids).size).toBe(3)
    })
  })

  describe('a trigger with a signature scheme', () => {
    const hmac = (secret: string, text: string, encoding: 'hex' | 'base64') =>
      createHmac('sha256', secret).update(text).digest(encoding)
    const now_s = () => Math.floor(Date.now() / 1000)
    const standard = (secret: string, text: string, id = 'msg_1') => ({
      'webhook-id': id,
      'webhook-timestamp': String(now_s()),
      'webhook-signature': new Webhook(secret).sign(id, new Date(now_s() * 1000), text),
    })
    const GIVEN = 'the secret of the sender'
    // How each sender signs, and a body of its own.
    const senders: [string, object, (secret: string, text: string) => Record<string, string>, string][] = [
      ['standard_webhooks', {}, standard, '{"type":"order.paid"}'],
      [
        'github',
        {},
        (secret, text) => ({
          'X-Hub-Signature-256': `sha256=${hmac(secret, text, 'hex')}`,
          'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
          'X-GitHub-Event': 'issues',
        }),
        '{"action":"opened"}',
      ],
      [
        'stripe',
        { signing_secret: GIVEN },
        (secret, text) => ({
          'Stripe-Signature': `t=${now_s()},v1=${hmac(secret, `${now_s()}.${text}`, 'hex')}`,
        }),
        '{\n  "id": "evt_1", "object": "event"\n}',
      ],
      [
        'slack',
        { signing_secret: GIVEN },
        (secret, text) => ({
          'X-Slack-Request-Timestamp': String(now_s()),
          'X-Slack-Signature': `v0=${hmac(secret, `v0:${now_s()}:${text}`, 'hex')}`,
        }),
        '{"type":"event_callback","event_id":"Ev1"}',
      ],
      [
        'shopify',
        { signing_secret: GIVEN },
        (secret, text) => ({
          'X-Shopify-Hmac-Sha256': hmac(secret, text, 'base64'),
          'X-Shopify-Webhook-Id': 'b54557e4',
        }),
        '{"id":820982911946154508}',
      ],
    ]

    it.each(senders)(
      'accepts %s as it is, and one event once [triggers.signatures, triggers.sender-event]',
      async (scheme, more, sign, text) => {
        const trigger = await makeTrigger({ scheme, ...more })
        const secret = trigger.secret ?? GIVEN
        const first = await fireSigned(trigger, text, sign(secret, text))
        expect([first.status, first.json?.duplicate]).toEqual([202, false])
        const record = await given().call('GET', `/v1/durable/runs/${first.json.record_id}`)
        expect(record.text).toContain(`"input_snapshot":${text}`)
        const again = await fireSigned(trigger, text, sign(secret, text))
        expect([again.status, again.json]).toEqual([202, { ...first.json, duplicate: true }])
        // No signature covers it: whoever recorded a request could start any number of runs with it.
        const keyed = await fireSigned(trigger, text, { ...sign(secret, text), 'X-Idempotency-Key': 'k' })
        expect(keyed.json).toEqual(again.json)
        // A changed body, a bearer instead of a signature, and a callback that nobody signed.
        const changed = await fireSigned(trigger, text.replace(/"/, ' "'), sign(secret, text))
        expect(refused(changed)).toEqual([401, 'unauthenticated'])
        expect(refused(await fire({ ...trigger, secret }, text))).toEqual([401, 'unauthenticated'])
        const callback = { ...sign(secret, text), 'X-Callback-URL': 'https://evil.example' }
        expect(refused(await fireSigned(trigger, text, callback))).toEqual([400, 'invalid_request'])
        expect(await runsOf(trigger.agent_id)).toEqual([first.json.run_id])
      },
    )

    it.each(['slack', 'stripe'] as const)(
      'takes a recorded request of %s without an id once, however it is keyed or spelled [triggers.sender-event]',
      async scheme => {
        const trigger = await makeTrigger({ scheme, signing_secret: GIVEN })
        const text = '{"type":"block_actions"}'
        const at = String(now_s())
        const [header, prefix, head] =
          scheme === 'slack'
            ? ['X-Slack-Signature', 'v0=', `v0:${at}:`]
            : ['Stripe-Signature', `t=${at},v1=`, `${at}.`]
        const signed = {
          'X-Slack-Request-Timestamp': at,
          [header]: `${prefix}${hmac(GIVEN, `${head}${text}`, 'hex')}`,
        }
        const first = await fireSigned(trigger, text, signed)
        const spelled = scheme === 'stripe' ? { [header]: `${signed[header]},v1=00` } : {}
        const again = await fireSigned(trigger, text, {
          ...signed,
          ...spelled,
          'X-Idempotency-Key': 'another',
        })
        expect(again.json).toEqual({ ...first.json, duplicate: true })
        expect(await runsOf(trigger.agent_id)).toEqual([first.json.run_id])
      },
    )

    it("accepts Svix's headers as those of Standard Webhooks, and one event once [triggers.signatures, triggers.sender-event]", async () => {
      const trigger = await makeTrigger({ scheme: 'standard_webhooks' })
      const text = '{"type":"order.paid"}'
      const svix = () =>
        Object.fromEntries(
          Object.entries(standard(trigger.secret, text)).map(([name, value]) => [
            name.replace('webhook', 'svix'),
            value,
          ]),
        )
      const first = await fireSigned(trigger, text, svix())
      expect([first.status, first.json?.duplicate]).toEqual([202, false])
      const again = await fireSigned(trigger, text, svix())
      expect([again.status, again.json]).toEqual([202, { ...first.json, duplicate: true }])
      expect(refused(await fireSigned(trigger, `${text} `, svix()))).toEqual([401, 'unauthenticated'])
    })

    it('checks the signature before it reads the body', async () => {
      const trigger = await makeTrigger({ scheme: 'github' })
      expect(refused(await fireSigned(trigger, '{"half":', {}))).toEqual([401, 'unauthenticated'])
      const signed = { 'X-Hub-Signature-256': `sha256=${hmac(trigger.secret, '{"half":', 'hex')}` }
      expect(refused(await fireSigned(trigger, '{"half":', signed))).toEqual([400, 'invalid_json'])
    })

    it('refuses every fire until it has its sender’s secret, and takes a new one without a new URL [triggers.sender-secret]', async () => {
      const world = given()
      const trigger = await makeTrigger({ scheme: 'stripe' })
      expect(trigger).toMatchObject({ ready: false, secret: null })
      const send = (secret: string, text = '{}') =>
        fireSigned(trigger, text, {
          'Stripe-Signature': `t=${now_s()},v1=${hmac(secret, `${now_s()}.${text}`, 'hex')}`,
        })
      const early = await send('')
      expect(refused(early)).toEqual([401, 'unauthenticated'])
      expect(early.json.error.hint).toContain('signing_secret')
      const path = `/v1/triggers/${trigger.id}`
      for (const signing_secret of ['whsec_first', 'whsec_second']) {
        const { json } = await world.call('PATCH', path, { body: { signing_secret } })
        expect(json).toMatchObject({ url: trigger.url, ready: true, secret: null })
        expect((await send(signing_secret)).status).toBe(202)
      }
      expect((await send('whsec_first')).status).toBe(401)
      // Another name means another URL, for which the sender has another secret.
      const { json: renamed } = await world.call('PATCH', path, { body: { name: 'b' } })
      expect(renamed).toMatchObject({ ready: false, secret: null })
      const [row] = await world.ctx.sql`select signing_secret_sealed from triggers where id = ${trigger.id}`
      expect(row!.signing_secret_sealed).toBeNull()
      const bearer = await makeTrigger()
      const body = { signing_secret: 'whsec_first' }
      expect((await world.call('PATCH', `/v1/triggers/${bearer.id}`, { body })).status).toBe(400)
    })

    it('keeps secrets so that the database alone does not reveal them', async () => {
      const made = await makeTrigger({ scheme: 'standard_webhooks' })
      expect(made.secret).toMatch(/^whsec_/)
      const own = `whsec_${btoa('k'.repeat(32))}`
      const withSecret = await makeTrigger({ scheme: 'standard_webhooks', signing_secret: own })
      expect(withSecret.secret).toBeNull()
      expect((await fireSigned(withSecret, '{}', standard(own, '{}'))).status).toBe(202)
      const rows = JSON.stringify(await given().ctx.sql`select * from triggers`)
      for (const secret of [made.secret, own]) expect(rows).not.toContain(secret.slice('whsec_'.length))
    })

    it('answers Slack’s challenge if it is signed, and starts nothing [triggers.challenge]', async () => {
      const trigger = await makeTrigger({ scheme: 'slack', signing_secret: GIVEN })
      const text = '{"token":"t","challenge":"3eZbrw1aBm2r","type":"url_verification"}'
      const signed = {
        'X-Slack-Request-Timestamp': String(now_s()),
        'X-Slack-Signature': `v0=${hmac(GIVEN, `v0:${now_s()}:${text}`, 'hex')}`,
      }
      const answer = await fireSigned(trigger, text, signed)
      expect([answer.status, answer.json]).toEqual([200, { challenge: '3eZbrw1aBm2r' }])
      expect((await fireSigned(trigger, text, {})).status).toBe(401)
      expect(await runsOf(trigger.agent_id)).toEqual([])
    })
  })
}
