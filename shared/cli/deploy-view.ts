// Shows on a terminal what a deploy did, or would do: on each line a sign, a schedule or trigger, and its change.

import type { PlanAction } from '../agents/vocabulary.ts'
import { setPriceCommand } from '../prices/rules/prices.ts'
import { upstreamName } from '../upstreams/rules/upstream-words.ts'
import type { Schemas } from './api.ts'
import { bytes, clean, pad, plural } from './format.ts'
import type { Screen, Style } from './output.ts'

export type Plan = Schemas['DeployPlan']
type Warning = Schemas['Deployed']['warnings'][number]
type Schedule = Plan['schedules'][number]
type Trigger = Plan['triggers'][number]
type Limit = Plan['limits'][number]

const SIGNS: Record<PlanAction, { sign: string; style: Style }> = {
  created: { sign: '+', style: 'green' },
  changed: { sign: '~', style: 'yellow' },
  rotated: { sign: '!', style: 'yellow' },
  deleted: { sign: '-', style: 'red' },
  kept: { sign: '=', style: 'yellow' },
  unchanged: { sign: '=', style: 'dim' },
}

export interface Deployment {
  slug: string
  agent_created: boolean
  version: number
  created: boolean
  external_id: string | null
  /** The version of the code behind a URL, as it says. */
  code_version?: string | undefined
  /** The label given, if the version stays and has another label or none. */
  other_label?: string | undefined
  bytes: number
  /** The ASSAY_AGENT_KEY of an agent at a URL. */
  agent_key: string | null
  plan: Plan
  /** Models without a price that the agent declares or has called. */
  unpriced?: string[]
  /** Needs of the agent that the installation does not meet. */
  warnings?: Warning[]
  /** Checks that apply by default, because the agent declares none. */
  default_checks?: string[]
  /** Its answers are JSON without the protocol's lines. */
  is_plain?: boolean
  /** The schemas that it declares. */
  schemas?: ('input_schema' | 'output_schema')[]
}

export function deployedText(deployed: Deployment, screen: Screen): string {
  const { slug, agent_created, version, created, external_id, bytes: size, agent_key, plan } = deployed
  const { paint, program } = screen
  const what = created ? paint('green', `version ${version} deployed`) : `version ${version}, unchanged`
  const label = external_id === null ? '' : ` (${clean(external_id)})`
  const code = deployed.code_version === undefined ? '' : `, code ${clean(deployed.code_version)}`
  return [
    `${paint('bold', slug)}${agent_created ? ' (new agent)' : ''}: ${what}${label}${code}${size > 0 ? `, ${bytes(size)}` : ''}`,
    ...labelLines(deployed, screen),
    ...planLines(plan, screen, 'done'),
    ...secretLines(plan, screen),
    ...(agent_key === null ? [] : keyLines(agent_key, screen)),
    ...unpricedLines(deployed.unpriced, screen),
    ...warningLines(deployed.warnings, screen),
    ...checkLines(deployed, screen),
    `${paint('dim', 'try ')}  ${program} run ${slug} --input JSON --watch`,
    `${paint('dim', 'or  ')}  ${program} submit FILE --agent ${slug} --item-id FIELD --watch`,
    paint(
      'dim',
      '      FILE: JSON lines or CSV; FIELD: where each item has your own id, by which it is found again',
    ),
  ].join('\n')
}

/** Warns that the given label was not stored. Code behind a URL may have changed, but only the order sent counts. */
const labelLines = ({ other_label, version }: Deployment, { paint }: Screen): string[] =>
  other_label === undefined
    ? []
    : [
        `${paint('yellow', '!')} the label ${clean(other_label)} is not kept: the same code or URL, declaration and environment are version ${version}; --env RELEASE=${clean(other_label)} makes a new one`,
      ]

/** What is looked at of a new version, and what cannot be. */
function checkLines(deployed: Deployment, { paint }: Screen): string[] {
  const { created, default_checks = [], is_plain = false, schemas = [] } = deployed
  if (!created) return []
  // Without steps there is no cost, and no answer of a model but what the output repeats.
  const checks = is_plain ? default_checks.filter(check => check !== 'cost_jump') : default_checks
  const lines = [
    ...(checks.length > 0
      ? [`${is_plain ? 'outputs' : 'answers'} are looked at for ${checks.join(', ')}; checks: [] for none`]
      : []),
    ...(schemas.length > 0 ? [schemas.map(name => CHECKED[name]).join(', ')] : []),
  ]
  return lines.map(line => paint('dim', line))
}

const CHECKED = {
  input_schema: 'inputs are checked against input_schema before a call',
  output_schema: 'outputs are checked against output_schema',
}

export interface DryRun {
  slug: string
  agent: 'create' | 'exists'
  version: number
  created: boolean
  current_version: number | null
  changes: string[]
  bytes: number
  env: string[]
  plan: Plan
  unpriced?: string[]
  warnings?: Warning[]
}

export function dryRunText(result: DryRun, screen: Screen): string {
  const { slug, agent, version, created, current_version, changes, bytes: size, env, plan } = result
  const { paint } = screen
  const over =
    current_version === null
      ? ''
      : `; version ${current_version} runs now and differs in ${changes.join(', ')}`
  return [
    ...(agent === 'create' ? [`would create the agent ${paint('bold', slug)}`] : []),
    changes.length === 0
      ? `${paint('bold', slug)}: version ${version} runs already and has this content`
      : `${paint('bold', slug)}: would ${created ? 'deploy version' : 'go back to version'} ${version}${clean(over)}`,
    ...(size > 0 ? [`bundle of ${bytes(size)}`] : []),
    ...(env.length > 0 ? [`environment: ${env.join(', ')}`] : []),
    ...planLines(plan, screen, 'planned'),
    ...unpricedLines(result.unpriced, screen),
    ...warningLines(result.warnings, screen),
    paint('dim', 'a dry run: nothing was changed'),
  ].join('\n')
}

const unpricedLines = (models: readonly string[] = [], { paint, program }: Screen): string[] =>
  models.map(
    model =>
      `${paint('yellow', `${clean(model)} has no price`)}: a budget cannot be held with it; ${program} ${setPriceCommand(clean(model)).replace(/^assay /, '')}`,
  )

const warningLines = (warnings: readonly Warning[] = [], { paint }: Screen): string[] =>
  warnings.flatMap(({ message, hint }) => [`${paint('yellow', '!')} ${clean(message)}`, `  ${clean(hint)}`])

type Tense = 'planned' | 'done'

/** Lines for each schedule and trigger that changes; the unchanged ones are only counted. */
export function planLines({ schedules, triggers, limits }: Plan, { paint }: Screen, tense: Tense): string[] {
  const rows = [
    ...schedules.map(one => ({ ...one, thing: 'schedule', key: one.cron, news: [scheduleNews(one)] })),
    ...triggers.map(one => ({ ...one, thing: 'trigger', key: one.name, news: triggerNews(one, tense) })),
    ...limits.map(one => ({ ...one, thing: 'limit', key: limitName(one), news: [limitNews(one)] })),
  ]
  const changing = rows.filter(row => row.action !== 'unchanged')
  const width = Math.max(0, ...changing.map(row => row.key.length))
  const same = rows.length - changing.length
  return [
    ...changing.flatMap(({ action, thing, key, news: [first, ...more] }) => {
      const { sign, style } = SIGNS[action]
      const head = `${sign} ${pad(thing, 8)}  ${pad(key, width)}`
      return [
        `  ${paint(style, head)}  ${clean(first!)}`,
        ...more.map(line => `  ${' '.repeat(head.length)}  ${clean(line)}`),
      ]
    }),
    ...(same === 0 ? [] : [paint('dim', `  = ${plural(same, 'declaration')} unchanged`)]),
  ]
}

const limitName = ({ host, credential }: Limit) => upstreamName({ host: clean(host), label: credential })

const limitNews = ({ action, from, to }: Limit): string =>
  action === 'changed' ? `${from} → ${to}` : (to ?? from!)

function scheduleNews({ action, timezone, changes }: Schedule): string {
  return action === 'changed' ? changes.map(changeInWords).join('; ') : timezone
}

function triggerNews({ action, replaces, url, changes }: Trigger, tense: Tense): string[] {
  const address = url ?? 'gets a URL and a secret of its own'
  const gone = tense === 'done' ? 'answers 404 from now on' : 'would answer 404'
  if (action === 'changed') return [changes.map(changeInWords).join('; ')]
  if (action === 'deleted') return [`its URL ${gone}`]
  if (action === 'kept') return ['stays, though this version does not declare it; a deploy would delete it']
  return action === 'rotated' ? [address, `the URL of ${replaces} ${gone}`] : [address]
}

function changeInWords({ field, from, to }: Schedule['changes'][number]): string {
  if (field === 'enabled') return 'enabled again'
  if (field === 'declared') return 'was made through the API, is declared from now on'
  return `${field} ${from ?? 'none'} → ${to ?? 'none'}`
}

const keyLines = (key: string, { paint }: Screen) => [
  paint('bold', 'Requests are signed; with this variable, the function at the URL answers nobody else:'),
  `  ASSAY_AGENT_KEY=${key}`,
]

export function secretLines({ triggers }: Plan, { paint }: Screen): string[] {
  const fresh = triggers.filter(one => one.secret !== null)
  if (fresh.length === 0) return []
  const width = Math.max(...fresh.map(one => one.name.length))
  return [
    paint('bold', 'Give the senders their secrets; they are shown this once:'),
    ...fresh.map(({ name, secret_env, secret }) => {
      return `  ${pad(name, width)}  ${secret_env === null ? '' : `${secret_env}=`}${secret}`
    }),
  ]
}
