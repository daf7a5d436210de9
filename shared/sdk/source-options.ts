// Options of @schedule and @trigger that say where items come from. Guarantee: a wrong option throws at the decorator,
// with a message that names the option.

import type { DeclaredSource } from '../protocol/rules/protocol.ts'
import { declaredSourceProblem } from '../sources/rules/declared-source.ts'
import { SOURCE_FORMATS, type SourceFormat } from '../sources/vocabulary.ts'
import { DecoratorValidationError } from './errors.ts'

/** Which fields of a row hold the item's `item_id` and its `partition_key`. */
export interface RowOptions {
  /** Without it, Assay assigns ids. */
  itemId?: string
  partitionKey?: string
}

/** Where the items of each start come from: a URL with its format, or an `@items` method of the agent. */
export interface SourceOptions extends RowOptions {
  /** Read with a GET at each start; `{date}` and `{scheduled_for}` become its date and time in the schedule's zone. */
  url?: string
  /** Its format. `ndjson`: one JSON value per line. `csv`: names in the first line. `json`: one array of values. */
  format?: SourceFormat
  /** Headers of the GET; put secrets in the deployment's environment: `{ authorization: 'Bearer $EXPORT_TOKEN' }`. */
  headers?: Record<string, string>
  /** Name of the `@items` method, instead of a URL. */
  generator?: string
}

const OPTIONS = ['url', 'format', 'headers', 'generator', 'itemId', 'partitionKey']

/** The source in the format of a declaration. @throws DecoratorValidationError */
export function declaredSource(
  decorator: string,
  options: SourceOptions,
  generators: readonly string[],
): DeclaredSource {
  const refuse = (problem: string): never => {
    throw new DecoratorValidationError(decorator, 'source', problem)
  }
  if (typeof options !== 'object' || options === null) return refuse('must be an object')
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name))
  if (unknown !== undefined) refuse(`${unknown} is not an option: there is ${OPTIONS.join(', ')}`)
  const source = sourceOf(options, declaredFields(decorator, options))
  const problem = typeof source === 'string' ? source : declaredSourceProblem(source, generators)
  return typeof source === 'string' || problem !== undefined ? refuse(problem!) : source
}

/** The source, or in words what is wrong with it. */
function sourceOf(
  { url, format, headers, generator }: SourceOptions,
  fields: ReturnType<typeof declaredFields>,
): DeclaredSource | string {
  if ((url === undefined) === (generator === undefined)) return 'names either a url or a generator'
  if (url === undefined) {
    if (format !== undefined || headers !== undefined) return 'format and headers go with a url'
    return { generator: generator!, ...fields }
  }
  if (!URL.canParse(url) || !/^https?:/.test(url)) return `url ${JSON.stringify(url)} is no http or https URL`
  if (format === undefined || !SOURCE_FORMATS.includes(format))
    return `format must be one of ${SOURCE_FORMATS.join(', ')}`
  if (Object.values(headers ?? {}).some(value => typeof value !== 'string')) return 'headers must be texts'
  return { url, format, ...fields, ...(headers && { headers }) }
}

/** The row's fields in the format of a declaration. @throws DecoratorValidationError */
export function declaredFields(decorator: string, { itemId, partitionKey }: RowOptions) {
  for (const [name, value] of Object.entries({ itemId, partitionKey }))
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw new DecoratorValidationError(decorator, name, 'must be the name of a field')
  return {
    ...(itemId !== undefined && { item_id: itemId }),
    ...(partitionKey !== undefined && { partition_key: partitionKey }),
  }
}
