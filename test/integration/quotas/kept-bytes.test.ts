// The bytes that accounts keep are measured apart from the start of runs: once a minute, if the account has a bound.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { measureAccounts } from '../../../shared/quotas/verbs/kept-bytes.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

const kept = async () => {
  const [row] = await engine.sql<{ kept_bytes: string | null }[]>`select kept_bytes from accounts`
  return row!.kept_bytes === null ? null : Number(row!.kept_bytes)
}
const set = (plan: object) => engine.sql`update accounts set plan = ${engine.sql.json(plan as never)}`
const aMinuteLater = () => engine.sql`update accounts set kept_bytes_at = now() - interval '61 s'`

it('kept bytes are those of code and of inputs that are not purged, and accounts without a bound are not measured', async () => {
  const { ctx, sql } = engine
  await engine.submit(3)
  expect(await measureAccounts(ctx)).toBe(0)
  expect(await kept()).toBeNull()
  await set({ kept_bytes: 1_000_000 })
  expect(await measureAccounts(ctx)).toBe(1)
  const [found] = await sql<{ inputs: number; code: number }[]>`
    select inputs, code from (select sum(input_bytes)::int as inputs from runs) r,
      (select coalesce(sum(octet_length(code)), 0)::int as code from bundles) b`
  const { inputs, code } = found!
  expect(inputs).toBeGreaterThan(0)
  expect(await kept()).toBe(inputs + code)
  await engine.submit(3)
  expect(await measureAccounts(ctx)).toBe(0)
  expect(await kept()).toBe(inputs + code)
  await aMinuteLater()
  expect(await measureAccounts(ctx)).toBe(1)
  expect(await kept()).toBe(2 * inputs + code)
  await sql`update runs set payloads_purged_at = now()`
  await aMinuteLater()
  await measureAccounts(ctx)
  expect(await kept()).toBe(code)
})
