// Makes an example of a JSON schema. Guarantee: the same schema always gives the same example, and the example fits the
// schema, except for patterns of texts. Where the schema only says "a string", the field's name gives the value.

export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  example?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: JsonSchema
  prefixItems?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  $defs?: Record<string, JsonSchema>
  definitions?: Record<string, JsonSchema>
}

const UUID = '019c2b1e-7a40-7c3d-9f21-5be000000000'
const RECORD = '019c2b1e-7a40-7c3d-9f21-5be000000001'
const TIME = '2026-03-02T09:30:00.000Z'

/** For an agent's schema: the level below which only required fields are shown, and the level where sampling stops. */
const DEEP = 4
const TOO_DEEP = 32

const BY_FORMAT: Record<string, string> = {
  email: 'ada@example.com',
  date: '2026-03-02',
  time: '09:30:00Z',
  duration: 'PT1H',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

/** Values by field name, where the schema leaves the value open. */
const BY_NAME: Record<string, unknown> = {
  item_id: 'ticket-4711',
  item_id_prefix: 'ticket-',
  itemId: RECORD,
  record_id: RECORD,
  replayed_from: RECORD,
  partition_key: 'tenant-a',
  slug: 'ticket-triage',
  agent: 'ticket-triage',
  agent_slug: 'ticket-triage',
  name: 'Ticket triage',
  tool_name: 'search_orders',
  model: 'claude-sonnet-4-5',
  input: { ticket: 'Where is my order?' },
  input_snapshot: { ticket: 'Where is my order?' },
  output: { queue: 'shipping' },
  email: 'ada@example.com',
  password: 'correct horse battery',
  key: 'look up the order',
  prefix: 'pk_4fJ0',
  url: 'https://agents.example.com/triage',
  callback_url: 'https://example.com/assay',
  idempotency_key: '2026-03-02-tickets',
  error_code: 'tool_call_error',
  error_message: 'search_orders answered 503',
  degraded_reason: 'the model refused',
  outcome_reason: 'refusal',
  unread: 'The output is no answer that is known: an object with "says".',
  q: 'timeout',
  cursor: 'Zk1xR2…',
  next_cursor: 'Zk1xR2…',
  snippet: 'search_orders answered «503»',
  timezone: 'Europe/Berlin',
  cron: '0 9 * * 1-5',
  code: 'export default …',
  duration_ms: 812.5,
  latency_ms: 1.2,
  cost_usd: 0.0042,
}

export class Sampler {
  readonly #components: Record<string, JsonSchema>
  /** The level below which only required fields are shown. */
  readonly #deep: number
  #depth = 0
  constructor(components: Record<string, JsonSchema>, deep = Number.POSITIVE_INFINITY) {
    this.#components = components
    this.#deep = deep
  }

  sample(schema: JsonSchema, name = ''): unknown {
    if (schema.example !== undefined) return schema.example
    if (schema.const !== undefined) return schema.const
    if (schema.default !== undefined) return schema.default
    if (schema.enum !== undefined) return schema.enum[0]
    if (schema.$ref !== undefined) return this.#named(schema.$ref.split('/').at(-1)!, name)
    const choice = (schema.anyOf ?? schema.oneOf)?.find(one => one.type !== 'null')
    if (choice !== undefined) return this.sample(choice, name)
    if (schema.allOf !== undefined) return this.#merged(schema.allOf, name)
    return this.#typed(schema, name)
  }

  #named(component: string, name: string): unknown {
    // Any JSON value: the field's name says which.
    if (component === 'Json') return name in BY_NAME ? BY_NAME[name] : { any: 'JSON value' }
    return this.#within(() => this.sample(this.#components[component] ?? {}, name))
  }

  #merged(parts: JsonSchema[], name: string): unknown {
    const values = parts
      .filter(part => part.$ref ?? part.type ?? part.properties)
      .map(p => this.sample(p, name))
    const objects = values.filter(value => typeof value === 'object' && value !== null)
    return objects.length === values.length ? Object.assign({}, ...objects) : values[0]
  }

  #typed(schema: JsonSchema, name: string): unknown {
    const type = Array.isArray(schema.type) ? schema.type.find(one => one !== 'null') : schema.type
    switch (type) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return this.#array(schema, name.replace(/s$/, ''))
      case 'integer':
      case 'number':
        return number(schema, BY_NAME[name])
      case 'boolean':
        return false
      case 'string':
        return text(schema, name)
      default:
        return name in BY_NAME ? BY_NAME[name] : {}
    }
  }

  #array({ items, prefixItems = [], minItems = 0, maxItems = 1 }: JsonSchema, name: string): unknown[] {
    const first = prefixItems.map(item => this.#within(() => this.sample(item, name)))
    const more = Math.max(minItems, Math.min(1, maxItems)) - first.length
    if (more <= 0 || (this.#depth >= this.#deep && minItems === 0)) return first
    return [...first, ...Array(more).fill(this.#within(() => this.sample(items ?? {}, name)))]
  }

  /** A schema that refers to itself loses its optional fields at some depth, and fails at TOO_DEEP. */
  #within<T>(sample: () => T): T {
    if (this.#depth > TOO_DEEP) throw new RangeError('The schema asks for itself without an end.')
    this.#depth++
    try {
      return sample()
    } finally {
      this.#depth--
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: JsonSchema): Record<string, unknown> {
    const entries = Object.entries(properties)
      .filter(([name]) => this.#depth < this.#deep || required.includes(name))
      .map(([name, schema]) => [name, this.#within(() => this.sample(schema, name))])
    if (entries.length === 0 && typeof additionalProperties === 'object')
      return { NAME: this.sample(additionalProperties) }
    return Object.fromEntries(entries)
  }
}

function number(schema: JsonSchema, known: unknown): number {
  const { exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const width = (schema.maximum ?? exclusiveMaximum ?? 100) - (schema.minimum ?? exclusiveMinimum ?? 0)
  // How far from an exclusive bound: bounds of numbers may be less than 1 apart.
  const inside = ![schema.type].flat().includes('integer') && width > 0 ? Math.min(1, width / 2) : 1
  const { maximum = exclusiveMaximum === undefined ? 100 : exclusiveMaximum - inside } = schema
  const { minimum = exclusiveMinimum === undefined ? Math.min(0, maximum) : exclusiveMinimum + inside } =
    schema
  const within = Math.min(
    Math.max(typeof known === 'number' ? known : 1, minimum),
    Math.max(minimum, maximum),
  )
  if (multipleOf === undefined) return within
  const above = Math.ceil(within / multipleOf) * multipleOf
  return above <= Math.max(minimum, maximum) ? above : Math.floor(within / multipleOf) * multipleOf
}

function text(schema: JsonSchema, name: string): string {
  if (schema.format === 'uuid') return typeof BY_NAME[name] === 'string' ? BY_NAME[name] : UUID
  if (schema.format === 'date-time') return TIME
  if (schema.format !== undefined && schema.format in BY_FORMAT) return BY_FORMAT[schema.format]!
  const known = BY_NAME[name]
  if (typeof known === 'string') return sized(known, schema)
  return schema.format === 'uri' ? 'https://example.com/' : sized(name.replaceAll('_', ' ') || 'text', schema)
}

const sized = (text: string, { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema) =>
  text.length < minLength ? text.padEnd(minLength, '.') : text.slice(0, maxLength)

/** A value that an agent's input schema accepts; undefined where the schema is no object, or recurses without end. */
export function sampleOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined
  const { $defs, definitions } = schema as JsonSchema
  try {
    const components = { ...definitions, ...$defs, '#': schema as JsonSchema }
    return new Sampler(components, DEEP).sample(schema as JsonSchema)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
