// Formats numbers, times, money and foreign text for a terminal. Guarantee: no text from outside can move the cursor or
// change colours.

import { stripVTControlCharacters } from 'node:util'
import { count, counted, money } from '../prices/rules/amounts.ts'

export { count, counted as plural, money }

const UNSAFE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu
const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Text of an item, an agent or a model on one line, without control characters. */
export const clean = (text: string) => text.replace(UNSAFE, ' ')

/** The number of columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  const plain = stripVTControlCharacters(text)
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length
  let width = 0
  for (const character of plain) width += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Cuts a text without colours to `columns`, with an ellipsis at the cut. */
export function shorten(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let width = 1
  let kept = ''
  for (const character of text) {
    width += widthOf(character)
    if (width > columns) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** The whole text, in pieces of at most `columns` columns. */
export function pieces(text: string, columns: number): string[] {
  const found = ['']
  for (const character of text) {
    if (widthOf(found.at(-1)!) + widthOf(character) > columns) found.push('')
    found[found.length - 1] += character
  }
  return found
}

export function pad(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)))
  return align === 'right' ? space + text : text + space
}

/** Money with `≥` if the sum leaves out models without a known price, which makes it a lower bound. */
export const spend = (usd: number, unpriced: boolean) => `${unpriced ? '≥' : ''}${money(usd)}`

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return clock(ms)
}

/** `0:09`, `12:34`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  if (size < 1024 ** 2) return `${(size / 1024).toFixed(1)} KiB`
  return size < 1024 ** 3 ? `${(size / 1024 ** 2).toFixed(1)} MiB` : `${(size / 1024 ** 3).toFixed(2)} GiB`
}

/** A time to the minute, in UTC. @example '2026-03-02 09:30' */
export const minute = (at: string) => at.slice(0, 16).replace('T', ' ')

/** How long ago, in the largest unit that fits, such as `5m ago`. */
export function ago(then: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(then)) / 1000)
  if (seconds < 60) return `${Math.floor(seconds)}s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h ago` : `${Math.floor(seconds / 86_400)}d ago`
}

/** How far ahead, in the largest unit that fits, such as `in 5m`. */
export function ahead(then: string, now: number): string {
  const seconds = (Date.parse(then) - now) / 1000
  if (seconds <= 0) return 'now'
  if (seconds < 60) return `in ${Math.ceil(seconds)}s`
  if (seconds < 3600) return `in ${Math.round(seconds / 60)}m`
  return seconds < 86_400 * 2 ? `in ${Math.round(seconds / 3600)}h` : `in ${Math.round(seconds / 86_400)}d`
}

/** A JSON value on one line of bounded width. */
export function brief(value: unknown, columns: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  // Cut before cleaning, so that a payload of a megabyte costs no more than a short one.
  return shorten(clean(text.slice(0, columns * 4)), columns)
}

/** Breaks a text at its spaces into lines of at most `columns` columns; a longer word gets its own line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= columns)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
