// Signing in from the command line, at a terminal and without one.

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assay, type Ran, type Stack, startStack } from '../support/stack.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { assayInTerminal, noTerminal } from '../support/terminal.ts'

const parts = new AsyncDisposableStack()
const OPERATOR_KEY = 'whoever-operates-this-installation'
let stack: Stack
let env: Record<string, string>
let file: string
const run = (...args: string[]): Promise<Ran> => assay({ env }, args).done
const kept = async () => JSON.parse(await readFile(file, 'utf8'))

beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), temporary => temporary.remove()).path
  stack = parts.adopt(await startStack({ env: { ASSAY_OPERATOR_KEY: OPERATOR_KEY } }), running =>
    running.close(),
  )
  env = { ...stack.env, XDG_CONFIG_HOME: folder }
  file = join(folder, 'assay/sessions.json')
})
afterAll(() => parts.disposeAsync())

describe('a member', () => {
  it.skipIf(noTerminal !== undefined)('signs in at a terminal, which shows no password', async () => {
    const { email, password } = stack.account!
    expect((await run('members')).code).toBe(3)
    const terminal = await assayInTerminal({ env }, ['login'])
    await terminal.until(/E-mail: /)
    terminal.type(`${email}\r`)
    await terminal.until(/Password: /)
    terminal.type(`${password}\r`)
    await terminal.until(/signed in at/)
    expect(await terminal.ended).toBe(0)
    expect(terminal.written()).not.toContain(password)
    await terminal.close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await run('members')).events).toEqual([expect.objectContaining({ email })])
  })

  it('signs in without a terminal, with the password on standard input', async () => {
    const { email, password } = stack.account!
    const login = (word: string) => {
      const running = assay({ env }, ['login', '--email', email], { input: `${word}\n` })
      return running.done
    }
    expect(await login('wrong')).toMatchObject({ code: 3, err: expect.stringContaining('password is wrong') })
    expect((await login(password)).events).toEqual([expect.objectContaining({ event: 'signed_in', email })])
    expect((await run('deliveries', 'secret')).code).toBe(0)
    expect(await readFile(file, 'utf8')).not.toContain(password)
  })

  it('stays signed in when the access token has expired', async () => {
    const before = await kept()
    const expired = { ...before[stack.base_url], access_expires_at: new Date().toISOString() }
    await writeFile(file, JSON.stringify({ [stack.base_url]: expired }))
    expect((await run('members')).code).toBe(0)
    expect((await kept())[stack.base_url].refresh_token).not.toBe(expired.refresh_token)
  })

  it('acts by the session if there is no key, and signs out', async () => {
    const { ASSAY_API_KEY: _, ...keyless } = env
    expect((await assay({ env: keyless }, ['runs']).done).code).toBe(0)
    expect((await run('logout')).events).toEqual([
      expect.objectContaining({ event: 'signed_out', ended: true }),
    ])
    expect(await kept()).toEqual({})
    expect((await run('logout')).err).toContain('nobody is signed in')
  })
})

describe('an owner who signed in with a profile', () => {
  const asOwner = async (...args: string[]) => {
    const ran = await assay({ env: { ...env, ASSAY_API_KEY: '' } }, [...args, '--profile', 'night']).done
    expect(ran, ran.err).toMatchObject({ code: 0 })
    return ran.events
  }

  it('makes a project with limits and a key that only reads, and deletes both', async () => {
    const { email, password } = stack.account!
    const args = ['login', '--profile', 'night', '--email', email, '--server', stack.base_url]
    expect((await assay({ env }, args, { input: `${password}\n` }).done).code).toBe(0)
    expect((await run('profiles')).events).toEqual([
      expect.objectContaining({ name: 'night', base_url: stack.base_url, email, current: false }),
    ])
    await asOwner('projects', 'create', 'Nights')
    const [set] = await asOwner(
      'projects',
      'settings',
      'Nights',
      '--concurrency',
      '7',
      '--keys-may-mint',
      'no',
    )
    expect(set).toMatchObject({ name: 'Nights', concurrency: 7, keys_may_mint: false })
    const [key] = await asOwner(
      ...['keys', 'create', 'reader', '--project', set.id, '--role', 'viewer', '--expires', '30d'],
    )
    expect(key).toMatchObject({ event: 'key_created', role: 'viewer', expires_at: expect.any(String) })
    const [gone] = await asOwner('keys', 'revoke', key.key, '--project', set.id)
    expect(gone).toMatchObject({ event: 'key_revoked', id: key.id })
    const unsure = await assay({ env }, ['projects', 'delete', 'Nights', '--profile', 'night']).done
    expect(unsure).toMatchObject({ code: 2, err: expect.stringContaining('--confirm NAME') })
    await asOwner('projects', 'delete', 'Nights', '--confirm', 'Nights')
    expect((await asOwner('projects')).map(({ name }) => name)).not.toContain('Nights')
  })

  it('adds a member, changes their role and password, and removes them, by e-mail', async () => {
    const [added] = await asOwner('members', 'add', 'new@example.org', '--role', 'viewer')
    expect(added).toMatchObject({ event: 'member_added', role: 'viewer', password: expect.any(String) })
    const [changed] = await asOwner('members', 'role', 'new@example.org', 'operator')
    expect(changed).toMatchObject({ id: added.id, role: 'operator' })
    const [again] = await asOwner('members', 'password', added.id)
    expect(again.password).not.toBe(added.password)
    await asOwner('members', 'remove', 'new@example.org')
    expect((await asOwner('members')).map(({ email }) => email)).toEqual([stack.account!.email])
  })
})

describe('the operator of the installation', () => {
  const asOperator = (...args: string[]): Promise<Ran> =>
    assay({ env: { ...env, ASSAY_OPERATOR_KEY: OPERATOR_KEY } }, ['admin', 'accounts', ...args]).done

  it('opens an account, whose owner signs in, suspends and resumes it by its name, and sets its plan and quotas', async () => {
    const created = await asOperator('create', '--name', 'Second', '--email', 'second@example.org')
    const [{ id, password }] = created.events
    const second = { ...env, XDG_CONFIG_HOME: join(env.XDG_CONFIG_HOME!, 'second'), ASSAY_API_KEY: '' }
    const login = assay({ env: second }, ['login', '--email', 'second@example.org'], {
      input: `${password}\n`,
    })
    const signedIn = await login.done
    expect(signedIn, signedIn.err).toMatchObject({ code: 0 })
    const projects = () => assay({ env: second }, ['projects']).done
    expect((await projects()).events).toEqual([expect.objectContaining({ name: 'default' })])
    expect((await asOperator('suspend', 'Second')).events).toEqual([
      expect.objectContaining({ event: 'account_suspended', id, status: 'suspended' }),
    ])
    expect((await asOperator()).events).toContainEqual(expect.objectContaining({ id, status: 'suspended' }))
    expect((await asOperator('resume', 'second@example.org')).code).toBe(0)
    expect((await asOperator('plan', id, '--open-runs', '3')).events).toEqual([
      expect.objectContaining({ open_runs_limit: 3 }),
    ])
    const [set] = (await asOperator('quota', id, '--agents', '5', '--open-runs', 'none')).events
    expect(set).toMatchObject({ event: 'quotas' })
    expect(set.quotas).toContainEqual(
      expect.objectContaining({ name: 'agents', limit: 5, used: 0, set_by: 'operator' }),
    )
    expect(set.quotas).toContainEqual(
      expect.objectContaining({ name: 'open_runs', limit: null, set_by: 'default' }),
    )
    expect((await asOperator('quota', 'Second')).events).toEqual([set])
    const [own] = (await assay({ env: second }, ['quotas']).done).events
    expect(own.quotas).toEqual(set.quotas)
    expect(await asOperator('suspend', 'Third')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no account'),
    })
  })

  it('is not recognised by the key of a project', async () => {
    expect((await assay({ env }, ['admin', 'accounts']).done).err).toContain('ASSAY_OPERATOR_KEY')
    const asKey = { ...env, ASSAY_OPERATOR_KEY: env.ASSAY_API_KEY! }
    expect(await assay({ env: asKey }, ['admin', 'accounts', 'list']).done).toMatchObject({
      code: 3,
      err: expect.stringContaining('forbidden'),
    })
  })
})
