// Makes the first account, member, project and key. Guarantee: run again with the same e-mail, it returns the same
// account and project with a new password and a new key, so lost credentials can be replaced.

import type { Context, Database } from '../../context.ts'
import { randomWord } from '../../kernel/secrets.ts'
import { ensureFirstMember, setPassword } from '../../sessions/queries/passwords.ts'
import { hashPassword } from '../../sessions/verbs/passwords.ts'
import { insertProject, listProjects } from '../queries/projects.ts'
import { mintKey } from './keys.ts'

/** The first member's e-mail and the account's name, unless given. */
export const FIRST = { email: 'admin@localhost', name: 'default' }
const PASSWORD_BYTES = 18

export interface FirstCredentials {
  account: { email: string; password: string }
  project_id: string
  api_key: string
}

export async function bootstrapAccount(ctx: Context, { email, name } = FIRST): Promise<FirstCredentials> {
  const password = randomWord(ctx.random, PASSWORD_BYTES)
  const password_hash = await hashPassword(ctx, password)
  return ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const names = {
      id: ctx.newId(),
      account_id: ctx.newId(),
      account_name: name,
      email,
      password_hash,
    }
    const { member_id, account_id } = await ensureFirstMember(db, names)
    await setPassword(db, member_id, password_hash)
    const project_id =
      (await listProjects(db, account_id, null))[0]?.id ?? (await firstProject(ctx, db, account_id))
    const { key } = await mintKey(ctx, project_id, 'first key', { db })
    return { account: { email, password }, project_id, api_key: key }
  })
}

async function firstProject(ctx: Context, db: Database, account_id: string): Promise<string> {
  const id = ctx.newId()
  await insertProject(db, { id, account_id, name: 'default' })
  return id
}
