import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import {
  inForce,
  limitsProblem,
  namedChanges,
  namedLimitsIn,
  namedLimitsOf,
  namedText,
  repeatedAt,
} from './named-limits.ts'

describe('a line of limits', () => {
  it.for([
    ['api.openai.com requests=500/min', { host: 'api.openai.com', requests: '500/min' }],
    [
      'api.openai.com credential=OPENAI_API_KEY tokens=200000/min in-flight=20',
      { host: 'api.openai.com', credential: 'OPENAI_API_KEY', tokens: '200000/min', in_flight: 20 },
    ],
    [
      'api.openai.com --requests 500/min --in-flight 20',
      { host: 'api.openai.com', requests: '500/min', in_flight: 20 },
    ],
    ['  http://127.0.0.1:8097/run   in_flight = 3 ', { host: 'http://127.0.0.1:8097/run', in_flight: 3 }],
  ] as const)('%s is read, and its text is read back', ([line, limits]) => {
    expect(namedLimitsOf(line)).toEqual(limits)
    expect(namedLimitsOf(namedText(limits))).toEqual(limits)
  })

  it.for([
    ['api.openai.com', '"requests" is missing'],
    ['', '"host" must be'],
    ['$OPENAI_BASE_URL requests=60/min', 'is a variable'],
    ['api.openai.com requests=60rpm', 'write 60/min'],
    ['api.openai.com 60/min', 'write api.openai.com requests=500/min'],
    ['api.openai.com in-flight=0', 'write 1'],
    ['api.openai.com in-flight=1e9', 'write 8000'],
    ['api.openai.com in-flight=many', 'write 20'],
    ['api.openai.com in-flight=2.6', 'write 3'],
    ['api.openai.com request=60/min', 'write requests'],
    ['api.openai.com credential=2 requests=60/min', 'such as OPENAI_API_KEY'],
  ] as const)('%j is refused with what to write', ([line, words]) => {
    expect(() => namedLimitsOf(line)).toThrow(words)
  })
})

describe('a text of limits', () => {
  it('is read line by line, whatever blanks are in it', () => {
    expect(namedLimitsIn(' a.test \t requests  =\t60/min\r\n \n\nb.test\u00a0 --in-flight   3')).toEqual([
      { host: 'a.test', requests: '60/min' },
      { host: 'b.test', in_flight: 3 },
    ])
    expect(namedLimitsIn(' \n\t')).toEqual([])
  })

  it.for([
    ['blanks', `h${' '.repeat(1e6)}x`],
    ['equals signs', `h ${' ='.repeat(5e5)}`],
    ['options', `h ${' --a-'.repeat(2e5)}`],
    ['one word', `h ${'--'.repeat(5e5)}`],
    ['digits', `h requests=${'1'.repeat(1e6)}x`],
  ] as const)('of a million characters, %s, is refused by its length', ([, text]) => {
    expect(() => namedLimitsIn(text)).toThrow(`at most ${LIMITS.limit_line_characters} characters`)
  })

  it('of more lines than a list may have is refused', () => {
    const lines = (n: number) => Array.from({ length: n }, (_, i) => `h${i}.test requests=1/s`).join('\n')
    expect(namedLimitsIn(lines(LIMITS.named_limits))).toHaveLength(LIMITS.named_limits)
    expect(() => namedLimitsIn(lines(100_000))).toThrow(`at most ${LIMITS.named_limits}`)
  })
})

it('limits of another shape are refused, with the field', () => {
  expect(limitsProblem({ host: 7 })).toMatchObject({ field: 'host' })
  expect(limitsProblem({ host: 'a.test', requests: 60 })).toMatchObject({
    field: 'requests',
    problem: expect.stringContaining('write 60/min'),
  })
  expect(limitsProblem({ host: 'a.test', requests: '60/min' })).toBeUndefined()
})

it('an upstream is named once in a list', () => {
  const one = { host: 'a.test', requests: '1/s' }
  expect(repeatedAt([one, { ...one, credential: 'KEY' }])).toBe(-1)
  expect(repeatedAt([one, { ...one, credential: 'KEY' }, { ...one, tokens: '1/s' }])).toBe(2)
})

describe('the limits in force', () => {
  const project = (limits: object) => ({ of: 'project' as const, limits })
  const schedule = (limits: object) => ({ of: 'schedule' as const, limits })
  it('are the lower of what the project set', () => {
    expect(inForce([project({ requests: '60/min' }), project({ requests: '10/s', in_flight: 4 })])).toEqual({
      requests: '60/min',
      in_flight: 4,
    })
  })
  it('are those of a schedule at work, part by part, above too', () => {
    expect(
      inForce([project({ requests: '60/min', in_flight: 4 }), schedule({ requests: '600/min' })]),
    ).toEqual({
      requests: '600/min',
      in_flight: 4,
    })
  })
  it('are the lower of two schedules at work', () => {
    expect(inForce([schedule({ requests: '600/min' }), schedule({ requests: '5/s' })])).toEqual({
      requests: '5/s',
    })
  })
  it('are none where nothing is set', () => expect(inForce([])).toEqual({}))
})

it('what changed is said part by part, old and new', () => {
  expect(
    namedChanges(
      [
        { host: 'a.test', requests: '60/min' },
        { host: 'b.test', in_flight: 2 },
      ],
      [{ host: 'a.test', requests: '90/min' }],
    ),
  ).toEqual([
    'a.test requests: 60 requests a minute → 90 requests a minute',
    'b.test in_flight: 2 in flight → no limit',
  ])
  expect(
    namedChanges([{ host: 'a.test', requests: '60/min' }], [{ host: 'a.test', requests: '60/min' }]),
  ).toEqual([])
})
