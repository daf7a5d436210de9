// Strangers know a trigger's address, and nothing else. Their bodies are not read if the secret comes in a header, and
// read into a bounded room if they are signed; their tries are logged, and do not fill the log.

import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MiB } from '../../shared/kernel/limits/bytes.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { costOf, expectCheap, printCost } from './support/cost.ts'
import { atATime, fill, send, tally } from './support/sender.ts'

const AT_ONCE = 50
const LAST_MS = 5000

let stack: Stack
let agent_id: string
beforeAll(async () => {
  stack = await startStack()
  agent_id = (await ask('POST', '/v1/agents', { name: 'Triggered', slug: 'triggered' })).id
})
afterAll(() => stack.close())

async function ask(method: string, path: string, body?: object, token = stack.api_key) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(stack.base_url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.status).toBeLessThan(300)
  return answer.json()
}

async function logged(action: string): Promise<number> {
  const sql = postgres(stack.databaseUrl, { max: 1 })
  try {
    const [row] = await sql`select count(*)::int as count from audit_log where action = ${action}`
    return row!.count
  } finally {
    await sql.end()
  }
}

it.each([
  ['with its secret in a header', 'bearer', {}, { authorization: 'Bearer whk_secret_wrong' }],
  ['that is signed', 'github', {}, { 'x-hub-signature-256': 'sha256=00' }],
  ['that is signed, and takes items', 'github', { items: true }, { 'x-hub-signature-256': 'sha256=00' }],
])(
  'large bodies for a trigger %s cost little, and are logged within a bound',
  async (which, scheme, more, proof) => {
    const { url } = await ask('POST', '/v1/triggers', {
      agent_id,
      name: `${scheme}${'items' in more ? '-items' : ''}`,
      scheme,
      ...more,
    })
    const bytes = 'items' in more ? 25 * MiB : LIMITS.item_input_bytes
    const before = await logged('fireTrigger.refused')
    const [sent, cost] = await costOf(stack, () =>
      atATime(AT_ONCE, LAST_MS, () =>
        send(stack, {
          path: new URL(url).pathname,
          headers: { 'content-type': 'application/json', ...proof },
          length: bytes,
          body: fill(bytes),
        }),
      ),
    )
    const total = sent.reduce((sum, one) => sum + one.bytes, 0)
    const counts = tally(sent.map(({ status }) => status))
    printCost(
      `bodies of ${bytes} bytes for a trigger ${which}, ${Math.round(total / 1e6)} MB sent, answered ${JSON.stringify(counts)}`,
      cost,
    )
    expect(counts[401]).toBeGreaterThan(0)
    expect(Object.keys(counts).every(status => ['401', '429', '400', 'undefined'].includes(status))).toBe(
      true,
    )
    const entries = (await logged('fireTrigger.refused')) - before
    expect(entries).toBeGreaterThan(0)
    expect(entries).toBeLessThanOrEqual(LIMITS.refusals_noted.burst + 1)
    expectCheap(cost)
  },
)

it('reading a signing secret is logged, once a minute however often it happens', async () => {
  const { access_token } = await ask('POST', '/v1/sessions', stack.account)
  const [project] = await ask('GET', '/v1/projects')
  for (let n = 0; n < 5; n++)
    await ask('GET', `/v1/projects/${project.id}/signing-secret`, undefined, access_token)
  expect(await logged('getSigningSecret')).toBe(1)
})
