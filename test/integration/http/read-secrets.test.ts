// A signing secret is shown only if the audit log records it: if its entry cannot be written, the secret is not shown.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNodeHost } from '../../conformance/hosts.ts'
import { openWorld, type World } from '../../conformance/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(startNodeHost)
})
afterAll(() => world.end())

it('a read whose log entry fails, as with a full disk, shows no secret, however often it is repeated', async () => {
  const { sql } = world.ctx
  const session = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
  const read = () =>
    world.call('GET', `/v1/projects/${world.first.project_id}/signing-secret`, {
      token: session.json.access_token,
    })
  await sql`
    create function refuse_entry() returns trigger language plpgsql as $$
    begin raise exception 'no space left on device' using errcode = '53100'; end $$`
  await sql`create trigger refuse_entry before insert on audit_log for each row execute function refuse_entry()`
  for (let n = 0; n < 3; n++) expect((await read()).json).toMatchObject({ error: { code: 'store_full' } })
  await sql`drop trigger refuse_entry on audit_log`
  expect((await read()).status).toBe(200)
  expect(await sql`select from audit_log where action = 'getSigningSecret'`).toHaveLength(1)
})
