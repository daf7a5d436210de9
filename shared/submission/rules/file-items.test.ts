import { describe, expect, it } from 'vitest'
import { BadLines, itemLines, linesOfRows } from './file-items.ts'

async function linesOf(text: string, fields = {}, chunk = 7): Promise<string> {
  const encoded = new TextEncoder().encode(text)
  async function* chunks() {
    for (let at = 0; at < encoded.length; at += chunk) yield encoded.slice(at, at + chunk)
  }
  let out = ''
  for await (const piece of itemLines('rows.jsonl', chunks(), fields)) out += new TextDecoder().decode(piece)
  return out
}

describe('the rows of a file', () => {
  it('become items byte for byte', async () => {
    const row = '{"a":1.50,  "b":"\\u0000", "n":12345678901234567890.0}'
    expect(await linesOf(`${row}\r\n [1]\n"text"`)).toBe(
      `{"input":${row}}\n{"input":[1]}\n{"input":"text"}\n`,
    )
  })

  it('get their item id and partition key from a field', async () => {
    const fields = { item_id: 'id', partition_key: 'tenant' }
    expect(await linesOf('{"id":7,"tenant":"nørth"}\n{"id":"a\\"b","tenant":null}\n', fields)).toBe(
      '{"input":{"id":7,"tenant":"nørth"},"item_id":"7","partition_key":"nørth"}\n' +
        '{"input":{"id":"a\\"b","tenant":null},"item_id":"a\\"b"}\n',
    )
  })

  it('may have one of their fields as the input, with its digits unchanged', async () => {
    const fields = { item_id: 'id', input: 'page' }
    const rows = '{"id":1,"page":{"n": 1.50},"rest":[]}\n{"id":2,"page":12345678901234567890}'
    expect(await linesOf(rows, fields)).toBe(
      '{"input":{"n": 1.50},"item_id":"1"}\n{"input":12345678901234567890,"item_id":"2"}\n',
    )
    await expect(linesOf('{"id":1}', fields)).rejects.toThrow(/line 1: has no field "page"/)
  })

  it('keep their line numbers, since blank lines are passed on', async () => {
    const body = await linesOf('\n{"a":1}\n\n \n{"a":2}\n')
    expect(body.split('\n').map(line => line.trim())).toEqual([
      '',
      '{"input":{"a":1}}',
      '',
      '',
      '{"input":{"a":2}}',
      '',
    ])
  })

  it('are all reported by line number if they cannot be items', async () => {
    const rows = '{"id":1}\nnope\n\n{}\n[2]\n{"id":1.5}\n{"id":9007199254740993}\n{"id":null}\n'
    const error = await linesOf(rows, { item_id: 'id' }).catch(error => error)
    expect(error).toBeInstanceOf(BadLines)
    const [head, ...lines] = error.message.split('\n')
    expect(head).toBe('rows.jsonl holds lines that cannot be submitted')
    expect(lines).toEqual([
      expect.stringMatching(/^line 2: is not JSON/),
      'line 4: has no field "id"',
      'line 5: is not an object, so it has no field "id"',
      'lines 6–7: "id" is neither text nor a whole number below 2^53',
      'line 8: "id" is null; it is to be the item_id',
    ])
  })

  it('are no longer read once twenty are bad', async () => {
    const error = await linesOf('x\n'.repeat(1000), {}, 4096).catch(error => error)
    expect(error.message).toMatch(/\nlines 1–20: is not JSON .*\nand perhaps more$/)
  })

  it('are reported if they are not UTF-8', async () => {
    async function* chunks() {
      yield new Uint8Array([...new TextEncoder().encode('{"a":1}\n"'), 0xff, 0x22, 0x0a])
    }
    const read = async () => {
      for await (const _ of itemLines('rows.jsonl', chunks(), {}));
    }
    await expect(read()).rejects.toThrow(/line 2: is not valid UTF-8/)
  })
})

describe('the rows of a CSV file', () => {
  const csv = async (text: string | Uint8Array, fields = {}, chunk = 7) => {
    const encoded = typeof text === 'string' ? new TextEncoder().encode(text) : text
    async function* chunks() {
      for (let at = 0; at < encoded.length; at += chunk) yield encoded.slice(at, at + chunk)
    }
    let out = ''
    for await (const piece of itemLines('rows.CSV', chunks(), fields)) out += new TextDecoder().decode(piece)
    return out
  }

  it('become objects with the names in the first line, and every value as text', async () => {
    const fields = { item_id: 'id', partition_key: 'tenant' }
    expect(await csv('\ufeffid,tenant,text\r\n007,acme,"say ""hi"", please"\r\n8,,\r\n', fields)).toBe(
      '\n{"input":{"id":"007","tenant":"acme","text":"say \\"hi\\", please"},"item_id":"007","partition_key":"acme"}\n' +
        '{"input":{"id":"8","tenant":"","text":""},"item_id":"8"}\n',
    )
  })

  it('may have one of their columns as the input', async () => {
    const body = await csv('text,id\n"a b",7\n', { item_id: 'id', input: 'text' })
    expect(body).toBe('\n{"input":"a b","item_id":"7"}\n')
  })

  it('may be separated by semicolons or tabs, as in the first line', async () => {
    expect(await csv('a;b\n1,5;2\n')).toBe('\n{"input":{"a":"1,5","b":"2"}}\n')
    expect(await csv('a\tb\n1\t2\n')).toBe('\n{"input":{"a":"1","b":"2"}}\n')
  })

  it('are all reported by the line on which they begin if they cannot be items', async () => {
    const error = await csv('a,b\n"two\nlines",1\n\nonly\n1,2,3\nok,ok\n').catch(error => error)
    expect(error).toBeInstanceOf(BadLines)
    expect(error.message.split('\n').slice(1)).toEqual([
      'line 5: has 1 fields; the first line names 2',
      'line 6: has 3 fields; the first line names 2',
    ])
    const open = await csv('a,b\n1,2\n"never closed,2\n3,4\n').catch(error => error)
    expect(open.message).toMatch(/line 3: cannot be read as CSV.* a quote is opened and never closed/)
    const latin = await csv(new Uint8Array([0x61, 0x0a, 0xe4, 0x0a])).catch(error => error)
    expect(latin.message).toMatch(/line 2: is not UTF-8/)
  })

  it('need a first line that names every column once, including the requested ones', async () => {
    await expect(csv('a,a\n1,2\n')).rejects.toThrow(/line 1: names "a" twice/)
    await expect(csv('a,\n1,2\n')).rejects.toThrow(
      /line 2: has "2" in column 2, which the first line does not name/,
    )
    await expect(csv('a,b\n1,2\n', { item_id: 'id' })).rejects.toThrow(
      /line 1: names no field "id"; there are: a, b/,
    )
  })

  it('may have a hundred thousand columns', async () => {
    const names = Array.from({ length: 100_000 }, (_, n) => `c${n}`).join()
    await expect(csv(`${names}\n1\n`)).rejects.toThrow(/line 2: has 1 fields; the first line names 100000/)
  })
})

it('five million blank lines are passed on in small pieces', async () => {
  async function* rows() {
    yield [{ line: 5_000_000, text: '1' }]
  }
  let lines = 0
  for await (const piece of linesOfRows('rows.jsonl', rows(), {})) {
    expect(piece.length).toBeLessThan(100_000)
    lines += new TextDecoder().decode(piece).split('\n').length - 1
  }
  expect(lines).toBe(5_000_000)
})

it('rows that are not taken become blank lines, so that line numbers stay', async () => {
  async function* chunks() {
    yield new TextEncoder().encode('1\n\n2\n3\n4\n')
  }
  let out = ''
  for await (const piece of itemLines('rows.jsonl', chunks(), {}, { takes: row => row % 2 === 1 }))
    out += new TextDecoder().decode(piece)
  expect(out).toBe('\n\n{"input":2}\n\n{"input":4}\n')
})
