// Finds the item that a command names: by the ID in lists, or by the caller's own id of it, which several runs may have.
// Guarantee: a command that acts on an item acts on none if the own id names several.

import { parseItemRecordId } from '../kernel/ids.ts'
import { shellWord } from '../kernel/shell-word.ts'
import { answered, type Run, type RunItem } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, Failure } from './failure.ts'
import { plural } from './format.ts'
import type { Session } from './session.ts'

/** The arguments of commands about one item. */
export const ITEM_ARGS: readonly string[] = ['[RUN]', 'ITEM']

/** Commands that only read: of several runs they take the newest. */
const READS = ['item', 'why']
const RUNS_NAMED = 5
const ITEMS_NAMED = 5

/**
 * The record id of the item given by `ITEM_ARGS`.
 *
 * @param command The name of the command, for commands to try next
 * @throws Failure `not_found`; `ambiguous_item` if several runs have it and the command acts on it
 */
export async function findItem(session: Session, given: Given, command: string): Promise<string> {
  const [first, second] = [given.arg(0), given.optionalArg(1)]
  if (second !== undefined) return inRun(session, first, second, command)
  if (parseItemRecordId(first) !== undefined) return first
  const runs = await runsWith(session, first)
  const [newest, ...others] = runs
  if (newest === undefined)
    throw new Failure(EXIT.api, 'not_found', `no run has an item ${JSON.stringify(first)}`, {
      hint: 'an item goes by your own id of it, as --item-id gave it, or by the ID in the first column of a list',
      next: 'assay runs',
    })
  if (others.length > 0 && !READS.includes(command)) throw ambiguous(first, runs, command)
  if (others.length > 0)
    session.output.note(
      `${JSON.stringify(first)} is in ${howMany(runs)}; this is the newest. For another: assay ${command} ${others[0]!.id} ${shellWord(first)}`,
    )
  return inRun(session, newest.id, first, command)
}

const runsWith = ({ api }: Session, item_id: string): Promise<Run[]> =>
  answered(api.GET('/v2/runs', { params: { query: { item_id, limit: RUNS_NAMED + 1 } } }))

const howMany = (runs: readonly Run[]) =>
  runs.length > RUNS_NAMED ? `more than ${plural(RUNS_NAMED, 'run')}` : plural(runs.length, 'run')

function ambiguous(item: string, runs: readonly Run[], command: string): Failure {
  const lines = runs
    .slice(0, RUNS_NAMED)
    .map(({ id, name, agent_slug, status, replay_of }) =>
      [`  ${id}  ${agent_slug}`, name, replay_of === null ? status : `a replay, ${status}`]
        .filter(Boolean)
        .join(', '),
    )
  const message = [`${JSON.stringify(item)} is in ${howMany(runs)}, the newest first:`, ...lines].join('\n')
  return new Failure(EXIT.usage, 'ambiguous_item', message, {
    hint: 'name the run of the item that is meant; nothing was changed',
    next: `assay ${command} ${runs[0]!.id} ${shellWord(item)}`,
  })
}

/** In its run, an item goes by either id. A batch may have the same own id on several lines. */
async function inRun({ api }: Session, runId: string, item: string, command: string): Promise<string> {
  const query = { item_id: item, payloads: 'none', limit: ITEMS_NAMED } as const
  const found: RunItem[] = await answered(
    api.GET('/v2/runs/{runId}/items', { params: { path: { runId }, query } }),
  )
  if (found.length > 1) {
    const lines = found.map(({ id, status }) => `  ${id}  ${status}`)
    const message = [`run ${runId} has ${JSON.stringify(item)} more than once:`, ...lines].join('\n')
    throw new Failure(EXIT.usage, 'ambiguous_item', message, { next: `assay ${command} ${found[0]!.id}` })
  }
  if (found[0] !== undefined) return found[0].id
  if (parseItemRecordId(item)?.run_id === runId.toLowerCase()) return item
  throw new Failure(EXIT.api, 'not_found', `run ${runId} has no item ${JSON.stringify(item)}`, {
    hint: 'it goes by your own id of it, or by the ID in the first column of the list',
    next: `assay items ${runId}`,
  })
}
