import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkJson } from './json.ts'
import { JsonError } from './json-error.ts'
import { readLongList } from './json-list.ts'

afterEach(() => vi.restoreAllMocks())

async function all(pieces: AsyncIterable<string[]>): Promise<string[]> {
  const read: string[] = []
  for await (const piece of pieces) read.push(...piece)
  return read
}

async function refusalOf(attempt: () => unknown): Promise<[code: string, message: string] | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    if (error instanceof JsonError) return [error.code, error.message]
    throw error
  }
}

describe('a long list', () => {
  it('is returned element by element, and is an empty list in the rest', async () => {
    const list = await readLongList(' { "a" : 1 , "\\u006c": [ {"b": [2]} , 3,[] ] ,"c":"d" } ', 'l')
    expect(await all(list.elements())).toEqual(['{"b": [2]}', '3', '[]'])
    expect(JSON.parse(list.rest)).toEqual({ a: 1, l: [], c: 'd' })
  })

  it('that is empty, missing or not a list has no elements, and is left as it is in the rest', async () => {
    for (const text of [
      '{"l":[ ]}',
      '{}',
      '{"l":{"l":[1]}}',
      '{"l":"[1]"}',
      '{"other":[1]}',
      '[1]',
      ' null ',
    ]) {
      const list = await readLongList(text, 'l')
      expect(await all(list.elements())).toEqual([])
      expect(JSON.parse(list.rest)).toEqual(JSON.parse(text))
    }
  })

  it('can be read more than once', async () => {
    const { elements } = await readLongList('{"l":[1,2]}', 'l')
    expect([await all(elements()), await all(elements())]).toEqual([
      ['1', '2'],
      ['1', '2'],
    ])
  })

  it('yields to the event loop after every slice, both while it is checked and while it is read', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 20))
    const text = `{"l":[${new Array(10_000).fill(0).join()}]}`
    let turns = 0
    const others = setInterval(() => turns++, 0)
    const { elements } = await readLongList(text, 'l')
    const whileChecked = turns
    const read = await all(elements())
    clearInterval(others)
    expect(read.length).toBe(10_000)
    expect(whileChecked).toBeGreaterThanOrEqual(5)
    expect(turns - whileChecked).toBeGreaterThanOrEqual(5)
  })
})

describe('for any object', () => {
  const json = fc.json({ maxDepth: 4 })
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom('l', 'm', '', 'll', 'L'), json), {
    selector: ([name]) => name,
  })

  it('the elements and the rest together are the whole', async () => {
    await fc.assert(
      fc.asyncProperty(members, fc.array(json), async (others, listed) => {
        const all_ = [...others.filter(([name]) => name !== 'l'), ['l', `[${listed.join(' , ')}]`] as const]
        const text = `{${all_.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
        const { rest, elements } = await readLongList(text, 'l')
        const whole = JSON.parse(rest)
        whole.l = (await all(elements())).map(one => JSON.parse(one))
        expect(whole).toEqual(JSON.parse(text))
      }),
    )
  })

  it('a text with one changed piece is refused as checkJson refuses it', async () => {
    const pieces = ['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', ' ', 'null', '"l":1,']
    await fc.assert(
      fc.asyncProperty(
        members,
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom('', ...pieces),
        async (given, where, cut, piece) => {
          const text = `{${given.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
          const at = 1 + (where % text.length)
          const changed = text.slice(0, at) + piece + text.slice(at + cut)
          const said = await refusalOf(async () => all((await readLongList(changed, 'l')).elements()))
          expect(said).toEqual(await refusalOf(() => checkJson(changed)))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it.each([
    [`{"l":[${'['.repeat(63)}${']'.repeat(63)}]}`],
    [`{"l":[${'['.repeat(62)}${']'.repeat(62)}]}`],
    ['{"l":[1],"l":[2]}'],
    ['{"l":[1] "m":2}'],
    ['{"l":[1],}'],
    ['{"l":[1]} x'],
    ['{"l":[1,]}'],
    ['{"l":[,1]}'],
    ['{"l":[1'],
    ['{"l":[1e999]}'],
    ['{"l"'],
    ['[1] x'],
    ['x'],
    [''],
    ['{'],
  ])('%s gets the same result as from checkJson', async text => {
    expect(await refusalOf(() => readLongList(text, 'l'))).toEqual(await refusalOf(() => checkJson(text)))
  })
})
