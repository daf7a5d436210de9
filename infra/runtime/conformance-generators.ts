// Checks the generators of an NDJSON agent endpoint against the agent protocol. Guarantee: it reads only a bounded part
// of an endless generator.

import {
  type GeneratorLine,
  type GeneratorRequest,
  NDJSON,
  PROTOCOL_VERSION,
} from '../../shared/protocol/rules/protocol.ts'

const LINES_READ = 1000
const READ_MS = 20_000
const UNKNOWN = 'conformance-no-such-generator'

/** Returns the faults in the answers of an agent's generators; undefined where it declares none. */
export async function generatorFaults(
  url: string,
  sign: (body: string) => Promise<Record<string, string>>,
): Promise<string[] | undefined> {
  const [name] = await declaredGenerators(url)
  if (name === undefined) return undefined
  const unknown = await ask(url, UNKNOWN, sign)
  await unknown.body?.cancel()
  const refused = unknown.status >= 400 && unknown.status < 500
  const faults = refused ? [] : [`an unknown generator is answered ${unknown.status}, not 400`]
  const answer = await ask(url, name, sign)
  if (answer.status !== 200) return [...faults, `"${name}" is answered ${answer.status}`]
  const type = (answer.headers.get('content-type') ?? '').replace(/;.*$/, '').trim()
  if (type !== NDJSON) faults.push(`the content type of its items is "${type}", not ${NDJSON}`)
  return [...faults, ...lineFaults(name, await firstLines(answer))]
}

async function declaredGenerators(url: string): Promise<string[]> {
  // Agents need not answer a GET.
  const said = await fetch(url, { signal: AbortSignal.timeout(READ_MS) })
    .then(answer => answer.json() as Promise<{ declaration?: { generators?: string[] } } | null>)
    .catch(() => null)
  return said?.declaration?.generators ?? []
}

async function ask(
  url: string,
  generator: string,
  sign: (body: string) => Promise<Record<string, string>>,
): Promise<Response> {
  const at = '2026-03-29T00:30:00.000Z'
  const request: GeneratorRequest = {
    generator,
    occurrence: { scheduled_for: at, timezone: 'Europe/Berlin', date: '2026-03-29' },
  }
  const body = `${JSON.stringify(request)}\n`
  const headers = {
    'content-type': NDJSON,
    accept: NDJSON,
    'assay-protocol': PROTOCOL_VERSION,
    ...(await sign(body)),
  }
  return fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(READ_MS),
  })
}

/** Returns up to LINES_READ lines of the answer, and whether that was all. */
async function firstLines(answer: Response): Promise<{ lines: string[]; whole: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    if (lines.length > LINES_READ) return { lines: lines.slice(0, LINES_READ), whole: false }
  }
  return { lines: text.split('\n').filter(line => line.trim() !== ''), whole: true }
}

function lineFaults(name: string, { lines, whole }: { lines: string[]; whole: boolean }): string[] {
  let items = 0
  for (const [at, text] of lines.entries()) {
    let line: GeneratorLine
    try {
      line = JSON.parse(text)
    } catch {
      return [`a line of "${name}" is not JSON: ${text.slice(0, 80)}`]
    }
    const isLast = whole && at === lines.length - 1
    if (line?.type === 'heartbeat') continue
    if (line?.type === 'item') {
      if (!('input' in line)) return [`an item of "${name}" has no input`]
      items++
    } else if (line?.type === 'end' || line?.type === 'error') {
      if (!isLast) return [`"${name}" goes on after its ${line.type}`]
      if (line.type === 'end' && line.items !== items)
        return [`"${name}" ends with ${line.items} items, and ${items} came`]
      return []
    } else return [`a line of "${name}" is none of item, heartbeat, end and error: ${text.slice(0, 80)}`]
  }
  return whole ? [`"${name}" ends without a last line`] : []
}
