// Addresses that a tenant names for the process to dial: agents behind URLs, callbacks, alert channels and sources of
// schedules. However it is spelled, an address that is neither public nor opened by the operator gets no connection.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { JudgedNames } from '../../infra/outside/judged-lookup.ts'
import { allowsOutside } from '../../infra/outside/networks.ts'
import { eventually } from '../support/eventually.ts'
import {
  behindUrl,
  type Listener,
  listenAt,
  type Project,
  type Shared,
  START_MS,
  startShared,
} from './support/neighbour-stack.ts'

let shared: Shared
let tenant: Project
/** What may be reached, and what may not: other addresses of loopback, at the same port. */
let open: Listener
let closed: Listener[]

const OPENED = '127.0.0.1/32'

beforeAll(async () => {
  open = await listenAt('127.0.0.1')
  const { port } = open
  closed = await Promise.all(['127.0.0.2', '127.7.7.7', '::1'].map(host => listenAt(host, port)))
  shared = await startShared({ ASSAY_ALLOW_NETWORKS: OPENED, ASSAY_ALLOW_CALLBACK_NETWORKS: OPENED })
  tenant = await shared.tenant()
}, START_MS)
afterAll(async () => {
  await shared.close()
  for (const one of [open, ...closed]) await one.close()
})

/** Each leads to one of the closed listeners, or, where the machine has such a place, to a service of its network. */
const HOSTS = [
  '127.0.0.2',
  '127.7.7.7',
  '2130706434', // 127.0.0.2 as one number
  '0x7f000002',
  '017700000002',
  '0177.0.0.2',
  '0x7f.0.0.2',
  '127.2',
  '127.0.2',
  '127.0.0.2.',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[0:0:0:0:0:ffff:7f00:2]',
  '[::127.0.0.2]', // an old spelling, of ::/96
  '[::7f00:2]',
  '[64:ff9b::127.0.0.2]',
  '[64:ff9b:1::7f00:2]',
  '[2002:7f00:2::]',
  '[2001:0:7f00:2::]',
  '0.0.0.0',
  '0',
  '[::]',
  'localhost.', // ::1 as well, where the system says so
  '169.254.169.254',
  '2852039166',
  '[fd00:ec2::254]',
  'metadata.google.internal',
  '[fe80::1]',
  '[fc00::1]',
  '[fec0::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.100.100.200', // the metadata service of a cloud, in carrier-grade NAT
  '１２７.０.０.２', // digits of full width
  '127。0。0。2',
]

/** Names of interfaces, which no URL can hold. */
const ZONES = ['[fe80::1%25lo]', '[::1%25lo]', '[::1%lo]']

const url = (host: string) => `http://${host}:${open.port}/`
const dialled = () => closed.map(one => one.connections())
const none = () => closed.map(() => 0)

/** Runs one item with an agent at this host, and returns the run. */
async function ofAgent(host: string) {
  const agent_id = await tenant.deploy(behindUrl(url(host), { timeout_seconds: 20 }, 'json'))
  const { run_id } = await tenant.call(`/v1/agents/${agent_id}/runs`, { input: 0 })
  return run_id as string
}

it('agents behind URLs are dialled only at addresses that are opened', async () => {
  const before = open.connections()
  const runs = await Promise.all(HOSTS.filter(host => host !== 'localhost.').map(ofAgent))
  const allowed = await ofAgent('127.0.0.1')
  const refusals = () => shared.sql<{ run_id: string; message: string }[]>`
    select distinct on (run_id) run_id, message from attempts where run_id = any(${runs}) and message is not null`
  await eventually(async () => expect(await refusals()).toHaveLength(runs.length))
  const messages = (await refusals()).map(({ message }) => message)
  console.log(`agents: ${runs.length} addresses refused, ${dialled()} connections to closed ones`)
  for (const message of messages)
    expect(message).toMatch(/not an address of the public internet|ENOTFOUND|EAI_AGAIN/)
  expect(dialled()).toEqual(none())
  // The way there works: the one address that the operator opened is dialled.
  await eventually(() => expect(open.connections()).toBeGreaterThan(before))
  for (const run_id of [...runs, allowed]) await tenant.cancel(run_id)
}, 300_000)

it('callbacks and alerts go only to addresses that are opened', async () => {
  const before = open.connections()
  const agent_id = await tenant.deploy(behindUrl(url('127.0.0.1'), {}, 'json'))
  const hosts = [...HOSTS.filter(host => host !== 'localhost.'), '127.0.0.1']
  const taken: string[] = []
  for (const host of hosts) {
    const answer = await tenant.ask(`/v1/agents/${agent_id}/runs`, {
      method: 'POST',
      body: JSON.stringify({ input: 0, callback_url: url(host) }),
    })
    expect([202, 400]).toContain(answer.status)
    if (answer.status === 202) taken.push(((await answer.json()) as { run_id: string }).run_id)
  }
  for (const run_id of taken) await tenant.cancel(run_id)
  for (const host of hosts) {
    const path = `/v1/projects/${tenant.id}/alert-channels`
    const { id } = await tenant.call(path, { url: url(host), format: 'json' }).catch(() => ({ id: null }))
    if (id !== null) await tenant.ask(`${path}/${id}/test`, { method: 'POST' })
  }
  const tried = async () => {
    const [row] = await shared.sql<{ n: number }[]>`
      select count(*)::int as n from delivery_tries t join deliveries d on d.id = t.delivery_id where d.project_id = ${tenant.id}`
    return row!.n
  }
  await eventually(async () => expect(await tried()).toBeGreaterThanOrEqual(2 * hosts.length))
  console.log(`callbacks and alerts: ${await tried()} tries, ${dialled()} connections to closed ones`)
  expect(dialled()).toEqual(none())
  expect(open.connections()).toBeGreaterThan(before + 1)
}, 300_000)

it('a name that changes its address between two look-ups is dialled where it was judged, or not at all', async () => {
  const before = open.connections()
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.1', '127.0.0.2']
  const names = new JudgedNames(allowsOutside([OPENED]), async () => [
    { address: answers.shift()!, family: 4 },
  ])
  const dial = () =>
    new Promise<string>(resolve => {
      const options = { host: 'rebinds.example', port: open.port, agent: false, lookup: names.lookupFor('a') }
      request(options, response => resolve(`answered ${response.resume().statusCode}`))
        .on('error', error => resolve(error.message))
        .end()
    })
  const said = [await dial(), await dial(), await dial(), await dial()]
  const refused = expect.stringContaining('rebinds.example is at 127.0.0.2, which is not an address')
  expect(said).toEqual(['answered 204', refused, 'answered 204', refused])
  expect(open.connections()).toBe(before + 2)
  expect(dialled()).toEqual(none())
})

it('a redirect to a private address is not followed', async () => {
  let redirected = 0
  const server = createServer((_, response) => {
    redirected++
    response.writeHead(307, { location: url('127.0.0.2') }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const agent_id = await tenant.deploy(behindUrl(at, {}, 'json'))
  const { run_id } = await tenant.call(`/v1/agents/${agent_id}/runs`, { input: 0, callback_url: at })
  await eventually(() => expect(redirected).toBeGreaterThan(0)) // as an agent
  await tenant.cancel(run_id)
  const before = redirected
  await eventually(() => expect(redirected).toBeGreaterThan(before)) // as a receiver
  const source = { url: at, format: 'ndjson' }
  const preview = await tenant.ask('/v1/sources/preview', {
    method: 'POST',
    body: JSON.stringify({ agent_id, source }),
  })
  expect(await preview.text()).toContain('307')
  expect(dialled()).toEqual(none())
  server.closeAllConnections()
  server.close()
}, 300_000)

it('sources of schedules are read only at addresses that are opened', async () => {
  const before = open.connections()
  const agent_id = await tenant.deploy(behindUrl(url('127.0.0.1'), {}, 'json'))
  const preview = (host: string) =>
    tenant.ask('/v1/sources/preview', {
      method: 'POST',
      body: JSON.stringify({ agent_id, source: { url: url(host), format: 'ndjson' } }),
    })
  for (const host of [...HOSTS, ...ZONES]) {
    const answer = await preview(host)
    expect([host, answer.status]).toEqual([host, expect.toSatisfy((status: number) => status >= 400)])
    await answer.text()
  }
  expect(open.connections()).toBe(before)
  await (await preview('127.0.0.1')).text()
  expect(open.connections()).toBe(before + 1)
  expect(dialled()).toEqual(none())
}, 300_000)
