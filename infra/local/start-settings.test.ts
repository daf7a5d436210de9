import { describe, expect, it } from 'vitest'
import { SETTING_NAMES, type SettingName } from '../node/setting-names.ts'
import { readSettings } from '../node/settings.ts'
import { openNetworks, REFUSED, startSettings } from './start-settings.ts'

const settingsOf = (env: Partial<Record<SettingName, string>>) => readSettings(env, '/nowhere')
const followed = SETTING_NAMES.filter(name => REFUSED[name] === undefined)

describe('npm start', () => {
  it('reads every setting that it does not refuse', () => {
    const asked = new Set<string>()
    const env = new Proxy({}, { get: (_, name) => void asked.add(String(name)) })
    startSettings(readSettings(env, '/nowhere'))
    expect(followed.filter(name => !asked.has(name))).toEqual([])
  })

  it.each(Object.keys(REFUSED))('refuses %s by its name', name => {
    expect(() => startSettings(settingsOf({ [name]: 'x' }))).toThrow(new RegExp(`^${name} .*Take it out`))
  })

  it.each<[SettingName, string, RegExp]>([
    ['HOST', '0.0.0.0', /^HOST is 0\.0\.0\.0, and npm start listens on 127\.0\.0\.1 alone/],
    ['HOST', '::', /^HOST is ::/],
    ['ASSAY_PARTS', 'consumer,tick', /^ASSAY_PARTS is consumer,tick, without api/],
    ['ASSAY_PARTS', 'api,cron', /^ASSAY_PARTS: cron is not one of api, consumer, tick/],
    ['PORT', '80a', /^PORT is 80a: it takes a whole number from 0 to 65535/],
    ['BASE_URL', 'assay.example.com', /^BASE_URL is assay\.example\.com: it takes the address/],
    ['ASSAY_TRUSTED_PROXIES', '127.0.0.1', /^ASSAY_TRUSTED_PROXIES: "127\.0\.0\.1" is not a network/],
    ['ASSAY_ALLOW_NETWORKS', 'all', /^ASSAY_ALLOW_NETWORKS: "all" is not a network/],
    ['ASSAY_ALLOW_CALLBACK_NETWORKS', 'all', /^ASSAY_ALLOW_CALLBACK_NETWORKS: "all"/],
    ['ASSAY_AGENT_ITEMS', '0', /^ASSAY_AGENT_ITEMS is 0: it takes a whole number from 256 to 8000/],
    [
      'ASSAY_AGENT_MEMORY_MIB',
      '1g',
      /^ASSAY_AGENT_MEMORY_MIB is 1g: it takes a whole number from 384 to 8192/,
    ],
    ['ASSAY_LOG_LEVEL', 'debug', /^ASSAY_LOG_LEVEL is debug/],
    [
      'ASSAY_INSTALLATION',
      'Staging',
      /^ASSAY_INSTALLATION is Staging: it takes a name of at most 16 characters/,
    ],
    [
      'DATABASE_MIGRATE_URL',
      'postgres://a/b',
      /^DATABASE_MIGRATE_URL is for the database that DATABASE_URL names/,
    ],
    ['ASSAY_SMTP_URL', 'smtp://a', /^ASSAY_SMTP_URL and ASSAY_MAIL_FROM must be set together/],
    ['ASSAY_OPERATOR_KEY', 'short', /^ASSAY_OPERATOR_KEY must have at least 32 characters/],
  ])('refuses %s=%s', (name, value, message) => {
    expect(() => startSettings(settingsOf({ [name]: value }))).toThrow(message)
  })

  it('ignores a HOST that is the name of the machine, and listens on loopback only', () => {
    for (const HOST of ['laptop', 'x86_64-conda-linux-gnu', 'localhost', '127.0.0.1'])
      expect(startSettings(settingsOf({ HOST })).server.host).toBe('127.0.0.1')
  })

  it('passes on the base URL, the trusted proxies, its parts and the networks that agents may reach', () => {
    const { server } = startSettings(
      settingsOf({
        BASE_URL: 'https://example.com/assay/',
        ASSAY_TRUSTED_PROXIES: '127.0.0.1/32',
        ASSAY_PARTS: 'api,tick',
        ASSAY_ALLOW_NETWORKS: '10.0.0.0/8',
      }),
    )
    expect(server).toMatchObject({
      baseUrl: 'https://example.com/assay',
      trustedProxies: ['127.0.0.1/32'],
      parts: ['api', 'tick'],
      allowPrivateNetworks: ['127.0.0.0/8', '::1/128', '10.0.0.0/8'],
    })
    expect('baseUrl' in startSettings(settingsOf({})).server).toBe(false)
  })

  it('reports which private networks are open, its own machine included, and to whom', () => {
    const said = (env: Parameters<typeof settingsOf>[0]) =>
      openNetworks(startSettings(settingsOf(env)).server)
    expect(said({})).toBe(
      'open beside the public internet: 127.0.0.0/8 and ::1/128 to agents, 127.0.0.0/8 and ::1/128 to callbacks, alerts and sources',
    )
    expect(said({ ASSAY_ALLOW_NETWORKS: '10.0.0.0/8', ASSAY_ALLOW_CALLBACK_NETWORKS: '10.1.0.0/16' })).toBe(
      'open beside the public internet: 127.0.0.0/8 and ::1/128 and 10.0.0.0/8 to agents, 10.1.0.0/16 to callbacks, alerts and sources',
    )
  })
})
