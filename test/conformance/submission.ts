import { describe, expect, it } from 'vitest'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }

/** How items are submitted: one, many as JSON, any number as lines. */
export function submissionPart(given: Given): void {
  const verbatim = [
    '{"b":1,  "a":2, "n":12345678901234567890.10, "e":1E+2}',
    '{"__proto__":{"x":1},"constructor":null}',
    '"\\u0000 and \\ud800 alone"',
    '"\\u003c/script\\u003e \\/ \u2028 😀"',
    'null',
    '[ ]',
    '-0.0',
  ]

  async function inputTextOf(path: string, key: string): Promise<string> {
    const { text } = await given().call('GET', path)
    const start = text.indexOf(`"${key}":`) + key.length + 3
    return text.slice(start, text.indexOf(',"output":', start))
  }

  describe('a pilot', () => {
    const items = [{ input: 1 }, { input: 2 }, { input: 3 }]
    const pilotOf = async (run_id: string) =>
      (await given().call('GET', `/v2/runs/${run_id}`)).json.pilot_items

    it('is shown by the run while it lasts, for a body and for lines [runs.pilot]', async () => {
      const { id: agent_id } = await makeAgent(given())
      const ofBody = await given().call('POST', '/v1/batches', { body: { agent_id, pilot_items: 2, items } })
      const raw = items.map(item => JSON.stringify(item)).join('\n')
      const ofLines = await given().call('POST', `/v1/batches?agent_id=${agent_id}&pilot_items=2`, {
        raw,
        headers: NDJSON,
      })
      expect(await pilotOf(ofBody.json.run_id)).toBe(2)
      expect(await pilotOf(ofLines.json.run_id)).toBe(2)
      await given().ctx.sql`update runs set stop_reason = 'pilot_failed' where id = ${ofBody.json.run_id}`
      expect(await pilotOf(ofBody.json.run_id)).toBeNull()
    })

    it.each([0, 10_001, 1.5])('of %s items is refused', async pilot_items => {
      const { id: agent_id } = await makeAgent(given())
      const refused = await given().call('POST', '/v1/batches', { body: { agent_id, pilot_items, items } })
      expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_request'])
    })
  })

  describe('one item', () => {
    it.each(verbatim)('is returned byte for byte: %s [input.verbatim, items.input]', async input => {
      const agent = await makeAgent(given())
      const raw = `{ "item_id" : "x", "input" : ${input} }`
      const headers = { 'content-type': 'application/json' }
      const { status, json } = await given().call('POST', `/v1/agents/${agent.id}/runs`, { raw, headers })
      expect(status).toBe(202)
      expect(await inputTextOf(`/v2/runs/${json.run_id}/items`, 'input')).toBe(input)
      expect(await inputTextOf(`/v1/durable/runs/${json.record_id}`, 'input_snapshot')).toBe(input)
    })

    it.each(["' OR 1=1--", '../../etc', '%2e%2e', '😀'.repeat(64), 'ünï"\\'])(
      'keeps item_id %s [items.id, runs.list-by-item]',
      async item_id => {
        const agent = await makeAgent(given())
        const { json } = await given().call('POST', `/v1/agents/${agent.id}/runs`, {
          body: { input: 1, item_id },
        })
        expect((await given().call('GET', `/v1/durable/runs/${json.record_id}`)).json.item_id).toBe(item_id)
        const found = await given().call('GET', `/v2/runs?item_id=${encodeURIComponent(item_id)}`)
        expect(found.json.map((run: { id: string }) => run.id)).toContain(json.run_id)
      },
    )

    it('gets its record id as item_id if it has none [items.id-not-derived]', async () => {
      const agent = await makeAgent(given())
      const { json } = await given().call('POST', `/v1/agents/${agent.id}/runs`, { body: { input: 1 } })
      const record = await given().call('GET', `/v1/durable/runs/${json.record_id}`)
      expect(record.json).toMatchObject({ id: json.record_id, item_id: json.record_id, status: 'queued' })
    })

    it.each([
      ['no input', {}],
      ['another agent_id than the path', { input: 1, agent_id: '01900000-0000-7000-8000-000000000001' }],
      ['budget -1', { input: 1, budget_cents: -1 }],
      ['budget 1.5', { input: 1, budget_cents: 1.5 }],
      ['budget "100"', { input: 1, budget_cents: '100' }],
      ['budget true', { input: 1, budget_cents: true }],
      ['budget null', { input: 1, budget_cents: null }],
      ['budget 2^53', { input: 1, budget_cents: 2 ** 53 }],
      ['timeout 0', { input: 1, timeout_seconds: 0 }],
      ['an empty item_id', { input: 1, item_id: '' }],
      ['item_id null', { input: 1, item_id: null }],
      ['item_id 7', { input: 1, item_id: 7 }],
      ['an item_id of 257 bytes', { input: 1, item_id: 'x'.repeat(257) }],
      ['an item_id of 65 four-byte characters', { input: 1, item_id: '😀'.repeat(65) }],
      ['an item_id with NUL', { input: 1, item_id: 'a\0' }],
      ['an item_id with a newline', { input: 1, item_id: 'a\nb' }],
      ['an item_id with a lone surrogate', { input: 1, item_id: '\ud800' }],
      ['an ftp callback', { input: 1, callback_url: 'ftp://a/' }],
    ])('is refused with %s', async (_, body) => {
      const agent = await makeAgent(given())
      const { status, json } = await given().call('POST', `/v1/agents/${agent.id}/runs`, { body })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    })

    it('is one run for one idempotency key, and a conflict with another body [runs.idempotent, errors.409]', async () => {
      const agent = await makeAgent(given())
      const ask = (input: number) =>
        given().call('POST', `/v1/agents/${agent.id}/runs`, { body: { input, idempotency_key: 'once' } })
      const answers = await Promise.all([1, 1, 1].map(ask))
      expect(new Set(answers.map(({ json }) => json.run_id)).size).toBe(1)
      expect(answers.map(({ json }) => json.duplicate).sort()).toEqual([false, true, true])
      const other = await ask(2)
      expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_key_reused'])
    })

    it('is refused with 402 while the account is suspended [errors.402]', async () => {
      const { ctx, call, stranger } = given()
      const agent = await makeAgent(given(), stranger.key)
      await ctx.sql`update accounts set status = 'suspended' where id = ${stranger.account_id}`
      try {
        const answer = await call('POST', `/v1/agents/${agent.id}/runs`, {
          token: stranger.key,
          body: { input: 1 },
        })
        expect([answer.status, answer.json.error.code]).toEqual([402, 'account_suspended'])
      } finally {
        await ctx.sql`update accounts set status = 'active' where id = ${stranger.account_id}`
        // Written past the API: what reads go by is remembered for a moment.
        const reads = async () => (await call('GET', '/v1/agents', { token: stranger.key })).status
        await expect.poll(reads, { timeout: 5000, interval: 100 }).toBe(200)
      }
    })
  })

  describe('a batch as JSON', () => {
    it('is one run over its items, each input byte for byte [runs.submit, runs.group-id, input.verbatim]', async () => {
      const agent = await makeAgent(given())
      const items = verbatim.map((input, n) => `{"item_id":"v${n}","input":${input}}`)
      const raw = `{"items":[${items.join(' , ')}],"agent_id":"${agent.id}"}`
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const { status, json } = await given().call('POST', '/v1/batches', { raw, headers })
      expect([status, json.total_items, json.run_id]).toEqual([202, verbatim.length, json.group_id])
      const { text } = await given().call('GET', `/v2/runs/${json.group_id}/items`)
      for (const input of verbatim) expect(text).toContain(`"input":${input},"output":`)
    })

    it.each([
      ['no items', { items: [] }, 'no_items'],
      ['an item without input', { items: [{ item_id: 'a' }] }, 'invalid_request'],
      [
        'a repeated item_id',
        {
          items: [
            { input: 1, item_id: 'a' },
            { input: 2, item_id: 'a' },
          ],
        },
        'duplicate_item_id',
      ],
      ['an unknown field in an item', { items: [{ input: 1, colour: 'red' }] }, 'invalid_request'],
      ['no list of items', { items: {} }, 'invalid_request'],
    ])('is refused with %s', async (_, more, code) => {
      const agent = await makeAgent(given())
      const { status, json } = await given().call('POST', '/v1/batches', {
        body: { agent_id: agent.id, ...more },
      })
      expect([status, json.error.code]).toEqual([400, code])
    })

    it('finds its agent by slug, in the project of the key or in the one that is named', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const items = [{ input: 1 }]
      const run = await world.call('POST', '/v1/batches', { body: { agent: agent.slug, items } })
      expect((await world.call('GET', `/v2/runs/${run.json.run_id}`)).json.agent_slug).toBe(agent.slug)
      const { project_id } = (await world.call('GET', `/v1/agents/${agent.id}`)).json
      const query = `agent=${agent.slug}&project_id=${project_id}`
      const lines = await world.call('POST', `/v1/batches?${query}`, { raw: '{"input":1}', headers: NDJSON })
      expect(lines.status).toBe(202)
      for (const names of [{}, { agent: agent.slug, agent_id: agent.id }]) {
        const { status, json } = await world.call('POST', '/v1/batches', { body: { ...names, items } })
        expect([status, json.error.message]).toEqual([
          400,
          'One of the fields "agent" and "agent_id" must name the agent.',
        ])
      }
    })

    it('takes no parameters in the query', async () => {
      const agent = await makeAgent(given())
      const body = { agent_id: agent.id, items: [{ input: 1 }] }
      expect((await given().call('POST', '/v1/batches?name=x', { body })).status).toBe(400)
    })

    it('answers 404 for an unknown agent', async () => {
      const body = { agent_id: '01900000-0000-7000-8000-000000000001', items: [{ input: 1 }] }
      expect((await given().call('POST', '/v1/batches', { body })).status).toBe(404)
    })
  })

  describe('a batch as lines', () => {
    it('takes a stream of lines, with \\r\\n, blank lines and no newline at the end [runs.submit, starts.file]', async () => {
      const agent = await makeAgent(given())
      const pieces = [
        `{"input":${verbatim[0]}}\r\n\n{"inp`,
        'ut":"ü',
        '","item_id":"b","partition_key":"p"}\n',
        '{"input":3}',
      ]
      const raw = new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
          controller.close()
        },
      })
      const query = `agent_id=${agent.id}&name=batches%20up&budget_cents=0&concurrency=3&timeout_seconds=9`
      const { status, json } = await given().call('POST', `/v1/batches?${query}`, { raw, headers: NDJSON })
      expect([status, json.total_items]).toEqual([202, 3])
      const run = await given().call('GET', `/v2/runs/${json.group_id}`)
      expect(run.json).toMatchObject({
        name: 'batches up',
        budget_cents: 0,
        concurrency: 3,
        timeout_seconds: 9,
      })
      const { json: items, text } = await given().call('GET', `/v2/runs/${json.group_id}/items`)
      expect(text).toContain(`"input":${verbatim[0]},`)
      const lines = items.map((item: { line: number; item_id: string }) => item.line)
      expect(lines.sort()).toEqual([1, 3, 4])
    })

    it('names every bad line and accepts nothing [input.lines, input.all-or-nothing]', async () => {
      const agent = await makeAgent(given())
      const raw = [
        '{"input":1}',
        '{"input":',
        '{"item_id":"x"}',
        '{"input":1,"colour":2}',
        '{"input":1,"item_id":5}',
        '[]',
      ].join('\n')
      const { status, json } = await given().call('POST', `/v1/batches?agent_id=${agent.id}`, {
        raw,
        headers: NDJSON,
      })
      expect([status, json.error.code]).toEqual([400, 'invalid_line'])
      for (const part of [
        'Line 2:',
        'Line 3: input is missing',
        'Line 4: unknown field "colour"',
        'Line 5:',
        'Line 6:',
      ]) {
        expect(json.error.message).toContain(part)
      }
      expect(json.error.message).not.toContain('Line 1:')
      expect((await given().call('GET', `/v2/runs?agent=${agent.slug}`)).json).toEqual([])
    })

    it('stops after twenty bad lines', async () => {
      const agent = await makeAgent(given())
      const raw = '{}\n'.repeat(100)
      const { json } = await given().call('POST', `/v1/batches?agent_id=${agent.id}`, {
        raw,
        headers: NDJSON,
      })
      expect(json.error.message).toBe(
        'Nothing was accepted. Lines 1–20: input is missing. There may be more.',
      )
    })

    it.each([
      ['no lines', '', '', 'no_items'],
      ['invalid UTF-8', '', new Uint8Array([0x7b, 0xff, 0x7d]), 'invalid_line'],
      ['a repeated item_id', '', '{"input":1,"item_id":"a"}\n{"input":2,"item_id":"a"}', 'duplicate_item_id'],
      ['an input over 1 MiB', '', `{"input":"${'x'.repeat(1 << 20)}"}`, 'invalid_line'],
      ['budget_cents=1e2', '&budget_cents=1e2', '{"input":1}', 'invalid_request'],
      ['an unknown parameter', '&colour=red', '{"input":1}', 'invalid_request'],
    ])('is refused with %s', async (_, query, raw, code) => {
      const agent = await makeAgent(given())
      const path = `/v1/batches?agent_id=${agent.id}${query}`
      const { status, json } = await given().call('POST', path, { raw, headers: NDJSON })
      expect([status, json.error.code]).toEqual([400, code])
    })

    it('is one run for one idempotency key', async () => {
      const agent = await makeAgent(given())
      const ask = (raw: string) =>
        given().call('POST', `/v1/batches?agent_id=${agent.id}&idempotency_key=k`, { raw, headers: NDJSON })
      const first = await ask('{"input":1}\n')
      expect(first.json).toMatchObject({ duplicate: false, status: 'queued' })
      await given().call('POST', `/v2/runs/${first.json.run_id}/cancel`, { body: {} })
      const again = await ask('{"input":1}\n')
      expect(again.json).toEqual({ ...first.json, duplicate: true, status: 'cancelled' })
      expect((await ask('{"input":2}\n')).status).toBe(409)
    })
  })
}
