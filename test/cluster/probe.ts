// Checks, as a caller without credentials, whether an installation serves every operation by its function, with stores
// behind it.

import { endpoints } from '../../functions/index.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'

export type Report = { what: string; wrong?: string }[]

const ANY_ID = '00000000-0000-7000-8000-000000000000'
const WAIT_MS = 60_000

/** What was asked, and what was wrong with the answer. It changes nothing. */
export async function probe(url: string): Promise<Report> {
  const reads = endpoints.filter(({ method }) => method === 'get')
  const report: Report = []
  for (const { path, auth } of reads) {
    const expected = auth === 'none' ? [200] : [401]
    report.push(await ask(url, 'GET', path.replaceAll(/\{\w+\}/g, ANY_ID), expected))
  }
  report.push(await ask(url, 'GET', '/openapi.json', [200], sameDocument))
  report.push(await ask(url, 'GET', '/no-such-path', [404]))
  for (const hidden of ['/consume', '/tick']) report.push(await ask(url, 'POST', hidden, [404]))
  return report
}

async function ask(
  url: string,
  method: string,
  path: string,
  expected: number[],
  check: (text: string) => string | undefined = isJson,
): Promise<Report[number]> {
  const what = `${method} ${path}`
  try {
    const response = await fetch(url + path, { method, signal: AbortSignal.timeout(WAIT_MS) })
    const text = await response.text()
    const wrong = expected.includes(response.status)
      ? check(text)
      : `answered ${response.status}: ${text.slice(0, 200)}`
    return wrong === undefined ? { what } : { what, wrong }
  } catch (error) {
    return { what, wrong: String(error) }
  }
}

function isJson(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    return `answered no JSON: ${text.slice(0, 200)}`
  }
}

/** An image of another version than these files would serve other operations. */
const sameDocument = (text: string) => {
  const [theirs, ours] = [JSON.parse(text), openApiDocument(endpoints)].map(document =>
    Object.keys(document.paths),
  )
  return JSON.stringify(theirs) === JSON.stringify(ours)
    ? undefined
    : 'describes other operations than these files'
}
