// The command that writes results to a file or a stream. Guarantee: a file gets its name only when it is complete; an
// answer that is cut off ends with a failure, never with exit code 0.

import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { pack, packingOfName } from '../../infra/packing/packing.ts'
import { defined } from '../kernel/defined.ts'
import { findAgent } from './api.ts'
import type { Given } from './arguments.ts'
import { diskFailure, EXIT, type ExitCode, Failure, notWritten, usageFailure } from './failure.ts'
import { bytes } from './format.ts'
import { untilInterrupted } from './interrupt.ts'
import { sinceTimeOf } from './listing.ts'
import { type TableFormat, tableFile } from './results-table.ts'
import type { Session } from './session.ts'

const FORMATS = ['csv', 'json', 'ndjson'] as const
type Format = (typeof FORMATS)[number] | TableFormat

export async function results(session: Session, given: Given): Promise<ExitCode> {
  const out = given.text('out')
  const format = formatOf(session, given)
  if (given.flag('raw') && format !== 'csv') throw usageFailure('--raw goes with --csv')
  const isTable = format === 'xlsx' || format === 'parquet'
  const query = {
    ...(await scopeOf(session, given)),
    ...optionsOf(given),
    format: isTable ? ('ndjson' as const) : format,
  }
  return untilInterrupted(async signal => {
    try {
      const sent = await session.api.results(query, signal)
      const body = isTable ? tableFile(sent, given.text('fields'), format) : sent
      if (out === undefined) await session.output.pass(body)
      else await save(session, packed(body, out), resolve(session.folder, out))
      return EXIT.ok
    } catch (error) {
      if (signal.aborted) return EXIT.interrupted
      throw error instanceof TypeError ? brokenOff(error) : error
    }
  })
}

function formatOf({ output }: Session, given: Given): Format {
  const asked = FORMATS.filter(name => given.flag(name))
  if (asked.length > 1) throw usageFailure(`one format at a time, not --${asked.join(' and --')}`)
  const ending = extname((given.text('out') ?? '').replace(/\.(gz|zst)$/i, ''))
    .slice(1)
    .toLowerCase()
  const known: Record<string, Format> = {
    csv: 'csv',
    json: 'json',
    ndjson: 'ndjson',
    jsonl: 'ndjson',
    xlsx: 'xlsx',
    parquet: 'parquet',
  }
  return asked[0] ?? known[ending] ?? (output.isJson ? 'ndjson' : 'csv')
}

async function scopeOf({ api, now }: Session, given: Given) {
  const run_id = given.optionalArg(0)
  const slug = given.text('agent')
  const since = sinceTimeOf(given.text('since'), now())
  if ((run_id === undefined) === (slug === undefined))
    throw usageFailure('results are of a RUN or of an --agent', { next: 'assay runs' })
  if (slug === undefined) {
    if (since !== undefined) throw usageFailure('--since goes with --agent')
    return { run_id: run_id! }
  }
  const agent = await findAgent(api, slug)
  return {
    agent: agent.slug,
    project_id: agent.project_id,
    ...defined({ since }),
  }
}

function optionsOf(given: Given) {
  const [fields, only] = [given.text('fields'), given.text('only') as 'ok' | 'not_ok' | 'all' | undefined]
  return { ...defined({ fields, only }), ...(given.flag('raw') && { raw: true }) }
}

/** The bytes of a file, packed if its name says so. */
function packed(body: AsyncIterable<Uint8Array>, name: string): AsyncIterable<Uint8Array> {
  const packing = packingOfName(name)
  return packing === undefined ? body : pack(body, packing)
}

/** Writes a temporary file in the same folder, and renames it at the end. */
async function save({ output }: Session, body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  // A name that nobody can guess, and never a file or link that is there: the folder may be shared.
  const beside = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`)
  const file = await open(beside, 'wx').catch(error => {
    throw usageFailure(`${path} cannot be written: ${(error as Error).message}`)
  })
  let written = 0
  try {
    for await (const chunk of body) {
      await file.writeFile(chunk)
      written += chunk.length
    }
    await file.sync()
    await file.close()
    await rename(beside, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(beside, { force: true })
    throw diskFailure(error) === undefined ? error : notWritten(error, path)
  }
  output.emit('saved', { path, bytes: written }, ({ paint }) => `${paint('bold', path)}: ${bytes(written)}`)
}

/** The failure for an answer that broke off, which fetch reports only as a TypeError. */
const brokenOff = (error: TypeError) =>
  new Failure(EXIT.api, 'unreachable', `the answer broke off before its end: ${causeOf(error)}`, {
    hint: 'what came so far is not complete; ask again',
  })

const causeOf = ({ message, cause }: TypeError) => (cause instanceof Error ? cause.message : message)
