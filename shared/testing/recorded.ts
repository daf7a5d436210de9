// A model that replays recorded answers of real models. Guarantee: a recorded request is answered from the file, no
// other reaches the network unless the test records, and no key or header of a request is written down.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canonicalJson } from '../json/canonical.ts'
import { bodyOf, type Model, ModelError, nameOf, withoutKey } from './model.ts'

export interface RecordedOptions {
  /** Whether to send requests that have no recorded answer, and record theirs; by default, whether ASSAY_RECORD=1. */
  record?: boolean
}

interface Answer {
  key: string
  /** For people who read the file. */
  method: string
  path: string
  request: unknown
  answer: unknown
}

const VERSION = 1

/**
 * A model that answers from a file. A request without an answer in the file is an error. With ASSAY_RECORD=1 in the
 * environment, it is sent to the provider instead, with the agent's own keys and for money, and the answer is kept. To
 * record again, delete the file.
 *
 * A request is recognised by its method, its path with the query, and its body in any order of its keys; not by its
 * host, its headers, or a key in the query. A request sent several times gets the answers of the first, second … time,
 * then the last one again. Only answers with a 2xx status are kept.
 *
 * @param file a path from the current folder, or a URL
 * @throws ModelError `bad_recording` at once if the file cannot be used; from `runItem`, `unrecorded_request`
 * @example
 * const model = recorded(new URL('./agent.recorded.json', import.meta.url))
 * const result = await runItem(TicketTriage, { input, model })
 */
export function recorded(file: string | URL, options: RecordedOptions = {}): Model {
  const path = file instanceof URL ? fileURLToPath(file) : resolve(file)
  const record = options.record ?? /^(1|true|yes)$/.test(process.env.ASSAY_RECORD ?? '')
  const answers = answersIn(path)
  const asked = new Map<string, number>()
  return {
    live: record,
    async answer(request, send) {
      const body = await bodyOf(request)
      const key = keyOf(request, body)
      const before = asked.get(key) ?? 0
      const known = answers.filter(answer => answer.key === key)
      const found = known[before] ?? (record ? undefined : known.at(-1))
      if (found === undefined && !record) throw unrecorded(path, request, body)
      asked.set(key, before + 1)
      if (found !== undefined) return respond(found.answer)
      const response = await send(request)
      if (!response.ok) return response
      const text = await response.text()
      const answer = jsonOr(text)
      answers.push({ key, method: request.method, path: pathOf(request), request: body, answer })
      keep(path, answers)
      return respond(answer)
    },
  }
}

function respond(answer: unknown): Response {
  return typeof answer === 'string' ? new Response(answer) : Response.json(answer)
}

function pathOf({ url }: Request): string {
  const { pathname, search } = new URL(withoutKey(url))
  return pathname + search
}

function keyOf(request: Request, body: unknown): string {
  const text = `${request.method} ${pathOf(request)}\n${canonicalJson(body)}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function answersIn(path: string): Answer[] {
  if (!existsSync(path)) return []
  try {
    const { version, answers } = JSON.parse(readFileSync(path, 'utf8'))
    if (version === VERSION && Array.isArray(answers)) return answers
    throw new Error(`it is not a recording of version ${VERSION}`)
  } catch (error) {
    throw new ModelError('bad_recording', `${near(path)} cannot be used: ${(error as Error).message}`)
  }
}

/** Writes a new file and renames it, so that a test that is stopped leaves no half-written file. */
function keep(path: string, answers: readonly Answer[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify({ version: VERSION, answers }, null, 2)}\n`)
  renameSync(`${path}.new`, path)
}

function unrecorded(path: string, request: Request, body: unknown): ModelError {
  return new ModelError(
    'unrecorded_request',
    `${near(path)} has no answer to ${nameOf(request, body)}: run the test once with ASSAY_RECORD=1 and the keys of the provider, which costs what the calls cost`,
  )
}

const near = (path: string) => relative(process.cwd(), path) || path
