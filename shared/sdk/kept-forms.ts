// What becomes of the language's and the host's own classes when a value is kept as JSON, and what to return in place of those
// that have no form there.

import { isA } from './errors.ts'

type Form = { data: unknown; error?: true } | { unkept: string }

/** What becomes of instances of the language's and the host's own classes; undefined for those of others. */
export function formOf(value: object): Form | undefined {
  if (ArrayBuffer.isView(value)) return formOfView(value)
  if (isA(value, Error)) return { data: errorData(value), error: true }
  const tag = tagOf(value)
  if (tag === 'Object' || typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined
  if (tag === 'String' || tag === 'Number' || tag === 'Boolean') return { data: value.valueOf() }
  if (tag === 'Error') return { data: errorData(value as Error), error: true }
  return {
    unkept: `${articled(tag)}${INSTEAD[tag] ?? ', which JSON has no form for; return the data in it'}`,
  }
}

/** What the language or the host calls it. The name that an agent's own class gives itself says nothing of its data. */
function tagOf(value: object): string {
  for (let one: object | null = value; one !== null; one = Object.getPrototypeOf(one)) {
    if (!Object.hasOwn(one, Symbol.toStringTag) || isOwn(one, value)) continue
    const tag: unknown = Reflect.get(one, Symbol.toStringTag, value)
    if (typeof tag === 'string') return tag
  }
  return Symbol.toStringTag in value ? 'Object' : Object.prototype.toString.call(value).slice(8, -1)
}

/** Whether what has the name is the object itself, or the prototype of a class that is no global one. */
function isOwn(named: object, value: object): boolean {
  if (named === value) return true
  const made = named.constructor
  if (typeof made !== 'function' || made.prototype !== named) return false
  const isGlobal = (globalThis as Record<string, unknown>)[made.name] === made
  return !isGlobal && !Function.prototype.toString.call(made).includes('[native code]')
}

function formOfView(value: ArrayBufferView): Form {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (/^(?:Float|Int|Uint(?:16|32))/.test(tag)) return { data: Array.from(value as Float64Array) }
  if (tag.startsWith('Big')) return { unkept: `a ${tag}; return its numbers as texts` }
  return { unkept: `a ${tag}, which are bytes; ${BYTES}` }
}

const BYTES = 'return their text, or Buffer.from(bytes).toString("base64")'

/** What to return instead. */
const INSTEAD: Record<string, string> = {
  Map: '; return an object, Object.fromEntries(map)',
  Set: '; return a list, [...set]',
  Response: '; return what it holds, await response.json()',
  Request: '; return its url, or what it holds',
  Promise: ' that nobody awaited; await it before it is returned',
  RegExp: '; return its source',
  Headers: '; return an object, Object.fromEntries(headers)',
  FormData: '; return an object, Object.fromEntries(form)',
  URLSearchParams: '; return its text, String(params)',
  ArrayBuffer: `, which are bytes; ${BYTES}`,
  SharedArrayBuffer: `, which are bytes; ${BYTES}`,
  Blob: '; return its text, or its bytes as base64',
  File: '; return its text, or its bytes as base64',
  ReadableStream: '; read it to its end, and return what it held',
  Generator: '; return a list, [...generator]',
  AsyncGenerator: '; read it to its end, and return a list',
}

const articled = (name: string) => `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`

function errorData({ name, message, code }: Error & { code?: unknown }): Record<string, unknown> {
  const isCode = typeof code === 'string' || typeof code === 'number'
  return { name: String(name), message: String(message), ...(isCode && { code }) }
}
