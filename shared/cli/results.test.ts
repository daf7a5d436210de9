import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import type { Api } from './api.ts'
import { EXIT } from './failure.ts'
import { results } from './results.ts'
import type { Session } from './session.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'results-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A session whose server sends these pieces, and the queries it got. */
function sending(pieces: (string | Error)[]) {
  const asked: object[] = []
  async function* body() {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece
      yield new TextEncoder().encode(piece)
    }
  }
  const session: Session = { ...answering({})(80), folder }
  const api = {
    async results(query: object) {
      asked.push(query)
      return body()
    },
  } as unknown as Api
  return { session: { ...session, api }, asked }
}

it('a results file replaces the old one and leaves no other file behind', async () => {
  await writeFile(join(folder, 'night.csv'), 'of yesterday')
  const { session, asked } = sending(['item_id\n', 'a\n'])
  expect(await results(session, given({ out: 'night.csv' }, ['the-run']))).toBe(EXIT.ok)
  expect(asked).toEqual([{ run_id: 'the-run', format: 'csv' }])
  expect(await readFile(join(folder, 'night.csv'), 'utf8')).toBe('item_id\na\n')
  expect(await readdir(folder)).toEqual(['night.csv'])
  expect(printed()).toBe(`${join(folder, 'night.csv')}: 10 B\n`)
})

it('a response that breaks off leaves the old file, and no partial one', async () => {
  await writeFile(join(folder, 'night.csv'), 'of yesterday')
  const { session } = sending(['item_id\n', new TypeError('terminated')])
  await expect(results(session, given({ out: 'night.csv' }, ['the-run']))).rejects.toMatchObject({
    exit: EXIT.api,
    message: 'the answer broke off before its end: terminated',
  })
  expect(await readFile(join(folder, 'night.csv'), 'utf8')).toBe('of yesterday')
  expect(await readdir(folder)).toEqual(['night.csv'])
})

it.each([
  ['csv', {}],
  ['ndjson', { ndjson: 'yes' }],
  ['ndjson', { out: 'x.jsonl' }],
  ['json', { out: 'x.json' }],
  ['json', { out: 'x.csv', json: 'yes' }],
] as [string, Record<string, string>][])('results come as %s with %j', async (format, options) => {
  const { session, asked } = sending([])
  await results(session, given(options, ['the-run']))
  expect(asked).toMatchObject([{ format }])
})

it('results are of one run or one agent, and in one format', async () => {
  const { session } = sending([])
  await expect(results(session, given({}, []))).rejects.toMatchObject({ exit: EXIT.usage })
  await expect(results(session, given({ agent: 'a' }, ['the-run']))).rejects.toMatchObject({
    exit: EXIT.usage,
  })
  await expect(results(session, given({ csv: 'yes', json: 'yes' }, ['r']))).rejects.toThrow(
    'one format at a time',
  )
  await expect(results(session, given({ raw: 'yes', json: 'yes' }, ['r']))).rejects.toThrow(
    '--raw goes with --csv',
  )
})

it('a file whose name ends in .gz or .zst is packed, in the format that its name says before', async () => {
  for (const [name, unpacked] of [
    ['night.csv.gz', gunzipSync],
    ['night.csv.zst', zstdDecompressSync],
  ] as const) {
    const { session, asked } = sending(['item_id\n', 'a\n'])
    expect(await results(session, given({ out: name }, ['the-run']))).toBe(EXIT.ok)
    expect(asked).toMatchObject([{ format: 'csv' }])
    expect(unpacked(await readFile(join(folder, name))).toString()).toBe('item_id\na\n')
  }
})
