// Somebody with a stolen credential writes on and on, so that its end would have to wait. Guarantee: a revocation waits for the
// writes that began before it, and for no other.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { openWorld, type World } from '../conformance/world.ts'

const WRITERS = 8
const PASSWORD = 'a long enough password'

let world: World
let owner: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  owner = await signedIn(world.first.account)
})
afterAll(() => world.end())

async function signedIn({ email, password }: { email: string; password: string }): Promise<string> {
  const { json } = await world.call('POST', '/v1/sessions', { body: { email, password }, token: null })
  return json.access_token
}

const keys = () => `/v1/projects/${world.first.project_id}/api-keys`

/** Makes keys with the credential, many at once, until it is refused; and `end` meanwhile. */
async function whileWriting(token: string, end: () => Promise<{ status: number }>) {
  let hasEnded = false
  let after = 0
  let written = 0
  const writers = Array.from({ length: WRITERS }, async () => {
    for (;;) {
      const began = hasEnded
      const { status } = await world.call('POST', keys(), { body: { name: 'more' }, token })
      if (status !== 201) return
      written++
      if (began) after++
    }
  })
  while (written < 3 * WRITERS) await new Promise(resolve => setTimeout(resolve, 5))
  const { status } = await end()
  hasEnded = true
  await Promise.all(writers)
  return { status, after }
}

it.each(['its key is revoked', 'its maker is removed'])(
  'a chain of keys that make keys ends when %s',
  async how => {
    const body = { email: `chain-${how.length}@example.com`, password: PASSWORD, role: 'operator' }
    const member = (await world.call('POST', '/v1/members', { body, token: owner })).json
    const first = (
      await world.call('POST', keys(), { body: { name: 'stolen' }, token: await signedIn(body) })
    ).json
    const made: string[] = [first.key]
    const chains = Array.from({ length: 4 }, async () => {
      for (let token: string = first.key; ; ) {
        const { status, json } = await world.call('POST', keys(), { body: { name: 'next' }, token })
        if (status !== 201) return
        made.push(json.key)
        token = json.key
      }
    })
    while (made.length < 12) await new Promise(resolve => setTimeout(resolve, 5))
    const path = how === 'its key is revoked' ? `${keys()}/${first.id}` : `/v1/members/${member.id}`
    expect((await world.call('DELETE', `${path}?revoke_keys=true`, { token: owner })).status).toBe(200)
    await Promise.all(chains)
    const alive = await Promise.all(made.map(token => world.call('GET', '/v1/projects', { token })))
    expect(alive.filter(({ status }) => status !== 401)).toEqual([])
  },
)

it.each([
  ['a key is revoked', 'key'],
  ['a member is removed', 'removed'],
  ['a member may do less', 'lowered'],
  ['a session is ended', 'session'],
  ['a password is changed', 'password'],
] as const)('%s while it writes on', async (_, kind) => {
  if (kind === 'key') {
    const { json } = await world.call('POST', keys(), { body: { name: 'stolen' }, token: owner })
    const revoke = () => world.call('DELETE', `${keys()}/${json.id}`, { token: owner })
    expect(await whileWriting(json.key, revoke)).toEqual({ status: 200, after: 0 })
    return
  }
  const body = { email: `${kind}@example.com`, password: PASSWORD, role: 'operator' }
  const { json } = await world.call('POST', '/v1/members', { body, token: owner })
  const token = await signedIn(body)
  const ends = {
    removed: () => world.call('DELETE', `/v1/members/${json.id}`, { token: owner }),
    lowered: () => world.call('PATCH', `/v1/members/${json.id}`, { body: { role: 'viewer' }, token: owner }),
    session: () => world.call('DELETE', '/v1/sessions/current', { token }),
    password: async () => {
      const other = await signedIn(body)
      const order = { current_password: PASSWORD, new_password: `${PASSWORD} indeed` }
      return world.call('POST', '/v1/account/password', { body: order, token: other })
    },
  }
  const { status, after } = await whileWriting(token, ends[kind])
  expect(status).toBeLessThan(300)
  expect(after).toBe(0)
})
