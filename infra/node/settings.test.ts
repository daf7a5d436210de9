import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readSettings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'key')
writeFileSync(file, 'of the file\n')
writeFileSync(join(folder, 'redis-ca'), 'of the secret\n')

it('a setting is read from its variable, else from the file it names, else from the mounted secret', () => {
  const name = 'REDIS_CA'
  expect(readSettings({ REDIS_CA: 'here', REDIS_CA_FILE: file }, folder).get(name)).toBe('here')
  expect(readSettings({ REDIS_CA_FILE: file }, folder).get(name)).toBe('of the file')
  expect(readSettings({ REDIS_CA: '' }, folder).get(name)).toBe('of the secret')
  expect(readSettings({}, '/nowhere').get(name)).toBeUndefined()
})

it('a named file that does not exist is an error, not an empty setting', () => {
  expect(() => readSettings({ REDIS_CA_FILE: '/nowhere/a' }).get('REDIS_CA')).toThrow('/nowhere/a')
})

it('a missing required setting is reported with every place where it can be set', () => {
  expect(() => readSettings({}, '/nowhere').need('DATABASE_URL')).toThrow(
    'DATABASE_URL is not set: set it, or DATABASE_URL_FILE to a file that holds it, or mount /nowhere/database-url',
  )
})

it('a number must be whole and within its bounds', () => {
  const read = (PORT: string) => readSettings({ PORT }, '/nowhere').whole('PORT', { min: 2, max: 30 })
  expect([read('2'), read('30'), read('')]).toEqual([2, 30, undefined])
  for (const wrong of ['1', '31', '3.5', '-3', '3s'])
    expect(() => read(wrong)).toThrow(`PORT is ${wrong}: it takes a whole number from 2 to 30`)
})

it('the base URL keeps its path, loses trailing slashes, and must be an http or https URL without query or login', () => {
  const read = (BASE_URL: string) => readSettings({ BASE_URL }, '/nowhere').baseUrl()
  expect(read('https://assay.example.com//')).toBe('https://assay.example.com')
  expect(read('https://example.com/assay/')).toBe('https://example.com/assay')
  expect(read('')).toBeUndefined()
  for (const wrong of [
    'assay.example.com',
    'ftp://a.b',
    'https://a.b/?x=1',
    'https://a.b/#x',
    'https://u:p@a.b',
  ])
    expect(() => read(wrong)).toThrow(`BASE_URL is ${wrong}: it takes the address people use`)
})
