import { expect, it } from 'vitest'
import { VERSION } from '../domain/version.ts'
import { findingText } from './doctor.ts'
import { installationFindings } from './doctor-installation.ts'
import { metricsOf } from './metrics.ts'

const NOW = Date.parse('2026-03-02T08:00:00Z')
const screen = { columns: 60, paint: (_: unknown, text: string) => text, program: 'npx assay' }

const metrics = (change: Record<string, number> = {}, version = VERSION) =>
  metricsOf(
    `${Object.entries({
      assay_database_clock_seconds: NOW / 1000,
      assay_database_durable: 1,
      assay_master_key_opens: 1,
      assay_leases_expired: 0,
      ...change,
    })
      .map(([name, value]) => `${name} ${value}\n`)
      .join('')}assay_info{version="${version}",postgres="18.4",redis="8.2"} 1\n`,
  )
const wrongOf = (change: Record<string, number>, version?: string) =>
  installationFindings(metrics(change, version), NOW).filter(finding => finding.state === 'wrong')

it('an installation that is as it should be has nothing wrong', () => {
  expect(wrongOf({})).toEqual([])
  expect(installationFindings(metrics(), NOW)[0]!.found).toContain('PostgreSQL 18.4, Redis 8.2')
})

it.each([
  ['version', {}, '0.0.1', /install the same version/],
  ['durability', { assay_database_durable: 0 }, VERSION, /turn fsync/],
  ['db clock', { assay_database_clock_seconds: NOW / 1000 - 60 }, VERSION, /NTP/],
  ['master key', { assay_master_key_opens: 0 }, VERSION, /ASSAY_MASTER_KEY/],
  ['leases', { assay_leases_expired: 2 }, VERSION, /tick/],
  ['waiting', { assay_oldest_wait_seconds: 900 }, VERSION, /consumer/],
])('what is wrong with the %s comes with what mends it', (check, change, version, mend) => {
  expect(wrongOf(change, version)).toEqual([
    expect.objectContaining({ check, state: 'wrong', mend: expect.stringMatching(mend) }),
  ])
})

it('without the metrics nothing is wrong, and how to get them is said', () => {
  expect(installationFindings(undefined, NOW)).toMatchObject([
    { state: 'unknown', mend: expect.stringContaining('ASSAY_METRICS_TOKEN') },
  ])
})

it('a finding fits the screen, and its mend is a command as the user calls it', () => {
  const finding = {
    check: 'open runs',
    state: 'wrong' as const,
    found: 'one run at a standstill, with 12 items that nobody takes',
    mend: 'assay watch 01a1 says what it waits for',
  }
  const lines = findingText(finding, screen).split('\n')
  expect(lines[0]).toMatch(/^WRONG {2}open runs {3}one run/)
  expect(lines.join('\n')).toContain('npx assay watch 01a1')
  expect(lines.every(line => line.length <= 60)).toBe(true)
})
