import { describe, expect, it } from 'vitest'
import { maskOf } from './masking.ts'

const SECRET = 'p"ss/wörd\\ 1234'

describe('a secret', () => {
  it.each<[string, string]>([
    ['as it is', SECRET],
    ['within a JSON text', JSON.stringify({ a: `Bearer ${SECRET}` })],
    ['within a JSON text of a JSON text', JSON.stringify({ body: JSON.stringify({ a: SECRET }) })],
    ['within a URL', `http://x/?key=${encodeURIComponent(SECRET)}&a=1`],
    ['twice', `${SECRET} ${SECRET}`],
  ])('is replaced %s', (_, text) => {
    const masked = maskOf({ DB_PASSWORD: SECRET }).text(text)
    expect(masked).toContain('[secret DB_PASSWORD]')
    expect(masked).not.toContain('1234')
    if (text.startsWith('{')) expect(() => JSON.parse(masked)).not.toThrow()
  })

  it.each(['API_KEY', 'openai_api_key', 'TOKEN', 'MY_SECRET', 'AWS_CREDENTIALS', 'PASSWORD'])(
    'is what stands under a name like %s',
    name => {
      expect(maskOf({ [name]: 'abcdefghijkl' }).text('=abcdefghijkl=')).toBe(`=[secret ${name}]=`)
    },
  )

  it.each(['MONKEY', 'KEYBOARD', 'MODEL', 'TOKENS_PER_DAY'])('is not what stands under %s', name => {
    expect(maskOf({ [name]: 'abcdefghijkl' }).text('abcdefghijkl')).toBe('abcdefghijkl')
  })

  it('is what ASSAY_SECRETS lists, whatever its name is', () => {
    const mask = maskOf({ CRM: 'abcdefghijkl', DSN: 'postgres://u:p@h', ASSAY_SECRETS: 'CRM, DSN' })
    expect(mask.text('abcdefghijkl postgres://u:p@h')).toBe('[secret CRM] [secret DSN]')
  })

  it('has at least twelve characters', () => {
    expect(maskOf({ KEY: 'none' }).text('there is none')).toBe('there is none')
  })

  it('that begins with another is replaced as a whole', () => {
    const mask = maskOf({ A_KEY: 'abcdefghijkl', B_KEY: 'abcdefghijklmnop' })
    expect(mask.text('abcdefghijklmnop abcdefghijkl')).toBe('[secret B_KEY] [secret A_KEY]')
  })

  it('may have what a replacement pattern would expand', () => {
    expect(maskOf({ KEY: '$&$&$&$&$&$&' }).text('a $&$&$&$&$&$& b')).toBe('a [secret KEY] b')
  })
})

describe('in a JSON text', () => {
  it.each<[string, string, string]>([
    [
      'a number',
      '{"account":123456789012,"a":1234567890123}',
      '{"account":"[secret A_KEY]","a":1234567890123}',
    ],
    ['escaped as another language does', '{"a":"x\\u0070\\u002Fabcdefghijk"}', '{"a":"x[secret B_KEY]"}'],
    ['with escaped slashes', '{"a":"p\\/abcdefghijk"}', '{"a":"[secret B_KEY]"}'],
    [
      'as keys',
      '{"p/abcdefghijk":1,"ap/abcdefghijk":{"p/abcdefghijk":2}}',
      '{"[secret B_KEY]":1,"a[secret B_KEY]":{"[secret B_KEY] 2":2}}',
    ],
    [
      'twice encoded',
      JSON.stringify({ a: '{"b":"p\\/abcdefghijk"}' }),
      '{"a":"{\\"b\\":\\"[secret B_KEY]\\"}"}',
    ],
  ])('a secret is replaced and the text stays JSON: %s', (_, text, masked) => {
    const mask = maskOf({ A_KEY: '123456789012', B_KEY: 'p/abcdefghijk' })
    // The form of an escape that no client writes is found where another form of the secret is too.
    const both = text.includes('u0070') ? text.replace('}', ',"b":"p/abcdefghijk"}') : text
    const wanted = both === text ? masked : masked.replace('}', ',"b":"[secret B_KEY]"}')
    expect(mask.json(both)).toBe(wanted)
    expect(() => JSON.parse(mask.json(both))).not.toThrow()
  })

  it('the parts of a secret that is JSON, and the lines of one that has many, are secrets too', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'
    const pem = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`
    const mask = maskOf({ GOOGLE_CREDENTIALS: JSON.stringify({ type: 'service_account', private_key: pem }) })
    expect(mask.json(JSON.stringify({ type: 'service_account', private_key: pem }))).toBe(
      '{"type":"service_account","private_key":"[secret GOOGLE_CREDENTIALS]"}',
    )
    expect(mask.text(`a line: ${line}`)).toBe('a line: [secret GOOGLE_CREDENTIALS]')
  })
})
