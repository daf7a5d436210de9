import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { derivedKey, holdsKey, KEY_PURPOSES, keySet, toHex } from '../shared/kernel/secrets.ts'
import { poolOf } from './node/connections.ts'
import { PACKAGINGS, type Packaging, unitsOf } from './packaging.ts'
import { unitKeys } from './unit-keys.ts'
import { connectionsOf, KEY_SETS, needsOf, ROUTER_NEEDS, RUNTIME_NEEDS } from './unit-settings.ts'

const MASTER_KEY = '5a'.repeat(32)
const secretsOf = (name: string, packaging: (typeof PACKAGINGS)[number] = 'group') =>
  needsOf(unitsOf(packaging).find(unit => unit.name === name)!).secrets.map(({ secret }) => secret)

describe('the secrets of a unit', () => {
  it('are none for units that use no store: the document, the health check and the router', () => {
    expect([secretsOf('docs'), secretsOf('health'), secretsOf('get-health', 'endpoint')]).toEqual([
      [],
      [],
      [],
    ])
    expect(ROUTER_NEEDS.secrets).toEqual([])
  })

  it('never contain the master key, but the set of keys for what the unit does', () => {
    const given = PACKAGINGS.flatMap(unitsOf).flatMap(unit => needsOf(unit).secrets)
    expect(given.filter(({ secret }) => secret === 'ASSAY_MASTER_KEY')).toEqual([])
    expect(secretsOf('items')).toContain('ASSAY_KEYS_INTERFACE')
    expect(secretsOf('runs')).toContain('ASSAY_KEYS_ANSWERS')
    expect(secretsOf('agents')).toContain('ASSAY_KEYS_AGENTS')
    expect(secretsOf('get-readiness', 'endpoint')).toContain('ASSAY_KEYS_READINESS')
    expect(RUNTIME_NEEDS.secrets.map(({ secret }) => secret)).toEqual(['ASSAY_KEYS_RUNTIME'])
  })

  it('contain SMTP and the metrics token for the tick only, and the operator key only where accounts are opened and credentials compared', () => {
    const holders = (setting: string) =>
      unitsOf('group')
        .filter(unit => needsOf(unit).secrets.some(one => one.setting === setting))
        .map(unit => unit.name)
    expect(holders('ASSAY_SMTP_URL')).toEqual(['tick'])
    expect(holders('ASSAY_METRICS_TOKEN')).toEqual(['tick'])
    expect(holders('ASSAY_OPERATOR_KEY').sort()).toEqual(['account', 'agents'])
  })
})

describe('a set of keys', () => {
  it('gives the same keys as the master key, but only for its purposes', async () => {
    const keys = await unitKeys(MASTER_KEY)
    for (const [set, purposes] of Object.entries(KEY_SETS)) {
      const given = keys[`ASSAY_KEYS_${set.toUpperCase()}`]!
      for (const purpose of KEY_PURPOSES) {
        const isHeld = (purposes as readonly string[]).includes(purpose)
        expect(holdsKey(given, purpose)).toBe(isHeld)
        if (isHeld) expect(await derivedKey(given, purpose)).toEqual(await derivedKey(MASTER_KEY, purpose))
        else await expect(derivedKey(given, purpose)).rejects.toThrow(`no key for "${purpose}"`)
      }
    }
  })

  it('is refused when one of its keys is cut short', async () => {
    const whole = await keySet(MASTER_KEY, ['platform'])
    await expect(derivedKey(whole.slice(0, -1), 'platform')).rejects.toThrow('64 hex digits')
    expect(toHex(await derivedKey(whole, 'platform'))).toHaveLength(64)
  })
})

describe('connections to PostgreSQL', () => {
  it('are split so that one long statement and one long read each leave a connection for the next', () => {
    const units = PACKAGINGS.flatMap(unitsOf).filter(unit => !unit.platform)
    const budgets = new Set(units.map(unit => needsOf(unit).connections).filter(budget => budget > 0))
    for (const budget of budgets) {
      const { sql, db, reads } = poolOf(budget, { servesReads: true })
      expect([sql >= 2, reads! >= 2, sql + db + reads!]).toEqual([true, true, budget])
    }
    expect(poolOf(4, { servesReads: true })).toEqual({ sql: 2, db: 1, reads: 1 })
    expect(poolOf(3, { servesReads: true })).toEqual({ sql: 1, db: 1, reads: 1 })
  })

  it('are as many as packaging.md says', () => {
    const sumOf = (packaging: Packaging) =>
      connectionsOf(unitsOf(packaging).map(unit => ({ needs: needsOf(unit), copies: 1 })))
    const page = readFileSync(`${import.meta.dirname}/packaging.md`, 'utf8')
    expect(page).toContain(`| ${sumOf('group')} | ${sumOf('endpoint')} |`)
    expect(page).toContain(`${sumOf('endpoint')} connections are more than its 100`)
  })
})
