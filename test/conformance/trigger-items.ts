import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { body, startSource, type TestSource, ticketLines } from '../support/source.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'
import type { Answer } from './world.ts'

/** Triggers whose fires are runs over many items: those of their body, or the rows of a source. */
export function triggerItemsPart(given: Given): void {
  let served: TestSource
  beforeAll(async () => {
    served = await startSource(body(ticketLines(7).join('')))
  })
  afterAll(() => served.close())

  async function makeTrigger(more: object) {
    const agent = await makeAgent(given())
    const order = { agent_id: agent.id, name: 'new-tickets', ...more }
    const { status, json } = await given().call('POST', '/v1/triggers', { body: order })
    return { status, agent, ...json }
  }
  const fire = (
    trigger: { url: string; secret: string },
    raw: string | Uint8Array,
    headers: Record<string, string> = {},
  ) =>
    given().call('POST', new URL(trigger.url).pathname, {
      token: trigger.secret,
      raw: raw as BodyInit,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const NDJSON = { 'content-type': 'application/x-ndjson' }
  const itemsOf = (run_id: string) =>
    given().ctx.sql<{ item_id: string; partition_key: string | null; input: string }[]>`
      select item_id, partition_key, input from items where run_id = ${run_id} order by line`
  const runsOf = async ({ agent }: { agent: { id: string } }) =>
    (await given().ctx.sql`select 1 from runs where agent_id = ${agent.id}`).length
  const refused = ({ status, json }: Answer) => [status, json.error.code]

  describe('triggers with items', () => {
    it.each<[string, string, Record<string, string>]>([
      ['an array', '[ {"id":"a","n":1.50}, {"id":"b",\n"n":2} ]', {}],
      ['lines', '{"id":"a","n":1.50}\n\n{"id":"b", "n":2}\n', NDJSON],
    ])('take %s as the items of one run, each as it was sent [triggers.items]', async (_, raw, headers) => {
      const trigger = await makeTrigger({ items: true, item_id: 'id' })
      expect(trigger).toMatchObject({ items: true, item_id: 'id', partition_key: null, source: null })
      const { status, json } = await fire(trigger, raw, headers)
      expect([status, json.duplicate]).toEqual([202, false])
      const found = await itemsOf(json.run_id)
      expect(found.map(({ item_id }) => item_id)).toEqual(['a', 'b'])
      expect(found.map(({ input }) => input.replace(/\s/g, ''))).toEqual([
        '{"id":"a","n":1.50}',
        '{"id":"b","n":2}',
      ])
      expect(await runsOf(trigger)).toBe(1)
    })

    it('start one run for all fires with the same idempotency key', async () => {
      const trigger = await makeTrigger({ items: true })
      const key = { 'X-Idempotency-Key': 'k' }
      const answers = await Promise.all(Array.from({ length: 10 }, () => fire(trigger, '[1,2,3]', key)))
      expect(new Set(answers.map(({ status, json }) => `${status} ${json.run_id}`)).size).toBe(1)
      expect(await itemsOf(answers[0]!.json.run_id)).toHaveLength(3)
      expect(await runsOf(trigger)).toBe(1)
    })

    it.each<[string, string | Uint8Array, Record<string, string>, string, string]>([
      ['an object', '{"a":1}', {}, 'invalid_request', 'no JSON array'],
      ['an empty array', '[]', {}, 'no_items', 'no items'],
      ['no lines', '\n\n', NDJSON, 'no_items', 'no items'],
      ['a row without its item_id', '[{"id":"a"},{"no":1}]', {}, 'invalid_line', 'line 2: has no field "id"'],
      ['a line that is not JSON', '{"id":"a"}\nnonsense\n', NDJSON, 'invalid_line', 'line 2: is not JSON'],
      ['a repeated item_id', '[{"id":"a"},{"id":"a"}]', {}, 'duplicate_item_id', '"a" is on lines 1 and 2'],
      [
        'a body that is too large',
        new Uint8Array(LIMITS.trigger_items_bytes + 1),
        NDJSON,
        'body_too_large',
        'larger than',
      ],
    ])('refuse %s, and start nothing [triggers.items]', async (_, raw, headers, code, words) => {
      const trigger = await makeTrigger({ items: true, item_id: 'id' })
      const answer = await fire(trigger, raw, headers)
      expect(refused(answer)).toEqual([400, code])
      expect(answer.json.error.message).toContain(words)
      expect(await runsOf(trigger)).toBe(0)
    })

    it('read nothing from a sender without the secret', async () => {
      const trigger = await makeTrigger({ items: true })
      const large = new Uint8Array(LIMITS.trigger_items_bytes + 1)
      expect(refused(await fire({ ...trigger, secret: 'x' }, large))).toEqual([401, 'unauthenticated'])
    })

    it('are the only ones: for every other trigger an array is one input', async () => {
      const trigger = await makeTrigger({})
      const { json } = await fire(trigger, '[1,2,3]')
      expect((await itemsOf(json.run_id)).map(({ input }) => input)).toEqual(['[1,2,3]'])
      const path = `/v1/triggers/${trigger.id}`
      await given().call('PATCH', path, { body: { items: true } })
      expect(await itemsOf((await fire(trigger, '[1,2,3]')).json.run_id)).toHaveLength(3)
      await given().call('PATCH', path, { body: { source: null } })
      expect(await itemsOf((await fire(trigger, '[1,2,3]')).json.run_id)).toHaveLength(3)
      await given().call('PATCH', path, { body: { items: false } })
      expect(await itemsOf((await fire(trigger, '[1,2,3]')).json.run_id)).toHaveLength(1)
    })
  })

  describe('a change of where items come from', () => {
    it.each<[string, object, object, object]>([
      ['items: false leaves a source', { source: { generator: 'rows' } }, { items: false }, {}],
      ['source: null leaves items', { items: true, item_id: 'id' }, { source: null }, {}],
      [
        'items: true leaves the fields that it does not name',
        { items: true, item_id: 'id', partition_key: 'tenant' },
        { items: true, partition_key: 'region' },
        { partition_key: 'region' },
      ],
      [
        'source: null removes a source',
        { source: { generator: 'rows' } },
        { source: null },
        { source: null },
      ],
      [
        'items: false ends items, and their fields',
        { items: true, item_id: 'id' },
        { items: false },
        { items: false, item_id: null },
      ],
      [
        'items: true removes a source',
        { source: { generator: 'rows' } },
        { items: true },
        { items: true, source: null },
      ],
    ])('%s [triggers.manage]', async (_, first, change, changed) => {
      const { id, items, item_id, partition_key, source } = await makeTrigger(first)
      const { status, json } = await given().call('PATCH', `/v1/triggers/${id}`, { body: change })
      expect([status, json]).toMatchObject([200, { items, item_id, partition_key, source, ...changed }])
    })
  })

  describe('triggers with a source', () => {
    const source = () => ({
      url: `${served.url}?day={date}`,
      format: 'ndjson',
      item_id: 'id',
      partition_key: 'tenant',
      headers: { authorization: 'Bearer s3cret' },
    })

    it('start one run over all its rows, and never show its headers [triggers.source, triggers.settings]', async () => {
      const settings = { allow_unpriced: true, pilot_items: 2, tags: ['hook'] }
      const trigger = await makeTrigger({ source: source(), budget_cents: 300, ...settings })
      expect(trigger.source).toMatchObject({ format: 'ndjson', header_names: ['authorization'] })
      expect(JSON.stringify(trigger)).not.toContain('s3cret')
      const first = await fire(trigger, '', { 'X-Idempotency-Key': 'k' })
      expect([first.status, first.json.duplicate]).toEqual([202, false])
      expect(await itemsOf(first.json.run_id)).toHaveLength(7)
      const [run] = await given().ctx.sql`
        select budget_micro, allow_unpriced, pilot_items, tags from runs where id = ${first.json.run_id}`
      expect(run).toEqual({ budget_micro: 3_000_000, ...settings })
      expect(served.asked.at(-1)!.headers.authorization).toBe('Bearer s3cret')
      expect(served.asked.at(-1)!.url).toMatch(/day=\d{4}-\d\d-\d\d$/)
      const asked = served.asked.length
      const again = await fire(trigger, '{"any":"body"}', { 'X-Idempotency-Key': 'k' })
      expect([again.json.run_id, again.json.duplicate]).toEqual([first.json.run_id, true])
      expect(served.asked).toHaveLength(asked) // the source is not read again
    })

    it('keep the source and its headers when they are renamed', async () => {
      const trigger = await makeTrigger({ source: source() })
      const { json } = await given().call('PATCH', `/v1/triggers/${trigger.id}`, {
        body: { name: 'renamed' },
      })
      expect(json.source).toEqual(trigger.source)
      expect((await fire(json, 'null')).status).toBe(202)
      expect(served.asked.at(-1)!.headers.authorization).toBe('Bearer s3cret')
    })

    it('report to their sender that the source failed, and nothing of its answer, and start nothing [triggers.source]', async () => {
      const trigger = await makeTrigger({ source: source() })
      served.serve = response => response.writeHead(500).end('out of order')
      const failed = await fire(trigger, 'null')
      expect(refused(failed)).toEqual([400, 'source_failed'])
      expect(failed.json.error.message).toBe(
        'The source of this trigger could not be read; its owner sees why.',
      )
      expect(failed.text).not.toContain('out of order')
      const asOwner = { agent_id: trigger.agent.id, source: source() }
      const preview = await given().call('POST', '/v1/sources/preview', { body: asOwner })
      expect(preview.json.error).toMatchObject({
        code: 'source_failed',
        message: expect.stringContaining('out of order'),
      })
      served.serve = body('{"id":"T-secret","tenant":"a"}\n'.repeat(2))
      const twice = await fire(trigger, 'null')
      expect([...refused(twice), twice.text.includes('T-secret')]).toEqual([400, 'source_failed', false])
      served.serve = body('')
      expect(refused(await fire(trigger, 'null'))).toEqual([400, 'source_empty'])
      served.serve = body(ticketLines(7).join(''))
      expect(await runsOf(trigger)).toBe(0)
    })

    it('read no more sources at once than a project may', async () => {
      const trigger = await makeTrigger({ source: source() })
      const more = Promise.withResolvers<void>()
      const started = Array.from({ length: LIMITS.sources_at_once_per_project }, () =>
        Promise.withResolvers<void>(),
      )
      let asked = 0
      served.serve = async response => {
        response.writeHead(200)
        response.write(ticketLines(1)[0])
        started[asked++]!.resolve()
        await more.promise
        response.end()
      }
      const waiting = started.map(() => fire(trigger, 'null'))
      await Promise.all(started.map(one => one.promise))
      const late = await fire(trigger, 'null')
      expect(refused(late)).toEqual([429, 'rate_limited'])
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      more.resolve()
      expect((await Promise.all(waiting)).map(answer => answer.status)).toEqual(waiting.map(() => 202))
      served.serve = body(ticketLines(7).join(''))
    })

    it.each([
      [{ items: true, source: { url: 'https://example.com/x', format: 'csv' } }, 'exclude each other'],
      [{ item_id: 'id' }, 'go with "items": true'],
    ])('refuse %j', async (more, words) => {
      const { status, error } = await makeTrigger(more)
      expect([status, error.message]).toEqual([400, expect.stringContaining(words)])
    })
  })
}
