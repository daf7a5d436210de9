import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { findMetrics, findOperatorAccess } from './access.ts'
import { keepSignedIn, LOCAL, readKept, signedInAt, useAsCurrent, withProfile } from './signed-in.ts'

const [HERE, THERE] = ['http://127.0.0.1:8090', 'https://assay.example.com']
const tokens = { access_token: 'a', access_expires_at: '2027-01-01T00:00:00.000Z', refresh_token: 'r' }
const signed = (email: string) => ({ email, ...tokens })

const folders = new AsyncDisposableStack()
afterAll(() => folders.disposeAsync())
let env: Record<string, string | undefined>
beforeEach(async () => {
  env = { XDG_CONFIG_HOME: folders.adopt(await tempFolder(), folder => folder.remove()).path }
})
const asProfile = (name: string) => ({ ...env, ASSAY_PROFILE: name })

describe('a profile', () => {
  beforeEach(() => {
    keepSignedIn(env, HERE, signed('me@here'))
    keepSignedIn(asProfile('night'), THERE, signed('me@there'))
  })

  it('sets the server and the member, and drops the API key of the environment', () => {
    const asked = withProfile({ ...env, ASSAY_API_KEY: 'pk_of_another', ASSAY_BASE_URL: HERE }, 'night')
    expect(asked).toMatchObject({ ASSAY_BASE_URL: THERE, ASSAY_API_KEY: undefined })
    expect(signedInAt(asked, THERE)?.email).toBe('me@there')
    expect(signedInAt(asked, HERE)).toBeUndefined()
    expect(signedInAt(env, HERE)?.email).toBe('me@here')
  })

  it('drops the operator key and the metrics token, which the environment holds for another server', () => {
    const secrets = { ASSAY_OPERATOR_KEY: 'of_another', ASSAY_METRICS_TOKEN: 'of_another' }
    const none = { ASSAY_OPERATOR_KEY: undefined, ASSAY_METRICS_TOKEN: undefined }
    expect(withProfile({ ...env, ...secrets }, 'night')).toMatchObject({ ASSAY_BASE_URL: THERE, ...none })
    useAsCurrent(env, 'night')
    const current = withProfile({ ...env, ...secrets }, undefined)
    expect(current).toMatchObject({ ASSAY_BASE_URL: THERE, ...none })
    expect(() => findOperatorAccess(current, env.XDG_CONFIG_HOME!)).toThrow(
      expect.objectContaining({ code: 'no_credentials', hint: expect.stringContaining('ASSAY_BASE_URL') }),
    )
    expect(findMetrics(current, env.XDG_CONFIG_HOME!).metrics_token).toBeUndefined()
    const named = { ...env, ...secrets, ASSAY_BASE_URL: HERE }
    expect(withProfile(named, undefined)).toMatchObject({ ASSAY_BASE_URL: HERE, ...secrets })
  })

  it('is used while it is current, unless the local stack or a setting for a server is named', () => {
    expect(withProfile(env, undefined).ASSAY_PROFILE).toBeUndefined()
    useAsCurrent(env, 'night')
    expect(withProfile(env, undefined).ASSAY_BASE_URL).toBe(THERE)
    expect(withProfile(env, LOCAL).ASSAY_BASE_URL).toBeUndefined()
    for (const setting of ['ASSAY_BASE_URL', 'ASSAY_API_KEY', 'ASSAY_DATA_DIR'])
      expect(withProfile({ ...env, [setting]: 'given' }, undefined).ASSAY_PROFILE).toBeUndefined()
    useAsCurrent(env, undefined)
    expect(withProfile(env, undefined).ASSAY_PROFILE).toBeUndefined()
  })

  it('that does not exist is refused, unless somebody is signing in with it', () => {
    expect(() => withProfile(env, 'day')).toThrow('nobody is signed in by the profile "day"')
    expect(withProfile(env, 'day', true)).toMatchObject({ ASSAY_PROFILE: 'day' })
  })

  it('in the environment is refused if the environment also names another server', () => {
    expect(() => withProfile({ ...asProfile('night'), ASSAY_BASE_URL: HERE }, undefined)).toThrow(
      'ASSAY_PROFILE is night, which is for https://assay.example.com',
    )
    expect(withProfile({ ...asProfile('night'), ASSAY_BASE_URL: `${THERE}/` }, undefined)).toMatchObject({
      ASSAY_BASE_URL: THERE,
    })
  })

  it('can be signed out alone, and is then no longer current', () => {
    useAsCurrent(env, 'night')
    keepSignedIn(asProfile('night'), THERE, undefined)
    expect(readKept(env)).toEqual({
      sessions: { [HERE]: signed('me@here') },
      profiles: {},
      current: undefined,
    })
  })
})

it('a sessions file without profiles has the format from before there were any, and a broken file is refused', () => {
  const file = keepSignedIn(env, HERE, signed('me@here'))
  expect(file).toBe(join(env.XDG_CONFIG_HOME!, 'assay', 'sessions.json'))
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [HERE]: signed('me@here') })
  writeFileSync(file, '{')
  expect(() => readKept(env)).toThrow('cannot be used')
})
