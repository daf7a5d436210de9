// Reads a recorded value as its step returns it, and has the marks by which it is written. Guarantee: data with the names of
// the marks stay data.

/** Beside the data of an object whose class had getters: their values, in which `{$at: path}` is a part of that data. */
export const GETTERS = '$getters'
export const AT = '$at'
/** In place of a value that was not kept: what it was, in words. */
export const LOST = '$lost'

/** Data with such a name have one more `$` in front of it while they are written. */
const MARK = /^\$+(?:getters|at|lost)$/
export const isMark = (name: string) => name.charCodeAt(0) === 0x24 && MARK.test(name)
export const unescaped = (name: string) => (isMark(name) && name.startsWith('$$') ? name.slice(1) : name)

export type Json = Record<string, unknown>
export type Path = (string | number)[]

/** A recorded value as its step returns it. Changes the value, which is parsed JSON. */
export function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) for (const one of value) revived(one)
  else {
    const object = value as Json
    for (const name of Object.keys(object)) if (name !== GETTERS) revived(object[name])
    const getters = Object.hasOwn(object, GETTERS) ? object[GETTERS] : undefined
    if (isJson(getters)) delete object[GETTERS]
    unescapeNames(object)
    if (isJson(getters)) {
      for (const name of Object.keys(getters)) define(object, name, getters[name])
    }
  }
  return value
}

function unescapeNames(object: Json): void {
  const escaped = Object.keys(object).filter(name => unescaped(name) !== name)
  if (escaped.length === 0) return
  const values = escaped.map(name => object[name])
  for (const name of escaped) delete object[name]
  for (const [i, name] of escaped.entries()) object[unescaped(name)] = values[i]
}

/** Not enumerable, as the getter of a class: a copy, or the value's JSON, has only its data. */
function define(object: Json, name: string, written: unknown): void {
  if (Object.hasOwn(object, name)) return
  const lost = isJson(written) && typeof written[LOST] === 'string' ? written[LOST] : undefined
  if (lost === undefined) {
    const value = resolved(written, object)
    Object.defineProperty(object, name, { value, configurable: true, writable: true })
    return
  }
  Object.defineProperty(object, name, {
    configurable: true,
    get: () => {
      throw new TypeError(`${JSON.stringify(name)} was not kept with the answer: ${lost}`)
    },
  })
}

function resolved(written: unknown, root: Json): unknown {
  if (Array.isArray(written)) return written.map(one => resolved(one, root))
  if (!isJson(written)) return written
  if (Array.isArray(written[AT])) return partAt(root, written[AT])
  if (Object.hasOwn(written, GETTERS)) return revived(written)
  const copy: Json = {}
  for (const name of Object.keys(written)) set(copy, unescaped(name), resolved(written[name], root))
  return copy
}

function partAt(root: unknown, path: readonly unknown[]): unknown {
  let part: unknown = root
  for (const step of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, String(step))) return undefined
    part = (part as Json)[String(step)]
  }
  return part
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Also a property called `__proto__` is one of the object's own. */
export function set(object: Json, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}
