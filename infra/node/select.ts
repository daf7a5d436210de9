// The entry point of the image's containers: loads the function that FUNCTION names.

import { readdirSync } from 'node:fs'
import { invalid } from '../local/exit-error.ts'
import { endStart } from './stop.ts'

const folder = new URL('functions/', import.meta.url)
const names = readdirSync(folder).flatMap(file => /^(.+)\.mjs$/.exec(file)?.[1] ?? [])
const name = process.env.FUNCTION ?? ''
if (names.includes(name)) await import(new URL(`${name}.mjs`, folder).href)
else {
  endStart(invalid(`FUNCTION is "${name}": it must be one of ${names.join(', ')}.`))
}
