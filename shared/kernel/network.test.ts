import { describe, expect, it } from 'vitest'
import { resolveNetwork } from './network.ts'

describe('resolveNetwork', () => {
  it('replaces a variable with the host it contains', () => {
    const env = {
      BASE: 'http://127.0.0.1:8099/v1',
      HOST: 'models.internal:9000',
      TLS: 'https://api.example.com:443/',
    }
    expect(resolveNetwork(['API.openai.com', '$BASE', '$HOST', '$TLS', '*'], env)).toEqual([
      'api.openai.com',
      '127.0.0.1:8099',
      'models.internal:9000',
      'api.example.com',
      '*',
    ])
  })

  it('adds nothing for a variable that is not set, and each host once', () => {
    expect(
      resolveNetwork(['a.example', '$NONE', '$EMPTY', '$A'], { EMPTY: ' ', A: 'https://a.example' }),
    ).toEqual(['a.example'])
    expect(resolveNetwork(undefined, {})).toEqual([])
  })

  it('refuses a variable that contains no host', () => {
    expect(() => resolveNetwork(['$BASE'], { BASE: 'http://' })).toThrow(/\$BASE/)
  })
})
