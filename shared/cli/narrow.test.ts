// Every list and every help on narrow screens. The answers are the OpenAPI document's examples, with longer names.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { given } from '../../test/support/cli-session.ts'
import { connect } from './api.ts'
import { optionsOf } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { widthOf } from './format.ts'
import { helpOf } from './help.ts'
import { createOutput } from './output.ts'
import { Retrying } from './retrying.ts'

interface Media {
  examples?: Record<string, { value: unknown }>
}
interface Get {
  responses: Record<string, { content?: Record<string, Media> }>
}
const { paths } = JSON.parse(
  readFileSync(new URL('../../infra/generated/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, { get?: Get }> }

const LONG = ['name', 'title', 'message', 'description', 'email', 'url', 'sample_prompt', 'partition_key']

/** The same answer with lists doubled, and the names that people choose as long as they might be. */
function stretched(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.flatMap(one => [stretched(one), stretched(one)])
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, stretched(one, name)]))
  return typeof value === 'string' && LONG.includes(key) ? `${value} `.repeat(12).trim() : value
}

const fetched: typeof fetch = async input => {
  const { pathname } = new URL((input as Request).url)
  const path = Object.keys(paths).find(one =>
    new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
  const example = Object.values(
    paths[path!]!.get!.responses['200']!.content!['application/json']!.examples!,
  )[0]!
  return Response.json(stretched(example.value), { headers: { 'assay-version': '0.1.0' } })
}

const lists = COMMANDS.filter(command => optionsOf(command).some(({ name }) => name === 'follow'))

describe.each([60, 80, 120])('on %i columns', columns => {
  it.each(lists.map(command => [command.name, command] as const))('`assay %s` fits', async (_, command) => {
    let results = ''
    const out = { columns, isTTY: true, write: (text: string) => (results += text) }
    const session = {
      api: connect({ base_url: 'http://assay.test', api_key: 'pk_test' }, fetched),
      output: createOutput({
        out,
        err: { write: () => {} },
        json: false,
        color: false,
        program: 'npx --no assay',
      }),
      retrying: new Retrying({ note: () => {} }, Date.now),
      words: [],
      folder: '/',
      env: {},
      now: () => Date.parse('2026-03-02T09:30:00Z'),
    }
    const args = (command.args ?? []).map(arg =>
      arg.includes('AGENT') ? agentSlug() : '01900000-0000-7000-8000-000000000000',
    )
    await command.run(session, given({ list: 'yes', project: '01900000-0000-7000-8000-000000000000' }, args))
    expect(results).not.toBe('')
    expect(results.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })

  it('every help text fits', () => {
    for (const command of [undefined, ...COMMANDS])
      expect(
        helpOf(COMMANDS, command, columns)
          .split('\n')
          .filter(line => line.length > columns),
      ).toEqual([])
  })
})

function agentSlug(): string {
  const example = Object.values(
    paths['/v1/agents']!.get!.responses['200']!.content!['application/json']!.examples!,
  )[0]!
  return (example.value as { slug: string }[])[0]!.slug
}
