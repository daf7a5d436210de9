import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { eventually } from '../support/eventually.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { openAccount, signIn } from './account-of-own.ts'
import { ran, works } from './play.ts'
import type { Given } from './suite.ts'

/** The log and signature of messages; how they are sent is tested in test/integration/outbox/deliveries.test.ts. */
export function deliveriesPart(given: Given): void {
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(() => receiver.close())

  /** A run whose callback was tried once and failed, on a host that sends nothing itself. */
  async function undelivered() {
    const world = given()
    const { run } = await ran(world, works, [{ input: 1, item_id: 'a' }], { callback_url: receiver.url })
    const list = async (query = '') =>
      (await world.call('GET', `/v1/deliveries?run_id=${run}${query}`)).json.deliveries
    const isTried = async () => expect(await list()).toMatchObject([{ last_error: expect.any(String) }])
    await eventually(isTried) // the function that lists them may have to start first
    const [{ id }] = await list()
    const read = async () => (await world.call('GET', `/v1/deliveries/${id}`)).json
    const resend = () => world.call('POST', `/v1/deliveries/${id}/resend`)
    return { world, run, id, list, read, resend }
  }

  describe('deliveries', () => {
    it('are listed with their state and read with every try [deliveries.log]', async () => {
      const { run, id, list, read } = await undelivered()
      const delivery = { id, run_id: run, kind: 'run.finished', state: 'pending', try_count: 1 }
      expect(await list()).toMatchObject([delivery])
      expect(await list('&state=pending')).toHaveLength(1)
      expect(await list('&state=delivered')).toEqual([])
      expect(await read()).toMatchObject({
        ...delivery,
        url: receiver.url,
        tries: [{ try: 1, status: null, error: expect.any(String) }],
        body: {
          type: 'run.finished',
          data: { run: { id: run, status: 'completed' }, item: { item_id: 'a' } },
        },
      })
    })

    it('are sent again once they are over, under the same id and signed [deliveries.resend]', async () => {
      const { world, id, list, read, resend } = await undelivered()
      const early = await resend()
      expect([early.status, early.json.error.code]).toEqual([409, 'delivery_pending'])
      await world.ctx.sql`update deliveries set due_at = null where id = ${id}`
      expect(await list('&state=failed')).toHaveLength(1)
      const { status, json } = await resend()
      expect([status, json.id, json.state]).toEqual([202, id, 'pending'])
      await receiver.got(1)
      await eventually(async () => expect((await read()).state).toBe('delivered'))

      const { account, project_id } = world.first
      const { access_token: token } = await signIn(world, account.email, account.password)
      const { json: signing } = await world.call('GET', `/v1/projects/${project_id}/signing-secret`, {
        token,
      })
      const { headers, body } = receiver.received[0]!
      expect(headers['webhook-id']).toBe(id)
      expect(new Webhook(signing.secret).verify(body, headers)).toEqual((await read()).body)
    })
  })

  describe('the signing secret', () => {
    it('is shown to an owner and to nobody else [signing.secret]', async () => {
      const world = given()
      const { token, project_id } = await openAccount(world)
      const path = `/v1/projects/${project_id}/signing-secret`
      const { status, json } = await world.call('GET', path, { token })
      expect(status).toBe(200)
      expect(json).toEqual({
        secret: expect.stringMatching(/^whsec_\S{44}$/),
        rolled_at: null,
        previous: null,
      })
      const { key } = await mintKey(world.ctx, project_id, 'a key')
      expect((await world.call('GET', path, { token: key })).status).toBe(403)
      const body = {
        email: `viewer-of-${project_id}@example.org`,
        role: 'viewer',
        password: 'long enough it is',
      }
      await world.call('POST', '/v1/members', { token, body })
      const viewer = await signIn(world, body.email, body.password)
      expect((await world.call('GET', path, { token: viewer.access_token })).status).toBe(403)
    })

    it('is replaced, and the one before stays valid for a day [signing.roll]', async () => {
      const world = given()
      const { token, project_id } = await openAccount(world)
      const path = `/v1/projects/${project_id}/signing-secret`
      const { json: before } = await world.call('GET', path, { token })
      const { status, json: after } = await world.call('POST', `${path}/roll`, { token })
      expect(status).toBe(200)
      expect(after.secret).not.toBe(before.secret)
      expect(after.previous.secret).toBe(before.secret)
      const left_h = (Date.parse(after.previous.valid_until) - Date.parse(after.rolled_at)) / 3_600_000
      expect(left_h).toBe(24)
      const again = await world.call('POST', `${path}/roll`, { token })
      expect(again.json.previous.secret).toBe(after.secret)
      expect((await world.call('GET', path, { token })).json).toEqual(again.json)
    })
  })
}
