import { describe, expect, it } from 'vitest'
import { parse } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { sourceOf } from './source-options.ts'

function source(...headers: string[]) {
  const options = headers.flatMap(header => ['--header', header])
  const argv = ['schedules', 'create', 'agent', '0 2 * * *', '--source', 'https://a.example/x', ...options]
  const invocation = parse(COMMANDS, argv)
  if (invocation.kind !== 'run') throw new Error('asked for help')
  return sourceOf(invocation.given)
}

describe('a header of a source', () => {
  it('is sent with its value', () => {
    expect(source('Authorization: Bearer a b', 'X-Mode: token')).toMatchObject({
      headers: { Authorization: 'Bearer a b', 'X-Mode': 'token' },
    })
  })

  it.each(['Authorization: Bearer ', 'authorization:Basic', 'X-Api-Key:', 'X-Api-Key:  '])(
    'that an unset variable leaves empty is refused by its name: %j',
    header => {
      const name = header.split(':')[0]
      expect(() => source(header)).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: `--header ${name} has no value in ${JSON.stringify(header)}`,
          hint: expect.stringContaining('shell variable'),
        }),
      )
    },
  )
})
