import { expect, it } from 'vitest'
import { answering } from '../../test/support/cli-session.ts'
import { itemLines } from '../submission/rules/file-items.ts'
import { readItems } from './submit-file.ts'

/** The item lines made from standard input that arrives in these pieces. */
async function linesOf(pieces: string[]) {
  async function* stdin() {
    for (const piece of pieces) yield new TextEncoder().encode(piece)
  }
  let text = ''
  for await (const part of itemLines('standard input', stdin(), { item_id: 'id' }))
    text += new TextDecoder().decode(part)
  return text.split('\n').filter(Boolean)
}

it('standard input that begins with a line of JSON is read as JSON lines', async () => {
  expect(await linesOf(['\n{"id"', ': "a"}\n', '{"id": "b"}'])).toEqual([
    '{"input":{"id": "a"},"item_id":"a"}',
    '{"input":{"id": "b"},"item_id":"b"}',
  ])
})

it('other standard input is read as CSV, and inch marks in it are kept', async () => {
  expect(await linesOf(['\ufeffid,te', 'xt\n1,3.5" disk\n', '2,"a ""b"""\n'])).toEqual([
    '{"input":{"id":"1","text":"3.5\\" disk"},"item_id":"1"}',
    '{"input":{"id":"2","text":"a \\"b\\""},"item_id":"2"}',
  ])
})

it('a broken first line of JSON is reported as broken JSON', async () => {
  await expect(linesOf(['{"id": }\n'])).rejects.toThrow('line 1: is not JSON')
})

it('lines of batch outputs become items with their identifiers, and what the provider said as input', async () => {
  const lines = [
    { custom_id: 'a', response: { status_code: 200, body: { choices: [] } }, error: null },
    { custom_id: 'b', response: null, error: { code: 'batch_expired', message: 'expired' } },
    { custom_id: 'c', result: { type: 'succeeded', message: { content: [] } } },
    { key: 'd', response: { candidates: [] } },
  ]
  const items = async (rows: readonly object[]) => {
    async function* input() {
      yield new TextEncoder().encode(rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    }
    const source = { path: 'answers.jsonl', fields: {}, input: input(), as_answers: true }
    let text = ''
    for await (const part of readItems(answering({})(80), source, 'reading'))
      text += new TextDecoder().decode(part)
    return text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  }
  expect(await items(lines)).toEqual([
    { item_id: 'a', input: { answer: { choices: [] }, error: null } },
    { item_id: 'b', input: { answer: null, error: 'expired' } },
    { item_id: 'c', input: { answer: { content: [] }, error: null } },
    { item_id: 'd', input: { answer: { candidates: [] }, error: null } },
  ])
  await expect(items([lines[0]!, { id: 1 }])).rejects.toThrow('line 2: is no answer of a batch output')
})
