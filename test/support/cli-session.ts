// A session of the command line with fixed answers instead of a server, and what the command wrote.

import { connect } from '../../shared/cli/api.ts'
import type { Given } from '../../shared/cli/arguments.ts'
import { createOutput } from '../../shared/cli/output.ts'
import { Retrying } from '../../shared/cli/retrying.ts'
import type { Session } from '../../shared/cli/session.ts'
import { centsOfAmount } from '../../shared/prices/rules/amounts.ts'
import { secondsOfTime } from '../../shared/view/time.ts'

let words = { results: '', notes: '' }

/** What the last session wrote. */
export const printed = (where: keyof typeof words = 'results') => words[where]

const answer = (value: unknown, status = 200) =>
  Response.json(value, { status, headers: { 'assay-version': '0.1.0' } })

/** Sessions with that many columns; `answers` are keyed by `METHOD /path`, with or without the query. One that is no good answer is a Response. */
export function answering(answers: Record<string, unknown>): (columns: number) => Session {
  const fetched: typeof fetch = async input => {
    const { method, url } = input as Request
    const { pathname, search } = new URL(url)
    const found = answers[`${method} ${pathname}${search}`] ?? answers[`${method} ${pathname}`]
    if (found === undefined) return answer({ error: { code: 'not_found', message: url } }, 404)
    return found instanceof Response ? found : answer(found)
  }
  return columns => {
    words = { results: '', notes: '' }
    const out = { columns, isTTY: true, write: (text: string) => (words.results += text) }
    const err = { write: (text: string) => (words.notes += text) }
    const output = createOutput({ out, err, json: false, color: false, program: 'assay' })
    return {
      api: connect({ base_url: 'http://assay.test', api_key: 'pk_test' }, fetched),
      output,
      retrying: new Retrying(output, Date.now),
      words: [],
      folder: '/',
      env: {},
      now: () => Date.parse('2026-01-01T00:05:00.000Z'),
    }
  }
}

/** Options and arguments, as if they had been typed. */
export const given = (options: Record<string, string> = {}, args: string[] = []): Given => ({
  arg: place => args[place]!,
  optionalArg: place => args[place],
  flag: name => options[name] === 'yes',
  text: name => options[name],
  textOrNone: name => (options[name] === 'none' ? null : options[name]),
  whole: name => (options[name] === undefined ? undefined : Number(options[name])),
  wholeOrNone: name =>
    options[name] === undefined ? undefined : options[name] === 'none' ? null : Number(options[name]),
  amount: name => (options[name] === undefined ? undefined : centsOfAmount(options[name])),
  amountOrNone: name => (options[name] === undefined ? undefined : (centsOfAmount(options[name]) ?? null)),
  seconds: name => (options[name] === undefined ? undefined : secondsOfTime(options[name])),
  secondsOrNone: name => (options[name] === undefined ? undefined : (secondsOfTime(options[name]) ?? null)),
  list: () => [],
})
