// The commands that start runs: over the rows of a file, streamed, or over one item.

import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defined } from '../kernel/defined.ts'
import { shellWord } from '../kernel/shell-word.ts'
import type { Escape } from '../submission/rules/csv.ts'
import { misfitOf, wantedOf } from '../submission/rules/wanted-fields.ts'
import { type Agent, answered, findAgent } from './api.ts'
import { type Given, withInput } from './arguments.ts'
import { canAsk, confirm } from './ask.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { plural } from './format.ts'
import { refuseOpenBudget } from './held-budget.ts'
import { recordText } from './item-view.ts'
import { type Pilot, runPilot } from './pilot.ts'
import { plannedOf, printPlan } from './plan.ts'
import { PerhapsDone } from './retrying.ts'
import { noteOtherSchemas } from './served-schemas.ts'
import type { Session } from './session.ts'
import { type Source, type Submission, submitSource } from './submit-file.ts'
import { noteOdd, printFile, type SurveyedFile, surveyed } from './survey.ts'
import { inputSchema } from './versions.ts'
import { watchRun } from './watch.ts'

export async function submit(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const file = given.arg(0)
  const slug = given.text('agent')
  if (slug === undefined)
    throw usageFailure('--agent is missing', { next: `assay submit ${file} --agent SLUG` })
  if (given.flag('as-answers') && given.text('item-id') !== undefined)
    throw usageFailure('--as-answers takes the item_id from custom_id or key: leave --item-id out')
  const pilot = pilotOf(given)
  const fields = { item_id: given.text('item-id'), partition_key: given.text('partition-key') }
  if (file === '-' && pilot?.goOn === false)
    throw usageFailure('--pilot asks whether to continue, and standard input cannot be kept until then', {
      hint: 'write it to a file first; or --yes continues without asking when an item of the pilot is ok',
    })
  const path = file === '-' ? undefined : await existing(resolve(session.folder, file))
  const agent = await findAgent(api, slug)
  const choices = {
    fields,
    escape: escapeOf(given),
    sheet: given.text('sheet'),
    as_answers: given.flag('as-answers'),
  }
  const source: Source =
    path === undefined ? { ...choices, path: 'standard input', input: process.stdin } : { ...choices, path }
  const isTried = given.flag('dry-run')
  // Standard input can be read only once.
  const survey = path === undefined && !isTried ? undefined : await surveyed(session, source)
  if (survey !== undefined) {
    // The first event of a submission names its run, as scripts expect.
    if (isTried || !output.isJson) printFile(session, source, survey)
    else noteOdd(session, survey)
    await checkFit(session, given, survey, agent)
  }
  const own_key = path === undefined || given.text('idempotency-key') !== undefined ? undefined : randomUUID()
  const order = orderOf(given, agent, { own_key, pilot: path === undefined ? pilot : undefined })
  await refuseOpenBudget(session, order)
  await noteOtherSchemas(session, agent)
  if (survey !== undefined && isTried) return tryOut(session, source, order, survey)
  const sent = await sentRun(session, source, order, { pilot, survey }).catch(error => {
    throw path === undefined ? error : goingOn(session, error, own_key)
  })
  if (typeof sent === 'number') return sent
  const { group_id: _, ...submitted } = sent
  const run = own_key === undefined ? submitted : { ...submitted, duplicate: false } // a repeat of this command's own
  output.emit('submitted', { ...run, agent: slug }, ({ paint, program }) =>
    [
      `${paint('bold', run.run_id)}: ${run.duplicate ? sayDuplicate(run) : `${plural(run.total_items, 'item')} submitted to ${slug}`}`,
      ...(given.flag('watch') ? [] : [`${paint('dim', 'try ')}  ${program} watch ${run.run_id}`]),
    ].join('\n'),
  )
  return given.flag('watch') ? watchRun(session, run.run_id) : EXIT.ok
}

/** Submits the rows, after the pilot if one is wanted; returns an exit code if the command ends with the pilot. */
async function sentRun(
  session: Session,
  source: Source,
  order: Submission,
  { pilot, survey }: { pilot: Pilot | undefined; survey: SurveyedFile | undefined },
) {
  const rest =
    pilot === undefined || survey === undefined
      ? { order, source }
      : await runPilot(session, source, order, { pilot, survey })
  return typeof rest === 'number' ? rest : submitSource(session, rest.source, rest.order)
}

/** The error of a start with the key under which the same command goes on; `own_key` is one that nobody has typed. */
function goingOn({ words }: Session, error: unknown, own_key: string | undefined): unknown {
  if (!(error instanceof PerhapsDone)) return error
  const key = own_key === undefined ? [] : ['--idempotency-key', own_key]
  const again = ['assay', ...[...words, ...key].map(shellWord)].join(' ')
  return error.advising('the same command with the same key goes on with that run, for 24 hours', again)
}

/** Older servers do not say that a key was used before. @example 'this key started it before; nothing new was submitted. It is cancelled' */
const sayDuplicate = ({ status }: { status: string }) =>
  `this key started it before; nothing new was submitted. It is ${status}`

/**
 * What is submitted beside the rows. Standard input can be read only once, so all of it is sent, and the server holds
 * back the rest after the `pilot`.
 */
function orderOf(
  given: Given,
  agent: Agent,
  { own_key, pilot }: { own_key: string | undefined; pilot: Pilot | undefined },
): Submission {
  const tags = given.list('tag')
  return {
    agent_id: agent.id,
    ...defined({
      name: given.text('name'),
      budget_cents: given.amount('budget'),
      allow_unpriced: given.flag('allow-unpriced') || undefined,
      concurrency: given.whole('concurrency'),
      patience_seconds: given.seconds('patience'),
      callback_url: given.text('callback-url'),
      idempotency_key: given.text('idempotency-key') ?? own_key,
      tags: tags.length > 0 ? tags : undefined,
      pilot_items: pilot?.rows,
    }),
  }
}

/** Prints what the run of a file's rows would be. */
async function tryOut(
  session: Session,
  source: Source,
  order: Submission,
  { rows }: SurveyedFile,
): Promise<ExitCode> {
  const planned = await plannedOf(session, order, rows)
  if (planned === undefined) throw new Failure(EXIT.usage, 'no_items', `${source.path} has no rows`)
  printPlan(session, planned, order, `of ${source.path}`)
  return EXIT.ok
}

/**
 * Notes, before the rows are sent, which inputs of the agent the first rows lack. It may be intended, so a person is
 * asked, and a script goes on.
 *
 * @throws Failure `not_submitted` if the person says no
 */
async function checkFit(
  { api, output }: Session,
  given: Given,
  { sample: rows }: SurveyedFile,
  agent: Agent,
): Promise<void> {
  const wanted = wantedOf(await inputSchema(api, agent).catch(() => undefined)) // no reason to stop a submission
  if (wanted === undefined) return
  const misfit = misfitOf(agent.slug, wanted, rows, '')
  if (misfit === undefined) return
  const which =
    rows.length === 1 ? 'the first row does not fit' : `none of the first ${rows.length} rows fits`
  output.note(`${which}: ${misfit.said} A row of the file is the input of an item: rename its columns.`)
  if (output.isJson || given.flag('yes') || !canAsk() || (await confirm('Submit the file all the same?')))
    return
  throw new Failure(EXIT.cancelled, 'not_submitted', 'nothing was submitted')
}

/** As Spark names it, its escape is the character itself. */
const escapeOf = (given: Given): Escape | undefined => {
  const said = given.text('escape')
  return said === '\\' ? 'spark' : (said as Escape | undefined)
}

async function existing(path: string): Promise<string> {
  const known = await stat(path).catch(() => undefined)
  if (!known?.isFile()) throw usageFailure(`there is no file ${path}`)
  return path
}

function pilotOf(given: Given): Pilot | undefined {
  const rows = given.whole('pilot')
  if (rows !== undefined) return { rows, goOn: given.flag('yes') }
  if (given.flag('yes')) throw usageFailure('--yes answers --pilot, which is missing')
  return undefined
}

export async function run(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const slug = given.arg(0)
  const input = given.text('input')
  if (input === undefined)
    throw usageFailure('--input is missing', { next: `assay run ${slug} --input '{}'` })
  const own_key = given.text('idempotency-key') === undefined ? randomUUID() : undefined // so that it may be sent again
  const idempotency_key = given.text('idempotency-key') ?? own_key!
  const order = {
    idempotency_key,
    item_id: given.text('item-id'),
    partition_key: given.text('partition-key'),
    callback_url: given.text('callback-url'),
    patience_seconds: given.seconds('patience'),
    tags: given.list('tag').length > 0 ? given.list('tag') : undefined,
  }
  const body = withInput(input, order, {
    hint: `quote it for the shell, such as --input '{"text": "hello"}'; a bare text is '"hello"'`,
  })
  const agent = await findAgent(api, slug)
  await noteOtherSchemas(session, agent)
  const { run_id, record_id } = await answered(
    api.POST('/v1/agents/{agentId}/runs', {
      params: { path: { agentId: agent.id } },
      body: { input: {}, idempotency_key },
      bodySerializer: () => body,
    }),
  ).catch(error => {
    throw goingOn(session, error, own_key)
  })
  output.emit('started', { run_id, record_id, agent: slug }, ({ paint, program }) =>
    [
      `${paint('bold', run_id)}: one item started on ${slug}`,
      ...(given.flag('watch') ? [] : [`${paint('dim', 'try ')}  ${program} item ${record_id}`]),
    ].join('\n'),
  )
  if (!given.flag('watch')) return EXIT.ok
  const exit = await watchRun(session, run_id)
  const item = await answered(
    api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId: record_id } } }),
  )
  output.emit('item', item, screen => `\n${recordText(item, screen)}`)
  return exit
}
