// An account for tests that change or delete it: with an owner who is signed in, a project and its key.

import { expect } from 'vitest'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { addMember } from '../../shared/accounts/verbs/members.ts'
import { createProject } from '../../shared/accounts/verbs/projects.ts'
import type { World } from './world.ts'

export const PASSWORD = 'correct horse battery'

let made = 0

export async function signIn(world: World, email: string, password = PASSWORD) {
  const { status, json } = await world.call('POST', '/v1/sessions', {
    token: null,
    body: { email, password },
  })
  expect(status).toBe(201)
  return json as { access_token: string; refresh_token: string; session_id: string }
}

export async function openAccount(world: World) {
  const { ctx } = world
  const account_id = ctx.newId()
  const name = `account ${++made}`
  const email = `owner-${made}@example.org`
  await ctx.sql`insert into accounts ${ctx.sql({ id: account_id, name })}`
  const owner = await addMember(ctx, { account_id, email, role: 'owner', password: PASSWORD })
  const project = await createProject(ctx, { account_id, name: 'main' })
  const { key } = await mintKey(ctx, project.id, 'main')
  const { access_token: token } = await signIn(world, email)
  const project_id = project.id
  return { account_id, name, email, owner_id: owner.id, token, project_id, key }
}
