// Makes an example of a JSON schema. Guarantee: the same schema always gives the same example, and the example
// fits the schema; what a value looks like is told by its name where the schema says no more than "a string".

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
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
}

const UUID = '019c2b1e-7a40-7c3d-9f21-5be000000000'
const RECORD = '019c2b1e-7a40-7c3d-9f21-5be000000001'
const TIME = '2026-03-02T09:30:00.000Z'

/** By the name of a field, where its schema leaves the value open. */
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
  constructor(components: Record<string, JsonSchema>) {
    this.#components = components
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
    // Any JSON value: what it may be is told by the field.
    if (component === 'Json') return name in BY_NAME ? BY_NAME[name] : { any: 'JSON value' }
    return this.sample(this.#components[component] ?? {}, name)
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
        return [this.sample(schema.items ?? {}, name.replace(/s$/, ''))]
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

  #object({ properties = {}, additionalProperties }: JsonSchema): Record<string, unknown> {
    const entries = Object.entries(properties).map(([name, schema]) => [name, this.sample(schema, name)])
    if (entries.length === 0 && typeof additionalProperties === 'object')
      return { NAME: this.sample(additionalProperties) }
    return Object.fromEntries(entries)
  }
}

function number({ minimum = 0, maximum = 100 }: JsonSchema, known: unknown): number {
  return Math.min(Math.max(typeof known === 'number' ? known : 1, minimum), Math.max(minimum, maximum))
}

function text(schema: JsonSchema, name: string): string {
  if (schema.format === 'uuid') return typeof BY_NAME[name] === 'string' ? BY_NAME[name] : UUID
  if (schema.format === 'date-time') return TIME
  const known = BY_NAME[name]
  if (typeof known === 'string') return known
  return schema.format === 'uri' ? 'https://example.com/' : name.replaceAll('_', ' ') || 'text'
}
