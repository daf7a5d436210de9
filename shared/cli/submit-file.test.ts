import { expect, it } from 'vitest'
import { itemLines } from '../submission/rules/file-items.ts'

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
