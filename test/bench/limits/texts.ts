// The items of a run under limits: questions of different lengths, since calls that all cost the same would be easy to pace.

import { draw, lognormal } from '../../support/provider/random.ts'

const SENTENCE = 'Where is my parcel? It was sent ten days ago, and nobody answers. '
const SIGMA = 0.4
/** Letters of a request besides its text: names of fields, the schema of the answer (classify.ts). */
const FRAME_LETTERS = 385
const LETTERS_OF_TOKEN = 4

/** What a call of an item takes on average, as the double estimates it. */
export const meanTokens = (letters: number): number =>
  (FRAME_LETTERS + letters * Math.exp(SIGMA ** 2 / 2)) / LETTERS_OF_TOKEN

/** Half of the texts are shorter than `letters`. Runs on one key have names of their own: the double knows items by them. */
export function textOf(run: number, item: number, letters: number): string {
  const length = Math.round(lognormal(letters, SIGMA, 'text', run, item))
  const start = Math.floor(draw('start', run, item) * SENTENCE.length)
  const text = SENTENCE.repeat(Math.ceil(length / SENTENCE.length) + 1).slice(start, start + length)
  return `item-${run}-${item}: ${text}`
}

export function linesOf(run: number, items: number, letters: number): ReadableStream<Uint8Array> {
  const line = (item: number) => {
    const input = { id: String(item), text: textOf(run, item, letters) }
    return `${JSON.stringify({ item_id: `item-${run}-${item}`, input })}\n`
  }
  return new Blob(Array.from({ length: items }, (_, item) => line(item))).stream()
}
