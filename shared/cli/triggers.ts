// The commands about triggers. A secret is never taken from the command line, where others could read it.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { sampleBody } from '../triggers/rules/sample-body.ts'
import type { SignatureScheme } from '../triggers/vocabulary.ts'
import { answered, findAgent, type Schemas } from './api.ts'
import { fieldsGiven, type Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { ago } from './format.ts'
import { refuseOpenBudget } from './held-budget.ts'
import { printList } from './listing.ts'
import type { Screen } from './output.ts'
import { BY_ID, bodyPageOf, everyRow, type PageQuery } from './pages.ts'
import type { Session } from './session.ts'
import { rowFields, sourceOf } from './source-options.ts'
import { START_SETTINGS } from './start-options.ts'
import { factLines, startFacts } from './start-view.ts'
import { type Column, table } from './table.ts'
import { inputSchema } from './versions.ts'

type Trigger = Schemas['Trigger']
type NewTrigger = Schemas['NewTrigger']

export async function triggers(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const filter = await ofAgent(session, given.text('agent'))
  const columns: Column<Trigger>[] = [
    { title: 'NAME', value: row => row.name },
    { title: 'AGENT', value: row => row.agent_slug, least: 8, optional: 1 },
    { title: 'SCHEME', value: row => row.scheme, optional: 2 },
    { title: 'ITEMS', value: itemsWord, optional: 3 },
    {
      title: 'LAST FIRED',
      value: row => stateOf(row, now()),
      style: row => (row.ready ? undefined : 'yellow'),
    },
    { title: 'URL', value: row => row.url },
  ]
  return printList<Trigger>(session, given, {
    event: 'trigger',
    empty: 'no triggers yet',
    page: LIMITS.triggers_page.max,
    read: triggersPage(api, filter),
    ...BY_ID,
    text: (rows, screen) => table(columns, rows, screen),
  })
}

function itemsWord({ items, source }: Trigger): string {
  if (source === null) return items ? 'many, its body' : 'one, its body'
  return source.url ?? `what ${source.generator} yields`
}

function stateOf({ ready, last_fired_at }: Trigger, now: number): string {
  if (!ready) return 'needs its secret'
  return last_fired_at === null ? 'never' : ago(last_fired_at, now)
}

export async function create(session: Session, given: Given): Promise<void> {
  const slug = given.text('agent')
  if (slug === undefined) throw usageFailure('--agent is missing', { next: 'assay triggers create --help' })
  const { id: agent_id } = await findAgent(session.api, slug)
  const scheme = given.text('scheme') as SignatureScheme | undefined
  const secret_env = given.text('secret-env')
  const body = {
    agent_id,
    name: given.arg(0),
    ...defined({ scheme, secret_env }),
    ...fieldsGiven(given, START_SETTINGS),
    ...signingSecretOf(session, given),
    ...itemsOf(given),
  }
  await refuseOpenBudget(session, body)
  return printTrigger(session, 'trigger_created', await answered(session.api.POST('/v1/triggers', { body })))
}

/** Where the items of fires come from; empty if each fire is one item with the body as input. */
function itemsOf(
  given: Given,
  known: Trigger['source'] = null,
): Pick<Schemas['TriggerOrder'], 'items' | 'item_id' | 'partition_key' | 'source'> {
  const items = given.flag('items')
  const source = sourceOf(given, { takesBody: items, known })
  if (items && source)
    throw usageFailure('--items takes the body of a fire as items, instead of --source or --generator')
  if (items) return { items, ...rowFields(given) }
  if (source !== undefined) return { source }
  return given.flag('no-items') ? { items: false } : {}
}

export async function show(session: Session, given: Given): Promise<void> {
  const trigger = await findTrigger(session, given)
  session.output.emit('trigger', trigger, screen => shownText(trigger, session.now(), screen))
}

export async function update(session: Session, given: Given): Promise<void> {
  const settings = fieldsGiven(given, START_SETTINGS)
  if (Object.keys({ ...settings, ...itemsOf(given) }).length === 0)
    throw usageFailure('nothing to change', { next: 'assay triggers update --help' })
  const { source, agent_id, allow_unpriced } = await findTrigger(session, given)
  await refuseOpenBudget(session, { agent_id, allow_unpriced, ...settings })
  const trigger = await changed(session, given, { ...settings, ...itemsOf(given, source) })
  session.output.emit('trigger_changed', trigger, screen => shownText(trigger, session.now(), screen))
}

export function shownText(trigger: Trigger, now: number, screen: Screen): string {
  const { name, agent_slug, url, scheme } = trigger
  return [
    `${screen.paint('bold', name)} starts ${agent_slug}`,
    ...factLines(
      [
        ['url', url],
        ['scheme', scheme],
        ['items', itemsWord(trigger)],
        ['last fired', stateOf(trigger, now)],
        ...startFacts(trigger),
      ],
      screen,
    ),
  ].join('\n')
}

export async function rename(session: Session, given: Given): Promise<void> {
  const body = { name: given.arg(1), ...signingSecretOf(session, given) }
  return printTrigger(session, 'trigger_renamed', await changed(session, given, body))
}

export async function giveSecret(session: Session, given: Given): Promise<void> {
  const body = signingSecretOf(session, given)
  if (body.signing_secret === undefined)
    throw usageFailure('--signing-secret is missing', { next: 'assay triggers secret --help' })
  const trigger = await changed(session, given, body)
  session.output.emit(
    'trigger_changed',
    trigger,
    () => `${trigger.name} checks signatures with the new secret`,
  )
}

export async function remove(session: Session, given: Given): Promise<void> {
  const path = { triggerId: (await findTrigger(session, given)).id }
  const gone = await answered(session.api.DELETE('/v1/triggers/{triggerId}', { params: { path } }))
  session.output.emit('trigger_deleted', gone, () => `${gone.name} is deleted: its URL answers 404`)
}

async function changed(session: Session, given: Given, body: Schemas['TriggerChanges']) {
  const path = { triggerId: (await findTrigger(session, given)).id }
  return answered(session.api.PATCH('/v1/triggers/{triggerId}', { params: { path }, body }))
}

function signingSecretOf({ env }: Session, given: Given): { signing_secret?: string } {
  const name = given.text('signing-secret')
  if (name === undefined) return {}
  const signing_secret = env[name]
  if (signing_secret) return { signing_secret }
  throw usageFailure(`--signing-secret names ${name}, which is not set`, {
    hint: 'it names a variable, so that the secret stays out of the process list',
  })
}

/** Finds a trigger by name or id. @throws Failure `not_found` that lists the triggers, or `usage` if several match */
async function findTrigger(session: Session, given: Given): Promise<Trigger> {
  const name = given.arg(0)
  const filter = await ofAgent(session, given.text('agent'))
  const rows: Trigger[] = []
  for await (const row of everyRow(triggersPage(session.api, filter), LIMITS.triggers_page.max))
    rows.push(row)
  const found = rows.filter(row => row.name === name || row.id === name)
  if (found.length === 1) return found[0]!
  if (found.length > 1) {
    const agents = found.map(row => row.agent_slug).join(', ')
    throw usageFailure(`several agents have a trigger "${name}": ${agents}`, {
      hint: 'name one with --agent SLUG',
    })
  }
  const known = rows.map(row => row.name).slice(0, 10)
  throw new Failure(EXIT.api, 'not_found', `there is no trigger "${name}"`, {
    hint: known.length > 0 ? `there are: ${known.join(', ')}` : 'none has been made yet',
    next: 'assay triggers',
  })
}

const ofAgent = async ({ api }: Session, slug: string | undefined) =>
  defined({ agent_id: slug && (await findAgent(api, slug)).id })

const triggersPage = (api: Session['api'], filter: { agent_id?: string }) => (page: PageQuery) =>
  bodyPageOf(api.GET('/v1/triggers', { params: { query: { ...filter, ...page } } }), found => found.triggers)

async function printTrigger({ api, output }: Session, event: string, trigger: NewTrigger): Promise<void> {
  const schema = await inputSchema(api, { id: trigger.agent_id })
  output.emit(event, trigger, screen => triggerText(trigger, screen, schema))
}

/** The text a person needs to set up the sender: URL, secret, and what is still missing. */
export function triggerText(trigger: NewTrigger, { paint, program }: Screen, input_schema?: unknown): string {
  const { name, agent_slug, scheme, url, secret, secret_env, ready } = trigger
  const lines = [`${paint('bold', name)} starts ${agent_slug}`, `${paint('dim', 'url   ')}  ${url}`]
  if (secret !== null) {
    lines.push(`${paint('dim', 'secret')}  ${secret}`)
    const place = secret_env === null ? 'Keep it' : `Keep it as ${secret_env} where the sender runs`
    lines.push(`${place}: this is the only time it is shown.`)
  }
  if (!ready) {
    lines.push(
      '',
      `Give ${scheme} this URL. It makes a secret of its own: until that is known here, every fire is refused.`,
      `  SIGNING_SECRET=… ${program} triggers secret ${name} --signing-secret SIGNING_SECRET`,
    )
  } else if (scheme === 'bearer') {
    lines.push('', 'Try it:', `  curl ${url} \\`, `    -H 'authorization: Bearer ${secret}' \\`)
    lines.push(`    -H 'content-type: application/json' -d ${sampleBody(trigger, input_schema)}`)
  } else if (secret !== null) lines.push('', `Give ${scheme} the URL and the secret, and have it send JSON.`)
  return lines.join('\n')
}
