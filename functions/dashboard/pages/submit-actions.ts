// The actions of the submit page: one streams on the lines that the page's script made of a file; the other takes the
// form itself with a small file, for browsers without a script.

import * as z from 'zod'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { ApiFailure, type Client, type Schemas } from '../../../shared/sdk/client.ts'
import { BadLines, itemLines } from '../../../shared/submission/rules/file-items.ts'
import { NotText, type Unpack } from '../../../shared/submission/rules/file-text.ts'
import { firstRowsOf, guessFields } from '../../../shared/submission/rules/first-rows.ts'
import { spreadOver } from '../../../shared/submission/rules/pilot.ts'
import type { Fields } from '../../../shared/submission/rules/rows.ts'
import { guessInput, misfitOf } from '../../../shared/submission/rules/wanted-fields.ts'
import { checkBudget } from '../parts/agent-budget.ts'
import { agentsOf } from '../parts/agents-of.ts'
import {
  BadOrder,
  CHANGED,
  faultsIn,
  mappingOf,
  NO_FILE,
  namedOrder,
  orderOf,
  orderOfPilot,
  pilotQuery,
} from '../parts/submit-order.ts'
import { counted } from '../parts/text.tsx'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { action, type Done, type Visit } from '../shell/page.ts'
import { faultsOfOrder, fileFields, formView, orderFields, readWanted } from './submit.tsx'

/** Returns the API's response as it is, for the page's script. */
export const submitLines = action({
  path: '/dashboard/projects/{projectId}/submit/lines',
  least: 'operator',
  async act({ api, fetch, params, request }) {
    const query = new URL(request.url).searchParams
    try {
      await checkSubmission(api, params.projectId, Object.fromEntries(query))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { code, message, hint, status } = error
      return Response.json({ error: { code, message, hint } }, { status })
    }
    query.set('project_id', params.projectId)
    return fetch(`/v1/batches?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: request.body,
      // Fetch requires this for a stream body; its types do not know it yet.
      duplex: 'half',
    } as RequestInit)
  },
})

const Form = z.strictObject({
  ...orderFields,
  file: z.custom<File>(value => value instanceof File).optional(),
  /** Pasted lines instead of a file. */
  lines: z.string().optional(),
  format: z.enum(['jsonl', 'csv']).optional(),
  /** The button that requests a guess of the fields instead of a run. */
  guess: z.string().optional(),
  /** The button that requests a pilot. */
  pilot: z.string().optional(),
  /** How many items of the file the pilot has taken; this submits the rest. */
  took: z.coerce.number().int().min(1).max(LIMITS.pilot_items).optional(),
  rows: fileFields.rows.optional(),
  bytes: fileFields.bytes.optional(),
})
type Form = z.output<typeof Form>

export const submitForm = action({
  path: '/dashboard/projects/{projectId}/submit',
  least: 'operator',
  form: Form,
  async act(visit, form) {
    const { projectId } = visit.params
    const submit = async (lines: ReadableStream<Uint8Array>, order: Record<string, string>) => {
      await checkSubmission(visit.api, projectId, order)
      return visit.api.submitLines({ ...order, project_id: projectId }, lines)
    }
    try {
      if (form.guess !== undefined) return await guessedView(visit, form)
      return await submitted(visit, form, submit)
    } catch (error) {
      const wrong = wrongOf(error)
      if (wrong === undefined) throw error
      return formView(visit, form, { wrong: [...new Set([...(await faultsOf(visit, form)), ...wrong])] })
    }
  },
})

/** @throws ApiError for a budget that would not be enforced; who may see no such agent is refused by the API */
async function checkSubmission(api: Client, project_id: string, order: Record<string, string>) {
  const { data: agents = [] } = await agentsOf(api, project_id)
  const agent = agents.find(({ slug }) => slug === order.agent)
  const cents = Number(order.budget_cents ?? Number.NaN)
  if (agent === undefined || !Number.isSafeInteger(cents)) return
  const allow_unpriced = order.allow_unpriced === 'true'
  await checkBudget(api, { agent_id: agent.id, budget_cents: cents, allow_unpriced })
}

/** Every fault of a refused form, and not only the first that was met. */
async function faultsOf(visit: Visit<{ projectId: string }>, form: Form): Promise<string[]> {
  const unpack = unpackOf(visit)
  const read = sourceOf(form).then(source => linesOf(source, mappingOf(form), unpack, () => false))
  const checks = await Promise.allSettled([(async () => orderOf(form))(), read])
  const found = checks.flatMap(one => (one.status === 'rejected' ? (wrongOf(one.reason) ?? []) : []))
  return [...found, ...faultsOfOrder(form)]
}

function wrongOf(error: unknown): string[] | undefined {
  if (error instanceof BadLines) return [...error.named, 'Nothing was accepted.']
  if (error instanceof BadOrder) return [...error.faults]
  if (error instanceof ApiError) return [...faultsIn(error.message), ...(error.hint ? [error.hint] : [])]
  if (!(error instanceof ApiFailure && error.status !== 401)) return undefined
  return [...faultsIn(error.message), ...(error.hint ? [error.hint] : [])]
}

/** The form again, with a guess in each empty field; the file must be chosen again, since browsers do not keep it. */
async function guessedView(visit: Visit<{ projectId: string }>, form: Form) {
  const { name, bytes } = await sourceOf(form)
  const { rows, problems } = await firstRowsOf(name, chunksOf(bytes), unpackOf(visit))
  if (problems.length > 0) return formView(visit, form, { wrong: problems })
  const wanted = await readWanted(visit.api, visit.params.projectId, form.agent)
  const fields = guessFields(rows)
  if (wanted) fields.input ??= guessInput(rows, wanted, [fields.item_id, fields.partition_key])
  const misfit = wanted && misfitOf(form.agent!, wanted, rows, form.input || fields.input || '')
  const left = Object.entries(fields).filter(([field]) => !form[field as keyof Fields])
  const guesses = left.filter(([, guess]) => guess !== undefined)
  const said = guesses.length === 0 ? 'The first rows do not show what their fields are.' : undefined
  const again = form.lines?.trim() ? [] : ['Choose the file again: the browser does not keep it.']
  const wrong = [said, misfit && `${misfit.said} ${misfit.fix}`]
    .filter(one => one !== undefined)
    .concat(again)
  const shown = { guessed: guesses.map(([field]) => field), ...(wrong.length > 0 && { wrong }) }
  return formView(visit, { ...form, ...Object.fromEntries(guesses) }, shown)
}

/** Of a packed file, at most what a source may have. */
const unpackOf = ({ ctx }: Pick<Visit<{ projectId: string }>, 'ctx'>): Unpack =>
  async function* (chunks, packing) {
    let bytes = 0
    for await (const chunk of ctx.unpack(chunks, packing)) {
      bytes += chunk.length
      if (bytes > LIMITS.form_unpacked_bytes)
        throw new NotText(
          `is longer than ${LIMITS.form_unpacked_bytes} bytes when it is unpacked: submit it with scripts on, or by the command (assay submit)`,
        )
      yield chunk
    }
  }

const BEFORE = 'This was submitted before, as this run; nothing new was started.'

type Submit = (
  lines: ReadableStream<Uint8Array>,
  order: Record<string, string>,
) => Promise<Schemas['SubmittedBatch']>

async function submitted(visit: Visit<{ projectId: string }>, form: Form, submit: Submit): Promise<Done> {
  const source = await sourceOf(form)
  const unpack = unpackOf(visit)
  const order = orderOf(form)
  const mapping = mappingOf(form)
  const lines = (takes?: (row: number) => boolean) => linesOf(source, mapping, unpack, takes)
  const { rows } = await lines(() => false)
  const { took } = form
  if (took !== undefined) {
    if (rows !== form.rows || source.bytes.length !== form.bytes) throw new BadOrder(CHANGED)
    const isPilot = spreadOver(rows, took)
    const rest = await lines(row => !isPilot(row))
    const run = await submit(rest.body, order)
    const all = `The other ${counted(run.total_items, 'item')} are submitted.`
    return { to: ofRun(run.run_id), said: run.duplicate ? BEFORE : all }
  }
  if (form.pilot === undefined || rows <= LIMITS.pilot_items) {
    const run = await submit((await lines()).body, order)
    return {
      to: ofRun(run.run_id),
      said: run.duplicate ? BEFORE : `${counted(run.total_items, 'item')} submitted.`,
    }
  }
  const pilot = await lines(spreadOver(rows, LIMITS.pilot_items))
  const named = namedOrder(form, source.name)
  const { run_id } = await submit(pilot.body, orderOfPilot(orderOf(named)))
  const from = { run_id, file: source.name, rows, bytes: source.bytes.length }
  return { to: `${ofProject(visit.params.projectId, 'submit')}?${pilotQuery(named, from)}` }
}

interface Source {
  name: string
  bytes: Uint8Array
}

async function sourceOf({ file, lines, format = 'jsonl' }: Form): Promise<Source> {
  if (file !== undefined && file.size > 0)
    return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }
  if (lines?.trim()) return { name: `pasted.${format}`, bytes: new TextEncoder().encode(lines) }
  throw new BadOrder(NO_FILE)
}

/** Reads all lines into memory; the form's size limit bounds them. @throws BadLines */
async function linesOf(
  { name, bytes }: Source,
  mapping: ReturnType<typeof mappingOf>,
  unpack: Unpack,
  takes = (_: number) => true,
) {
  let rows = 0
  const counts = (row: number) => {
    rows++
    return takes(row)
  }
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of itemLines(name, chunksOf(bytes), mapping, { takes: counts, unpack }))
    pieces.push(piece)
  return { rows, body: new Blob(pieces).stream() as ReadableStream<Uint8Array> }
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
