import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answering, given } from '../../test/support/cli-session.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { connect } from './api.ts'
import { Retrying, retried } from './retrying.ts'
import { run, submit } from './submit.ts'

const OURS = { headers: { 'assay-version': '0.1.0' } }
const NOT_FOUND = { error: { code: 'not_found', message: 'There is none.' } }
const AGENT = { id: 'a', slug: 'triage', budget_gap: null }

/** A session whose starts are never answered, and the keys that they came with. */
function unanswered(words: string[], folder = '/') {
  const keys: (string | null)[] = []
  let waited_s = 0
  const ask = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const asked = input instanceof Request ? input : undefined
    const method = asked?.method ?? init?.method
    const url = new URL(asked?.url ?? String(input))
    if (method === 'GET' && url.pathname === '/v1/agents') return Response.json([AGENT], OURS)
    if (method === 'GET') return Response.json(NOT_FOUND, { ...OURS, status: 404 })
    const body = asked === undefined ? {} : JSON.parse(await asked.text())
    keys.push(url.searchParams.get('idempotency_key') ?? body.idempotency_key)
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('broken'), { code: 'ECONNRESET' }) })
  }
  const session = answering({})(80)
  const retrying = new Retrying(
    session.output,
    () => waited_s * 1000,
    async seconds => {
      waited_s += seconds
    },
  )
  const api = retried(connect({ base_url: 'http://assay.test', api_key: 'pk_test' }, ask), retrying)
  return { session: { ...session, api, retrying, words, folder }, keys }
}

const hint = expect.stringContaining('goes on with that run')

describe('a start that is given up names the key under which the same command goes on', () => {
  it('of one item', async () => {
    const { session, keys } = unanswered(['run', 'triage', '--input', '{"n": 1}'])
    const error = await run(session, given({ input: '{"n": 1}' }, ['triage'])).catch(error => error)
    expect(new Set(keys).size).toBe(1)
    const next = `assay run triage --input '{"n": 1}' --idempotency-key ${keys[0]}`
    expect(error).toMatchObject({ code: 'unreachable', hint, next })
    const again = unanswered(['run', 'triage'])
    const options = { input: '{"n": 1}', 'idempotency-key': keys[0]! }
    await expect(run(again.session, given(options, ['triage']))).rejects.toMatchObject({ hint })
    expect(again.keys[0]).toBe(keys[0])
  })

  it.each([
    ['of a file', {}, ''],
    ['of a pilot', { pilot: '1', yes: 'yes' }, '-pilot'],
  ])('%s', async (_, options, ending) => {
    const folder = await tempFolder()
    onTestFinished(() => folder.remove())
    await writeFile(join(folder.path, 'f.jsonl'), '{"n": 1}\n{"n": 2}\n')
    const { session, keys } = unanswered(['submit', 'f.jsonl', '--agent', 'triage'], folder.path)
    const typed = given({ agent: 'triage', ...options }, ['f.jsonl'])
    const { next, hint: said } = await submit(session, typed).catch(error => error)
    const key = /^assay submit f.jsonl --agent triage --idempotency-key (\S+)$/.exec(next)?.[1]
    expect([new Set(keys), said]).toEqual([new Set([`${key}${ending}`]), hint])
    expect(keys.length).toBeGreaterThan(1)
  })
})
