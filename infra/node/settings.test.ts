import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readSettings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'key')
writeFileSync(file, 'of the file\n')
writeFileSync(join(folder, 'master-key'), 'of the secret\n')

it('a setting is the variable, else what its file holds, else the mounted secret', () => {
  const name = 'MASTER_KEY'
  expect(readSettings({ MASTER_KEY: 'here', MASTER_KEY_FILE: file }, folder).get(name)).toBe('here')
  expect(readSettings({ MASTER_KEY_FILE: file }, folder).get(name)).toBe('of the file')
  expect(readSettings({ MASTER_KEY: '' }, folder).get(name)).toBe('of the secret')
  expect(readSettings({}, '/nowhere').get(name)).toBeUndefined()
})

it('a file that was named and is not there is no empty setting', () => {
  expect(() => readSettings({ A_FILE: '/nowhere/a' }).get('A')).toThrow('/nowhere/a')
})

it('a setting that is needed and missing is named with all its places', () => {
  expect(() => readSettings({}, '/nowhere').need('DATABASE_URL')).toThrow(
    'DATABASE_URL is not set: set it, or DATABASE_URL_FILE to a file that holds it, or mount /nowhere/database-url',
  )
})

it('a number is whole and within its bounds', () => {
  const read = (A: string) => readSettings({ A }, '/nowhere').whole('A', { min: 2, max: 30 })
  expect([read('2'), read('30'), read('')]).toEqual([2, 30, undefined])
  for (const wrong of ['1', '31', '3.5', '-3', '3s'])
    expect(() => read(wrong)).toThrow(`A is ${wrong}: it takes a whole number from 2 to 30`)
})

it('an origin has no slash at its end, however it was given', () => {
  const settings = readSettings({ BASE_URL: 'https://assay.example.com//' }, '/nowhere')
  expect(settings.origin('BASE_URL')).toBe('https://assay.example.com')
  expect(settings.origin('OTHER_URL')).toBeUndefined()
})
