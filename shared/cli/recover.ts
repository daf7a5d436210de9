// The commands that act on a cohort of items, show the progress of that, and abort it.

import { setTimeout as delay } from 'node:timers/promises'
import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { ReuseChoice } from '../recovery/vocabulary.ts'
import type { RECORDED_LANES, TriageAction } from '../triage/vocabulary.ts'
import { isPaused, sayForecast, sayStage, sayStanding, sayWarnings } from '../view/recovery.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { clean, count, minute, shorten, spend, wrap } from './format.ts'
import { printList } from './listing.ts'
import type { Screen } from './output.ts'
import { BY_ID, pageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'
import { filtersOf } from './triage-filters.ts'

type Recovery = Schemas['Recovery']
type Plan = Schemas['RecoveryPlan']
const LOOK_MS = 500

export async function recover(session: Session, given: Given): Promise<ExitCode> {
  const recoveryId = given.optionalArg(0)
  return recoveryId === undefined ? start(session, given) : show(session, given, recoveryId)
}

export async function recoveries(session: Session, given: Given): Promise<ExitCode> {
  const recoveryId = given.optionalArg(0)
  if (recoveryId !== undefined) return show(session, given, recoveryId)
  const only = ['abort', 'watch'].find(name => given.flag(name))
  if (only !== undefined) throw usageFailure(`--${only} needs the id of a recovery`)
  return list(session, given)
}

async function show(session: Session, given: Given, recoveryId: string): Promise<ExitCode> {
  const { api, output } = session
  const path = { params: { path: { recoveryId } } }
  const found = await answered(
    given.flag('abort')
      ? api.POST('/v1/recoveries/{recoveryId}/abort', path)
      : api.GET('/v1/recoveries/{recoveryId}', path),
  )
  if (given.flag('watch')) return follow(session, found)
  output.emit('recovery', found, screen => recoveryText(found, screen))
  return EXIT.ok
}

async function start(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  if (given.flag('abort')) throw usageFailure('--abort needs the id of a recovery')
  const [from, to, first, name, budget_cents] = [
    given.text('from'),
    given.text('to'),
    given.whole('first'),
    given.text('name'),
    given.amount('budget'),
  ]
  const deployment = given.text('deployment') as Recovery['deployment'] | undefined
  const kind = given.text('kind') as (typeof RECORDED_LANES)[number] | undefined
  const cancelled = given.flag('cancelled')
  if (cancelled && given.text('run') === undefined) throw usageFailure('--cancelled needs --run RUN')
  const chosen = defined({ kind, ...(await filtersOf(session, given)), from, to })
  // Acting on all items in triage needs --all: without any filter, recoveries are only listed.
  const choosesAll = given.flag('all')
  const isWhole = choosesAll && isOfWholeRun(chosen) && (given.text('action') ?? 'replay') === 'replay'
  const status = cancelled ? ('cancelled' as const) : isWhole ? ('not_ok' as const) : undefined
  const filter = { ...chosen, ...defined({ status }) }
  if (Object.keys(filter).length === 0 && !choosesAll && !given.flag('dry-run')) return list(session, given)
  const listing = ['since', 'limit'].find(name => given.text(name) !== undefined)
  if (listing !== undefined || given.flag('follow'))
    throw usageFailure(`--${listing ?? 'follow'} is for the list of recoveries, and this starts one`, {
      hint: '--from TIME chooses items by when they came, --first N how many go first',
    })
  const action = given.text('action') as TriageAction | undefined
  const order = {
    filter,
    ...defined({ action, first, name, deployment, budget_cents }),
    ...reuseOf(given),
    dry_run: given.flag('dry-run'),
  }
  const answer = (await answered(api.POST('/v1/recoveries', { body: order }))) as Recovery | Plan
  if ('ineligible' in answer) {
    output.emit('plan', answer, () => sayForecast(answer).join('\n'))
    return EXIT.ok
  }
  output.emit('recovery', answer, screen => recoveryText(answer, screen))
  return given.flag('watch') ? follow(session, answer) : EXIT.ok
}

/** Whether a filter can take what was cancelled of a run as well: that is in no triage, and has no reason or cause. */
const isOfWholeRun = (filter: object): boolean =>
  'run_id' in filter &&
  Object.keys(filter).every(name => ['run_id', 'agent_id', 'partition_key'].includes(name))

const RECOVERIES: Column<Recovery>[] = [
  { title: 'RECOVERY', value: row => row.id },
  { title: 'NAME', value: row => row.name ?? '', least: 8, optional: 2 },
  { title: 'ACTION', value: row => row.action },
  { title: 'STATUS', value: row => row.status },
  {
    title: 'DONE',
    value: row => `${count(row.ended + row.decided)}/${count(row.eligible)}`,
    align: 'right',
  },
  { title: 'OK', value: row => count(row.ok), align: 'right' },
  { title: 'NOT OK', value: row => count(row.degraded + row.failed), align: 'right' },
  { title: 'UNCHANGED', value: row => count(row.unchanged), align: 'right', optional: 3 },
  { title: 'BY', value: row => clean(row.created_by ?? ''), optional: 2 },
  { title: 'MADE', value: row => minute(row.created_at), optional: 1 },
]

const list = (session: Session, given: Given) =>
  printList<Recovery>(session, given, {
    event: 'recovery',
    empty: 'no recoveries yet; name what to act on (--run, --cause, --reason …), or --all',
    page: LIMITS.recoveries_page.max,
    read: page => pageOf(session.api.GET('/v1/recoveries', { params: { query: page } })),
    ...BY_ID,
    text: (rows, screen) => table(RECOVERIES, rows, screen),
  })

/** Shows the recovery until it has ended, or has only held items left. */
async function follow({ api, output }: Session, from: Recovery): Promise<ExitCode> {
  let found = from
  while (found.finished_at === null && !isPaused(found)) {
    output.redraw('progress', found, ({ paint }) =>
      found.action === 'replay'
        ? `${paint('bold', found.status)}  ${count(found.ended)} of ${count(found.eligible)} ended, ${count(found.ok)} ok`
        : `${paint('bold', found.status)}  ${sayStanding(found)}`,
    )
    await delay(LOOK_MS)
    found = await answered(
      api.GET('/v1/recoveries/{recoveryId}', { params: { path: { recoveryId: from.id } } }),
    )
  }
  const ended = found
  output.emit('recovery', ended, screen => recoveryText(ended, screen))
  return exitOf(ended)
}

function exitOf(recovery: Recovery): ExitCode {
  if (recovery.status === 'aborted') return EXIT.cancelled
  if (recovery.status === 'stopped' || recovery.failed > 0) return EXIT.failed
  return recovery.degraded > 0 || recovery.paused > 0 ? EXIT.degraded : EXIT.ok
}

/** Which steps are reused, by the names of the API. @throws Failure `usage` */
export function reuseOf(given: Given): { reuse?: ReuseChoice; from_step?: string } {
  const [reuse, from_step] = [given.text('reuse') as ReuseChoice | undefined, given.text('from-step')]
  if (from_step !== undefined && reuse !== undefined && reuse !== 'auto')
    throw usageFailure('--from-step and --reuse both say which steps are taken over: give one')
  return defined({ reuse, from_step })
}

/** Replays all items of a cluster, as a recovery. */
export function replayMany(session: Session, given: Given): Promise<ExitCode> {
  if (given.text('cluster') === undefined)
    throw usageFailure('ITEM is missing, or --cluster KEY for all items of a cluster', {
      next: 'assay replay --help',
    })
  if (given.text('input') !== undefined)
    throw usageFailure('--input is for one item and does not go with --cluster')
  return start(session, given)
}

/** The commands for a recovery that has not ended. */
function nextOf(recovery: Recovery): string[] {
  if (recovery.finished_at !== null) return []
  if (!isPaused(recovery)) return [`recoveries ${recovery.id} --watch`]
  const [run_id, ...more] = [...recovery.pilot_run_ids, ...recovery.run_ids]
  return [`triage --kind quarantine${more.length === 0 ? ` --run ${run_id}` : ''}`]
}

function recoveryText(recovery: Recovery, { paint, program, columns }: Screen): string {
  const { id, name, cancelled } = recovery
  const cost = spend(recovery.cost_usd, recovery.unpriced_item_count > 0)
  const rest = [cancelled > 0 && `${count(cancelled)} cancelled`]
  return [
    `${paint('bold', id)}${name === null ? '' : `  ${shorten(name, columns - id.length - 2)}`}`,
    ...wrap(sayStanding(recovery), columns),
    ...recovery.stages.flatMap(stage =>
      wrap(sayStage(stage, recovery), columns - 4).map((line, at) => `${at === 0 ? '  ' : '    '}${line}`),
    ),
    ...(recovery.action === 'replay' ? [[...rest.filter(Boolean), cost].join(', ')] : []),
    ...sayWarnings(recovery).flatMap(warning => wrap(warning, columns).map(line => paint('yellow', line))),
    ...nextOf(recovery).map(command => `${paint('dim', 'try ')}  ${program} ${command}`),
  ].join('\n')
}
