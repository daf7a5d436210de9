// Describes a recovery and its plan in the words that pages and the command line share. Guarantee: a recovery that has
// ended is never described as in progress.

import { count, counted, money } from '../prices/rules/amounts.ts'
import { ACTED, sayPlan, sayReplayRuns } from '../recovery/rules/recovery.ts'
import type { Schemas } from '../sdk/client.ts'
import { sayUnchanged } from './run.ts'

type Plan = Schemas['RecoveryPlan']
type Recovery = Schemas['Recovery']
type Rule = Plan['rules'][number]
type Stage = Recovery['stages'][number]

const RULES: Record<Rule['rule'], string> = {
  asks_again: 'the answer is asked for again',
  goes_on: 'what succeeded is kept',
  from_step: 'from the named step on',
  from_start: 'from the start',
}

/** A dry run's forecast, a sentence a line. */
export function sayForecast(plan: Plan): string[] {
  const replays = sayReplayRuns(plan.replay_run_ids ?? [])
  const lines = [sayPlan(plan), ...(replays === undefined ? [] : [replays])]
  if (plan.eligible === 0) return lines
  if (plan.action !== 'replay') return [...lines, ...sayDecision(plan), ...sayMakers(plan)]
  if (plan.runs > 1) lines.push(`they are copied into ${plan.runs} runs`)
  lines.push(...plan.rules.map(sayRule), ...sayMakers(plan), ...sayTools(plan), sayCost(plan))
  if (plan.looked_at_items < plan.eligible)
    lines.push(`steps are those of ${count(plan.looked_at_items)} of the items; the others are like them`)
  return lines
}

function sayDecision({ action, eligible, held }: Plan): string[] {
  if (action === 'resume')
    return ['each goes on from its last step; one at its budget gets its declared budget once more']
  if (action === 'acknowledge') return ['they leave triage undecided: their runs stay partial']
  return [
    ...(held > 0 ? [`${counted(held, 'held item')} would end as cancelled, for good`] : []),
    ...(held < eligible ? ['nothing more is done about them, and their verdicts stay'] : []),
  ]
}

function sayRule({ rule, reason, items, asked_again_steps, reused_steps, offered_steps }: Rule): string {
  const parts = [
    `${counted(asked_again_steps, 'step')} asked again`,
    `${count(reused_steps)} reused`,
    offered_steps > 0 && `${count(offered_steps)} reused where the input is the same`,
  ]
  return `${reason}, ${counted(items, 'item')}: ${RULES[rule]}; ${parts.filter(Boolean).join(', ')}`
}

/** Which code made what is reused, where it is known; else a warning alone says it. */
function sayMakers({ reused_versions = [], warnings = [] }: Partial<Plan>): string[] {
  const known = reused_versions.some(({ code_version }) => code_version !== null)
  return [
    ...(known && warnings.length === 0 ? [`what is reused was made by ${listMakers(reused_versions)}`] : []),
    ...sayWarnings({ warnings }),
  ]
}

const listMakers = (made: Plan['reused_versions']) =>
  made
    .map(({ code_version, deployment_version, steps }) => {
      const name =
        code_version !== null
          ? `code ${code_version}`
          : deployment_version === null
            ? 'a version that is gone'
            : `version ${deployment_version}, code not known`
      return `${name} (${counted(steps, 'step')})`
    })
    .join(', ')

/** Which code made the steps that an item took over. @example 'made by code a3f (2 steps)' */
export const sayReused = (made: Plan['reused_versions']): string => `made by ${listMakers(made)}`

/** @example 'warning: 800 of 900 reused steps were made by code a3f, and code b7c runs: …' */
export const sayWarnings = ({ warnings = [] }: { warnings?: { message: string }[] }): string[] =>
  warnings.map(({ message }) => `warning: ${message}`)

function sayTools({ tool_calls }: Plan): string[] {
  const named = (how: 'again' | 'if_changed') =>
    tool_calls
      .filter(tool => tool[how] > 0)
      .map(tool => `${tool.name} (${count(tool[how])})`)
      .join(', ')
  const [again, if_changed] = [named('again'), named('if_changed')]
  if (!again && !if_changed) return ['no recorded tool call is made again']
  return [
    ...(again ? [`tools called again: ${again}`] : []),
    ...(if_changed ? [`tools called again only with another input: ${if_changed}`] : []),
  ]
}

function sayCost({ cost_usd, max_cost_usd, unpriced_item_count }: Plan): string {
  const least = unpriced_item_count > 0 ? 'at least ' : ''
  if (max_cost_usd === null) return 'what it costs is not known: nothing of this has cost anything yet'
  return `they cost ${least}${money(cost_usd)}; replaying them costs up to about ${money(max_cost_usd)}`
}

const STAGES: Record<Stage['stage'], string> = { first: 'first', rest: 'then the rest', all: 'all at once' }

/** A stage's outcome, in one line. */
export function sayStage(stage: Stage, recovery: Pick<Recovery, 'status'>): string {
  const name = STAGES[stage.stage]
  if (stage.waiting) return `${name}: ${isOver(recovery) ? 'not replayed' : 'waits for the first'}`
  const parts = [
    `${count(stage.worked)} worked`,
    `${count(stage.still_fail)} still fail`,
    stage.unchanged > 0 && `of these ${sayUnchanged(stage.unchanged)}`,
  ]
  const ended = stage.ended < stage.items ? `, ${count(stage.ended)} ended` : ''
  return `${name}: ${counted(stage.items, 'item')}${ended}, ${parts.filter(Boolean).join(', ')}`
}

export const isOver = ({ status }: Pick<Recovery, 'status'>): boolean =>
  status === 'completed' || status === 'stopped' || status === 'aborted'

/** Whether a replay has only held items left, so that nothing of it moves; its status does not say so. */
export const isPaused = ({ status, paused, ended, replayed, left }: Recovery): boolean =>
  paused > 0 && ended + paused === replayed && (status === 'pilot' || (status === 'running' && left === 0))

/** The recovery's progress, in one sentence. */
export function sayStanding(recovery: Recovery): string {
  const { status, eligible, ended, replayed, cancelled, paused, left } = recovery
  const held = paused > 0 ? `, ${count(paused)} held` : ''
  // They may have been decided about since.
  const waiting = `${counted(left, 'item')} ${left === 1 ? 'was' : 'were'} left in triage`
  if (recovery.action !== 'replay') return sayDecided(recovery, waiting)
  switch (status) {
    case 'creating':
      return `${count(replayed)} of ${counted(eligible, 'item')} copied`
    case 'pilot':
      return `the first ${count(replayed)} of ${counted(eligible, 'item')} run${held}; the rest follows if they do better`
    case 'running':
      return `${count(ended)} of ${counted(eligible, 'item')} ended${held}`
    case 'completed':
      return `completed: ${counted(replayed, 'item')} replayed`
    case 'stopped':
      return `stopped: the first ${count(replayed)} did no better than before; ${waiting}`
    case 'aborting':
      return 'being aborted: items at work finish'
    case 'aborted':
      return `aborted after ${counted(ended - cancelled, 'item')}; ${waiting}`
  }
}

function sayDecided({ action, status, eligible, decided }: Recovery, waiting: string): string {
  if (status === 'aborting') return 'being aborted'
  if (status === 'aborted') return `aborted after ${counted(decided, 'item')}; ${waiting}`
  if (status === 'completed') return `completed: ${counted(decided, 'item')} ${ACTED[action]}`
  return `${count(decided)} of ${counted(eligible, 'item')} ${ACTED[action]}`
}
