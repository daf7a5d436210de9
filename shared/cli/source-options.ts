// The options of schedules and triggers that say where items come from.

import { defined } from '../kernel/defined.ts'
import { isEmptyHeader } from '../sources/rules/source.ts'
import { SOURCE_FORMATS, type SourceFormat } from '../sources/vocabulary.ts'
import type { Schemas } from './api.ts'
import type { Given, Option } from './arguments.ts'
import { usageFailure } from './failure.ts'

export const SOURCE_OPTIONS: readonly Option[] = [
  {
    name: 'source',
    value: 'URL',
    none: true,
    about:
      'or else where the items of each run are read; {date} and {scheduled_for} stand for its moment; none is no source or generator any more',
  },
  {
    name: 'generator',
    value: 'NAME',
    about: 'or else a method of the agent under @items, which makes the items of each run',
  },
  {
    name: 'format',
    value: 'FORMAT',
    choices: SOURCE_FORMATS,
    about:
      'how the URL writes its rows; by default what its end says, or else ndjson, or json where all is one array',
  },
  { name: 'item-id', value: 'FIELD', none: true, about: 'the field of a row that is its item_id, or none' },
  {
    name: 'partition-key',
    value: 'FIELD',
    none: true,
    about: 'the field of a row that is its partition_key, or none',
  },
  {
    name: 'header',
    value: 'NAME: VALUE',
    kind: 'list',
    about: 'sent to the source, kept sealed and never shown; may be given again',
  },
]

interface SourceContext {
  /** The fields of rows may also be of the body of a fire. */
  takesBody?: boolean
  known?: Schemas['Source'] | null
}

/**
 * The source that the options give; null for none, undefined if they are about none. `known` is the source that it
 * replaces: while it stays a URL or a generator, the fields of its rows that are not named stay.
 */
export function sourceOf(given: Given, { takesBody = false, known = null }: SourceContext = {}) {
  const [url, generator] = [given.text('source'), given.text('generator')]
  const format = given.text('format') as SourceFormat | undefined
  const headers = headersOf(given)
  const fields = rowFields(given)
  const staysOfKind = known !== null && (known.url === null) === (url === undefined)
  const rows = {
    ...(staysOfKind && { item_id: known.item_id, partition_key: known.partition_key }),
    ...fields,
  }
  if (url === 'none') {
    const other = ['generator', 'format', 'item-id', 'partition-key', 'header'].find(
      name => given.text(name) !== undefined,
    )
    if (other !== undefined)
      throw usageFailure(`--source none takes the source away, and --${other} is of one`)
    return null
  }
  if (url !== undefined && generator !== undefined)
    throw usageFailure('--source and --generator exclude each other: items come from one of them')
  if (url === undefined && (headers !== undefined || format !== undefined))
    throw usageFailure('--format and --header say how --source is read')
  if (generator !== undefined) return { generator, ...rows }
  if (url !== undefined) return { url, ...rows, ...defined({ format, headers }) }
  if (!takesBody && Object.keys(fields).length > 0)
    throw usageFailure('--item-id and --partition-key name fields of what --source or --generator brings')
  return undefined
}

/** The fields of rows that are named; null for none. */
export function rowFields(given: Given): { item_id?: string | null; partition_key?: string | null } {
  return defined({ item_id: given.textOrNone('item-id'), partition_key: given.textOrNone('partition-key') })
}

function headersOf(given: Given): Record<string, string> | undefined {
  const headers = given.list('header').map(text => {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw usageFailure(`--header takes 'NAME: VALUE', not ${JSON.stringify(text)}`)
    if (isEmptyHeader(name.trim(), value))
      throw usageFailure(`--header ${name.trim()} has no value in ${JSON.stringify(text)}`, {
        hint: 'is the shell variable that was to fill it set?',
      })
    return [name.trim(), value]
  })
  return headers.length > 0 ? Object.fromEntries(headers) : undefined
}
