// Whoever may write to the database and has no master key moves sealed values elsewhere: into another tenant's row,
// another purpose, beside other code, or to another address. None opens there.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { recallSealed, rememberSealed } from '../../shared/accounts/verbs/sealed-cache.ts'
import { openEnv, type SealedIn, seal, sealEnv, unseal } from '../../shared/accounts/verbs/sealing.ts'
import { keptSource, openHeaders } from '../../shared/sources/verbs/kept-source.ts'
import { verifySender } from '../../shared/triggers/verbs/webhook.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

const [ONE, OTHER] = ['11111111-1111-7111-8111-111111111111', '22222222-2222-7222-8222-222222222222']
const here: SealedIn = { project_id: ONE, row: [ONE, 'a'] }

it('what Redis holds is neither read there nor served when it was changed or moved', async () => {
  const { ctx } = engine
  await rememberSealed(ctx, 'clusters:a', { prompt: 'of a customer' }, 60_000)
  expect(await recallSealed(ctx, 'clusters:a')).toEqual({ prompt: 'of a customer' })
  const text = (await ctx.redis.get('assay:cache:clusters:a'))!
  expect(text).not.toContain('customer')
  await ctx.redis.set('assay:cache:clusters:b', text)
  expect(await recallSealed(ctx, 'clusters:b')).toBeUndefined()
  for (const other of ['{"prompt":"of a thief"}', '"a.b"', 'x', text.replace(/.{4}"$/, 'AAAA"'), '1'])
    expect([other, await served(other)]).toEqual([other, undefined])
  async function served(other: string) {
    await ctx.redis.set('assay:cache:clusters:a', other)
    return recallSealed(ctx, 'clusters:a')
  }
})

it('a sealed text opens in its own place alone', async () => {
  const { ctx } = engine
  const sealed = await seal(ctx, 'environment', here, 'secret')
  expect(await unseal(ctx, 'environment', here, sealed)).toBe('secret')
  const elsewhere: (SealedIn | null)[] = [
    { ...here, project_id: OTHER },
    { ...here, row: [OTHER, 'a'] },
    { ...here, row: [ONE, 'b'] },
    { ...here, row: [ONE, null] },
    { ...here, row: [ONE] },
    { project_id: `${ONE}","${ONE}`, row: ['a'] },
    null,
  ]
  for (const place of elsewhere)
    await expect(unseal(ctx, 'environment', place, sealed)).rejects.toThrow(/cannot be decrypted/)
  for (const purpose of ['trigger', 'source', 'answer'] as const)
    await expect(unseal(ctx, purpose, here, sealed)).rejects.toThrow(/cannot be decrypted/)
})

it('an environment opens for its own deployment and code alone', async () => {
  const { ctx } = engine
  const mine = { id: ONE, bundle_hash: 'aa' }
  const env_sealed = await sealEnv(ctx, ONE, mine, { KEY: 'secret' })
  expect(await openEnv(ctx, ONE, { ...mine, env_sealed })).toEqual({ KEY: 'secret' })
  await expect(openEnv(ctx, OTHER, { ...mine, env_sealed })).rejects.toThrow(/another row/)
  await expect(openEnv(ctx, ONE, { ...mine, id: OTHER, env_sealed })).rejects.toThrow(/another row/)
  await expect(openEnv(ctx, ONE, { ...mine, bundle_hash: 'bb', env_sealed })).rejects.toThrow(/another row/)
})

it("a source's headers go to its own address alone, and follow to no other path", async () => {
  const { ctx } = engine
  const of = { project_id: ONE, start_id: ONE }
  const url = 'https://crm.example/export?since=1'
  const headers = { Authorization: 'Bearer secret' }
  const known = await keptSource(ctx, of, { url, format: 'ndjson', headers })
  const sealed = known.source_headers_sealed!
  expect(await openHeaders(ctx, of, url, sealed)).toEqual(headers)
  expect(await openHeaders(ctx, of, 'https://crm.example/export?since=2', sealed)).toEqual(headers)
  for (const [other, to] of [
    [of, 'https://evil.example/export'],
    [of, 'https://crm.example/echo'],
    [of, 'http://crm.example/export'],
    [of, 'https://crm.example:8443/export'],
    [{ ...of, project_id: OTHER }, url],
    [{ ...of, start_id: OTHER }, url],
    [{ ...of, start_id: null }, url],
  ] as const)
    await expect(openHeaders(ctx, other, to, sealed)).rejects.toThrow(/cannot be decrypted/)

  const moved = (to: string) => keptSource(ctx, of, { url: to, format: 'ndjson' }, known)
  expect((await moved('https://crm.example/export?since=2')).source_headers_sealed).toBe(sealed)
  for (const to of ['https://crm.example/echo', 'https://crm.example/export/', 'https://evil.example/export'])
    expect(await moved(to)).toMatchObject({ source: { header_names: [] }, source_headers_sealed: null })
})

it("a sender's secret opens for its own trigger alone", async () => {
  const { ctx } = engine
  const signing_secret_sealed = await seal(ctx, 'trigger', { project_id: ONE, row: [ONE] }, 'whsec_c2VjcmV0')
  const webhook = { id: ONE, project_id: ONE, scheme: 'github', secret_hash: null, signing_secret_sealed }
  const verify = (over: object) =>
    verifySender(ctx, { ...webhook, ...over } as never, new Headers(), new Uint8Array())
  await expect(verify({})).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(verify({ id: OTHER })).rejects.toThrow(/cannot be decrypted/)
  await expect(verify({ project_id: OTHER })).rejects.toThrow(/cannot be decrypted/)
})
