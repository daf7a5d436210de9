import { describe, expect, it } from 'vitest'
import type { Schemas } from './api.ts'
import { parse } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { sourceOf } from './source-options.ts'

type Source = Schemas['Source']

function given(...argv: string[]) {
  const invocation = parse(COMMANDS, ['schedules', ...argv])
  if (invocation.kind !== 'run') throw new Error('asked for help')
  return invocation.given
}

function source(...headers: string[]) {
  const options = headers.flatMap(header => ['--header', header])
  return sourceOf(given('create', 'agent', '0 2 * * *', '--source', 'https://a.example/x', ...options))
}

describe('a source that is changed', () => {
  const rows = { item_id: 'id', partition_key: 'tenant' }
  const read: Source = {
    url: 'https://a.example/x',
    format: 'csv',
    generator: null,
    header_names: [],
    ...rows,
  } as const
  const made: Source = { ...read, url: null, format: null, generator: 'tickets' }
  const [url, moved] = ['https://a.example/y', ['update', 'S', '--source', 'https://a.example/y']]

  it('keeps the fields of its rows that are not named', () => {
    expect(sourceOf(given(...moved), { known: read })).toEqual({ url, ...rows })
    expect(sourceOf(given(...moved, '--item-id', 'key'), { known: read })).toEqual({
      url,
      ...rows,
      item_id: 'key',
    })
    const other = given('update', 'S', '--generator', 'letters')
    expect(sourceOf(other, { known: made })).toEqual({ generator: 'letters', ...rows })
  })

  it('loses a field that is taken away by none, and all where a URL follows a generator', () => {
    const without = given(...moved, '--partition-key', 'none')
    expect(sourceOf(without, { known: read })).toEqual({ url, ...rows, partition_key: null })
    expect(sourceOf(given(...moved), { known: made })).toEqual({ url })
  })
})

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
