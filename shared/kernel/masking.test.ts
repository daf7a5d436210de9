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
    const masked = maskOf({ DB_PASSWORD: SECRET })(text)
    expect(masked).toContain('[secret DB_PASSWORD]')
    expect(masked).not.toContain('1234')
    if (text.startsWith('{')) expect(() => JSON.parse(masked)).not.toThrow()
  })

  it.each(['API_KEY', 'openai_api_key', 'TOKEN', 'MY_SECRET', 'AWS_CREDENTIALS', 'PASSWORD'])(
    'is what stands under a name like %s',
    name => {
      expect(maskOf({ [name]: 'abcdefghijkl' })('=abcdefghijkl=')).toBe(`=[secret ${name}]=`)
    },
  )

  it.each(['MONKEY', 'KEYBOARD', 'MODEL', 'TOKENS_PER_DAY'])('is not what stands under %s', name => {
    expect(maskOf({ [name]: 'abcdefghijkl' })('abcdefghijkl')).toBe('abcdefghijkl')
  })

  it('is what ASSAY_SECRETS lists, whatever its name is', () => {
    const mask = maskOf({ CRM: 'abcdefghijkl', DSN: 'postgres://u:p@h', ASSAY_SECRETS: 'CRM, DSN' })
    expect(mask('abcdefghijkl postgres://u:p@h')).toBe('[secret CRM] [secret DSN]')
  })

  it('has at least twelve characters', () => {
    expect(maskOf({ KEY: 'none' })('there is none')).toBe('there is none')
  })

  it('that begins with another is replaced as a whole', () => {
    const mask = maskOf({ A_KEY: 'abcdefghijkl', B_KEY: 'abcdefghijklmnop' })
    expect(mask('abcdefghijklmnop abcdefghijkl')).toBe('[secret B_KEY] [secret A_KEY]')
  })

  it('may have what a replacement pattern would expand', () => {
    expect(maskOf({ KEY: '$&$&$&$&$&$&' })('a $&$&$&$&$&$& b')).toBe('a [secret KEY] b')
  })
})
