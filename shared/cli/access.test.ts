import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findAccess, startCommand } from './access.ts'

const LOCAL = { base_url: 'http://127.0.0.1:9999', api_key: 'pk_local' }
let folder: string
let ASSAY_DATA_DIR: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-access-'))
  ASSAY_DATA_DIR = 'data'
  mkdirSync(join(folder, ASSAY_DATA_DIR))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (value: unknown, path = ASSAY_DATA_DIR) =>
  writeFileSync(join(folder, path, 'local.json'), typeof value === 'string' ? value : JSON.stringify(value))

describe('an invalid API key', () => {
  it.for(['pk_a\nb', 'pk_ä', '"pk_a"', 'pk a'])('is refused and not shown: %j', ASSAY_API_KEY => {
    const found = () => findAccess({ ASSAY_API_KEY, ASSAY_DATA_DIR }, folder)
    expect(found).toThrow('ASSAY_API_KEY holds a character that no key has')
    expect(found).not.toThrow(ASSAY_API_KEY)
  })
})

describe('server and key', () => {
  it('are those of the local stack if the environment names none', () => {
    write({ ...LOCAL, account: {} })
    expect(findAccess({ ASSAY_DATA_DIR }, folder)).toEqual(LOCAL)
  })

  it('default to port 8090 of this machine if nothing else is set [service.local-address]', () => {
    const env = { ASSAY_DATA_DIR, ASSAY_API_KEY: 'pk_env' }
    expect(findAccess(env, folder)).toEqual({ base_url: 'http://127.0.0.1:8090', api_key: 'pk_env' })
  })

  it('are read from .assay in the current folder if no data folder is named', () => {
    mkdirSync(join(folder, '.assay'))
    write(LOCAL, '.assay')
    expect(findAccess({}, folder)).toEqual(LOCAL)
  })

  it('come from the environment first', () => {
    write(LOCAL)
    const env = { ASSAY_DATA_DIR, ASSAY_BASE_URL: 'https://assay.example/', ASSAY_API_KEY: 'pk_env' }
    expect(findAccess(env, folder)).toEqual({ base_url: 'https://assay.example', api_key: 'pk_env' })
    expect(findAccess({ ASSAY_DATA_DIR, ASSAY_API_KEY: 'pk_env' }, folder)).toEqual({
      ...LOCAL,
      api_key: 'pk_env',
    })
  })

  it('never combine the local key with another server', () => {
    write(LOCAL)
    const elsewhere = { ASSAY_DATA_DIR, ASSAY_BASE_URL: 'https://assay.example' }
    expect(() => findAccess(elsewhere, folder)).toThrow(
      expect.objectContaining({ code: 'no_credentials', exit: 3 }),
    )
  })

  it('are reported as missing with the variables for a server elsewhere and the command that starts a stack', () => {
    const hint = expect.stringMatching(/ASSAY_BASE_URL=https:.*ASSAY_API_KEY=pk_/)
    expect(() => findAccess({ ASSAY_DATA_DIR }, folder)).toThrow(
      expect.objectContaining({
        code: 'no_credentials',
        exit: 3,
        hint,
        next: `ASSAY_DATA_DIR=${join(folder, ASSAY_DATA_DIR)} npm start`,
      }),
    )
    const page = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
    expect(page).toMatch(/server elsewhere set `ASSAY_BASE_URL`.* and `ASSAY_API_KEY`/)
  })

  it('are started again with the data folder and the port that the stack had', () => {
    expect(startCommand({}, '/')).toBe('npm start')
    expect(startCommand({}, '/', 'http://127.0.0.1:8090')).toBe('npm start')
    expect(startCommand({ ASSAY_DATA_DIR: 'my data' }, '/x', 'http://127.0.0.1:8193')).toBe(
      "PORT=8193 ASSAY_DATA_DIR='/x/my data' npm start",
    )
  })

  it.each(['{"base_url":1}', 'half a fi'])('are refused if the local file is broken: %s', text => {
    write(text)
    expect(() => findAccess({ ASSAY_DATA_DIR }, folder)).toThrow(/local\.json cannot be used/)
  })

  it('are refused if the base URL is not a URL', () => {
    const env = { ASSAY_DATA_DIR, ASSAY_BASE_URL: 'localhost:8090', ASSAY_API_KEY: 'k' }
    expect(() => findAccess(env, folder)).toThrow(expect.objectContaining({ code: 'usage', exit: 2 }))
  })
})
