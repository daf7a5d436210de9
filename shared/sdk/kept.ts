// What a step returns. Guarantee: the first attempt gets what every later one gets, since both read the same JSON; the getters
// of a client's answer stay in place; and what JSON has no form for is an error that names it, when it is returned or, inside
// of an answer, when it is read.

import { isA, messageOf, UnkeptError } from './errors.ts'
import { formOf } from './kept-forms.ts'
import type { Kept } from './kept-types.ts'
import { ownMask } from './own-mask.ts'
import {
  AT,
  GETTERS,
  isJson,
  isMark,
  type Json,
  LOST,
  type Path,
  revived,
  set,
  unescaped,
} from './revived.ts'

/**
 * A value as JSON text, and as it comes out of that; nothing is written of `undefined`. Secrets of the environment are left
 * out here, since they are in nothing that a later attempt finds.
 *
 * @throws UnkeptError
 */
export function kept<T>(value: T, what: string): KeptValue<T> {
  const written = writtenJson(value, what, new Writer('keeps getters'))
  const text = written && ownMask().json(written)
  const copy = () => (text === undefined ? undefined : revived(JSON.parse(text))) as Kept<T>
  return { text, value: copy(), copy }
}

interface KeptValue<T> {
  text: string | undefined
  value: Kept<T>
  /** For code that may change what it is given. */
  copy(): Kept<T>
}

/** A value that is only written, such as an item's output: getters are left out, as JSON does. @throws UnkeptError */
export const outputJson = (value: unknown, what: string): string | undefined =>
  writtenJson(value, what, new Writer('data alone'))

function writtenJson(value: unknown, what: string, writer: Writer): string | undefined {
  if (value === undefined) return undefined
  try {
    return JSON.stringify(writer.json(value))
  } catch (error) {
    const why = isA(error, RangeError) ? 'it is nested too deeply' : messageOf(error)
    throw new UnkeptError(`${what} cannot be written as JSON: ${why}`)
  }
}

const hasJson = (value: unknown): value is { toJSON(name: string): unknown } =>
  typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** A value that JSON has no form for. */
class Unkept extends Error {
  /** What it is, and what to return instead. */
  readonly words: string
  constructor(path: Path, words: string) {
    super(`${path.length === 0 ? 'it' : nameOf(path)} is ${words}`)
    this.words = words
  }
}

const nameOf = (path: Path): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')

/** Texts shorter than this are written twice rather than as a place. */
const SHORT = 64

/** Makes the data of a value: the value itself where it is data already, and copies where it is not. */
class Writer {
  readonly #keepsGetters: boolean
  readonly #path: Path = []
  readonly #above = new Set<object>()
  /** What became of objects inside of instances: a getter may return the same ones. */
  readonly #made = new Map<object, unknown>()
  readonly #places = new Places()
  /** How many instances of classes are around. Inside of one, what cannot be kept is an error only for whoever reads it. */
  #instances = 0

  constructor(getters: 'keeps getters' | 'data alone') {
    this.#keepsGetters = getters === 'keeps getters'
  }

  json(value: unknown): unknown {
    const type = typeof value
    if (type === 'object') return value === null ? null : this.#object(value as object)
    if (type === 'function') throw this.#unkept('a function, which does not outlast its attempt')
    if (type === 'symbol') throw this.#unkept('a symbol')
    if (type === 'bigint') {
      const { toJSON } = value as { toJSON?: unknown }
      if (typeof toJSON === 'function') return this.json(toJSON.call(value))
      throw this.#unkept('a bigint; return its text, String(value)')
    }
    return value
  }

  #object(value: object): unknown {
    const made = this.#made.get(value)
    if (made !== undefined) return made
    if (this.#above.has(value)) throw this.#unkept('a part of itself: a circular structure')
    this.#above.add(value)
    const data = Array.isArray(value) ? this.#list(value) : this.#record(value)
    this.#above.delete(value)
    if (this.#instances > 0) this.#made.set(value, data)
    return data
  }

  #list(list: readonly unknown[]): unknown {
    let copy: unknown[] | undefined
    for (let i = 0; i < list.length; i++) {
      const value = list[i]
      const data = this.#part(i, value)
      if (data === value) continue
      copy ??= [...list]
      copy[i] = data instanceof Unkept ? null : data
    }
    return copy ?? list
  }

  #record(value: object): unknown {
    const proto = Object.getPrototypeOf(value)
    const { toJSON } = value as { toJSON?: unknown }
    if (proto !== null && Object.getPrototypeOf(proto) !== null) return this.#instance(value, proto)
    if (typeof toJSON === 'function') return this.#ownJson(value)
    const names = Object.keys(value)
    const data = this.#data(value as Json, names, names)
    return this.#path.length === 0 && this.#keepsGetters ? withHidden(value, data) : data
  }

  /** What its toJSON makes of it; as in JSON, a result of the same class is data, and not asked again. */
  #ownJson(value: object): unknown {
    const asked = new Set<unknown>()
    let result: unknown = value
    while (hasJson(result) && !asked.has(Object.getPrototypeOf(result))) {
      asked.add(Object.getPrototypeOf(result))
      result = result.toJSON('')
    }
    if (!hasJson(result)) return this.json(result)
    const data = { ...result } as Json
    delete data.toJSON
    const names = Object.keys(data)
    return this.#data(data, names, names)
  }

  /** The named properties; `all` if they are all that the object has. */
  #data(value: Json, names: readonly string[], all: readonly string[]): Json {
    const isMarked = this.#keepsGetters && names.some(isMark)
    let copy: Json | undefined = names === all && !isMarked ? undefined : {}
    let lost: Json | undefined
    for (const name of names) {
      const own = value[name]
      const data = this.#part(name, own)
      if (data instanceof Unkept) {
        copy ??= { ...value }
        delete copy[name]
        lost ??= {}
        set(lost, name, { [LOST]: data.words })
      } else if (data !== own || copy !== undefined) {
        copy ??= { ...value }
        set(copy, isMarked && isMark(name) ? `$${name}` : name, data)
      }
    }
    if (lost !== undefined && this.#keepsGetters) copy![GETTERS] = lost
    return copy ?? value
  }

  /** A part, or why it is not kept. @throws Unkept outside of instances */
  #part(name: string | number, value: unknown): unknown {
    if (typeof value === 'string' || typeof value === 'number') return value
    this.#path.push(name)
    try {
      return this.json(value)
    } catch (error) {
      if (this.#mayLose(value) && error instanceof Unkept) return error
      throw error
    } finally {
      this.#path.pop()
    }
  }

  /** JSON leaves out functions; what an output has beside them would be `{}`, which nobody could read again. */
  #mayLose(value: unknown): boolean {
    return this.#instances > 0 && (this.#keepsGetters || typeof value === 'function')
  }

  #instance(value: object, proto: object): unknown {
    // Nobody else awaits it: left alone, its failure would end the process with all its other items.
    if (isA(value, Promise)) value.catch(() => {})
    const form = formOf(value)
    if (form !== undefined) {
      if ('unkept' in form) throw this.#unkept(form.unkept)
      if ('error' in form && !this.#keepsGetters)
        throw this.#unkept('an Error; throw it, or return its message')
      return form.data
    }
    const { toJSON } = value as { toJSON?: unknown }
    const names = Object.keys(value)
    const isMessage = 'lc_serializable' in value
    this.#instances++
    try {
      let data: unknown
      if (typeof toJSON === 'function' && !(isMessage && this.#keepsGetters)) data = this.#ownJson(value)
      // LangChain's own JSON of a message has its parts in other places than the message.
      else data = this.#data(value as Json, isMessage ? names.filter(isOpen) : names, names)
      if (!this.#keepsGetters || !isJson(data)) return data
      const getters = this.#getters(value, proto, data)
      if (getters !== undefined)
        return { ...data, [GETTERS]: { ...(data[GETTERS] as Json | undefined), ...getters } }
      if (names.length === 0 && typeof toJSON !== 'function') throw this.#unkept(stateOf(proto))
      return data
    } finally {
      this.#instances--
    }
  }

  /** What the getters of its classes return; undefined if there are none, or nothing. */
  #getters(value: object, proto: object, data: Json): Json | undefined {
    const names = getterNames(proto).filter(name => !Object.hasOwn(data, name))
    if (names.length === 0) return undefined
    const getters: Json = {}
    let isAny = false
    for (const name of names) {
      const got = quietly(() => (value as Json)[name])
      if (got === undefined) continue
      const part = this.#part(name, got)
      if (!isAny) this.#places.add(data)
      set(getters, name, part instanceof Unkept ? { [LOST]: part.words } : placed(part, data, this.#places))
      isAny = true
    }
    return isAny ? getters : undefined
  }

  #unkept(words: string): Unkept {
    return new Unkept([...this.#path], words)
  }
}

/** What clients write on an answer so that it is not listed, such as `_request_id`. */
function withHidden(value: object, data: Json): Json {
  const all = Object.getOwnPropertyNames(value)
  if (all.length === Object.keys(value).length) return data
  const hidden: Json = {}
  for (const name of all) {
    const { enumerable, value: own } = Object.getOwnPropertyDescriptor(value, name)!
    if (!enumerable && ['string', 'number', 'boolean'].includes(typeof own)) set(hidden, name, own)
  }
  return Object.keys(hidden).length === 0 ? data : { ...data, [GETTERS]: hidden }
}

/** A field that is neither of LangChain's own serialization nor private. */
const isOpen = (name: string) => !/^(?:lc_|[_$])/.test(name)

const names = new WeakMap<object, readonly string[]>()

function getterNames(proto: object): readonly string[] {
  const known = names.get(proto)
  if (known !== undefined) return known
  const found = new Set<string>()
  for (let one = proto; Object.getPrototypeOf(one) !== null; one = Object.getPrototypeOf(one))
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(one)))
      if (get !== undefined && isOpen(name)) found.add(name)
  names.set(proto, [...found])
  return [...found]
}

/** Reads a getter; one that throws has no value. Google's warn whenever they are read, whether anybody asked or not. */
function quietly(read: () => unknown): unknown {
  const { warn } = console
  console.warn = () => {}
  try {
    return read()
  } catch {
    return undefined
  } finally {
    console.warn = warn
  }
}

/**
 * Where objects and long texts stand in the data of instances, which are added from the inside out. Each object is looked
 * into once; of several places it has the latest, which is in the instance that was added last, if any is.
 */
class Places {
  readonly #of = new Map<unknown, { parent: object; name: string | number }>()
  readonly #added = new Set<object>()

  add(data: object): void {
    if (this.#added.has(data)) return
    this.#added.add(data)
    if (Array.isArray(data)) for (const [i, one] of data.entries()) this.#place(one, data, i)
    else
      for (const name of Object.keys(data))
        if (name !== GETTERS) this.#place((data as Json)[name], data, unescaped(name))
  }

  #place(value: unknown, parent: object, name: string | number): void {
    if (typeof value === 'string' ? value.length < SHORT : typeof value !== 'object' || value === null) return
    this.#of.set(value, { parent, name })
    if (typeof value === 'object') this.add(value as object)
  }

  /** The way to a part of an instance's data; undefined for what is none. */
  path(value: unknown, root: object): Path | undefined {
    const path: Path = []
    for (let place = this.#of.get(value); place !== undefined; place = this.#of.get(place.parent)) {
      path.push(place.name)
      if (place.parent === root) return path.reverse()
    }
    return undefined
  }
}

/** A getter's value with the places of what the data has already. */
function placed(value: unknown, root: object, places: Places): unknown {
  const path = typeof value === 'object' || typeof value === 'string' ? places.path(value, root) : undefined
  if (path !== undefined) return { [AT]: path }
  if (Array.isArray(value)) return value.map(one => placed(one, root, places))
  if (!isJson(value) || Object.hasOwn(value, GETTERS)) return value
  const copy: Json = {}
  for (const name of Object.keys(value)) set(copy, name, placed(value[name], root, places))
  return copy
}

const stateOf = (proto: object) =>
  `an instance of ${proto.constructor?.name || 'a class'} without any data; return the data that is needed later`
