// The sample of a first start: the ticket triage example is deployed and run over its sample tickets, by the same
// code as `assay deploy` and `assay submit`, and what came of it is told. Guarantee: it changes nothing of a later
// start, and one that was cut short goes on with the same run.

import { join } from 'node:path'
import { type Api, connect, type Run, type RunItem } from '../../shared/cli/api.ts'
import { deployAgent, orderOfFile } from '../../shared/cli/deploy.ts'
import { clean } from '../../shared/cli/format.ts'
import { createOutput, mayColor, type Output, type Screen, type Writer } from '../../shared/cli/output.ts'
import { runSummary } from '../../shared/cli/run-view.ts'
import { submitFile } from '../../shared/cli/submit.ts'
import { table } from '../../shared/cli/table.ts'
import { outcomeStyle, whyOf } from '../../shared/cli/verdict.ts'
import { followRun } from '../../shared/cli/watch.ts'
import { startModelServer } from '../../examples/model-server/server.ts'
import { readJson, writeJson } from './data-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'examples/ticket-triage')
const OPENAI_MODEL = 'gpt-5-mini' // what a key of OpenAI's own gets, unless OPENAI_MODEL names another
const ITEMS_SHOWN = 12

/** What the data folder remembers of the demo, so that the address in the agent's environment stays true. */
interface DemoState {
  /** Null when the demo uses a provider of the user's. */
  model_port: number | null
  done: boolean
}

export interface Demo {
  /** Whether a sample run was begun here and not seen to its end. */
  unfinished: boolean
  close(): Promise<void>
}

const stateFile = (dataDir: string) => join(dataDir, 'demo.json')

/** Brings back the model server that a deployed demo agent calls; does nothing where there is none. */
export async function resumeDemo(dataDir: string, say: (line: string) => void): Promise<Demo> {
  const state = await readJson<DemoState>(stateFile(dataDir))
  const idle = { unfinished: state?.done === false, close: async () => {} }
  if (state === undefined || state.model_port === null) return idle
  try {
    const server = await startModelServer({ port: state.model_port })
    return { ...idle, close: server.close }
  } catch (error) {
    say(
      `the demo's model server cannot use port ${state.model_port} (${(error as Error).message}): until that port is free, the agent ticket-triage fails. All else works.`,
    )
    return idle
  }
}

export interface DemoOptions {
  base_url: string
  api_key: string
  dataDir: string
  out: Writer
  env: Record<string, string | undefined>
  signal: AbortSignal
}

/**
 * Deploys, submits, follows and tells. The model server it may start stays up until `close`, which is the caller's
 * to call even when this fails half way: `onServer` hands it over as soon as there is one.
 */
export async function runDemo(options: DemoOptions, onServer: (close: () => Promise<void>) => void): Promise<void> {
  const { dataDir, out, env, signal } = options
  const program = `${dataDir === join(ROOT, '.assay') ? '' : `ASSAY_DATA_DIR=${dataDir} `}npx assay`
  const output = createOutput({ out, err: out, json: false, color: mayColor(out, env), program })
  const api = connect(options)
  const provider = ownProvider(env) ?? (await localProvider(dataDir, onServer))
  if (provider.note !== undefined) output.note(provider.note)
  const order = await orderOfFile(join(EXAMPLE, 'agent.ts'), provider.env)
  const { agent, version } = await deployAgent(api, order)
  output.note(`sample: agent ${agent.slug}, version ${version}, over ${join('examples/ticket-triage', 'tickets.jsonl')}`)
  const { run_id } = await submitFile(
    { api, output, now: Date.now },
    join(EXAMPLE, 'tickets.jsonl'),
    { agent_id: agent.id, name: 'sample', idempotency_key: 'sample of the first start' },
    { item_id: 'ticket_id', partition_key: 'tenant' },
  )
  const run = await followRun({ api, output, now: Date.now }, run_id, signal)
  if (run === undefined) return
  await tell(api, output, run)
  await writeJson(stateFile(dataDir), { model_port: provider.port, done: true } satisfies DemoState)
}

interface Provider {
  env: Record<string, string>
  port: number | null
  note?: string
}

/** The provider that the user's own environment names. */
function ownProvider(env: Record<string, string | undefined>): Provider | undefined {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL: model = OPENAI_MODEL } = env
  if (!OPENAI_BASE_URL && !OPENAI_API_KEY) return undefined
  return {
    env: {
      ...(OPENAI_BASE_URL && { OPENAI_BASE_URL }),
      OPENAI_API_KEY: OPENAI_API_KEY || 'none',
      OPENAI_MODEL: model,
    },
    port: null,
    note: `OPENAI_BASE_URL or OPENAI_API_KEY is set: the sample calls ${model} at ${OPENAI_BASE_URL || 'api.openai.com'}`,
  }
}

async function localProvider(dataDir: string, onServer: (close: () => Promise<void>) => void): Promise<Provider> {
  const known = await readJson<DemoState>(stateFile(dataDir))
  let port = known?.model_port ?? null
  if (port === null) {
    const server = await startModelServer({ port: 0 })
    onServer(server.close)
    port = Number(new URL(server.url).port)
  }
  // Before the agent is deployed, so that no start finds an agent whose model is gone.
  await writeJson(stateFile(dataDir), { model_port: port, done: false } satisfies DemoState)
  return { env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'none' }, port }
}

async function tell(api: Api, output: Output, run: Run): Promise<void> {
  const { data: items = [] } = await api.GET('/v2/runs/{runId}/items', {
    params: { path: { runId: run.id }, query: { outcome: 'not_ok', limit: 500 } },
  })
  output.emit('ended', { run }, screen =>
    ['', runSummary(run, screen), '', decisions(items, screen), '', whereNext(run, items[0], screen)].join('\n'),
  )
}

function decisions(items: RunItem[], screen: Screen): string {
  if (items.length === 0) return 'every item worked'
  const shown = items.slice(0, ITEMS_SHOWN)
  const text = table<RunItem>(
    [
      { title: 'NEEDS A DECISION', value: item => item.item_id },
      { title: 'RAN', value: item => item.status },
      {
        title: 'WORKED',
        value: item => item.worst_outcome_status ?? '–',
        style: item => outcomeStyle(item.worst_outcome_status),
      },
      { title: 'WHY', value: whyOf, least: 20 },
    ],
    shown,
    screen,
  )
  const more = items.length - shown.length
  return more === 0 ? text : `${text}\n${screen.paint('dim', `and ${more} more`)}`
}

function whereNext(run: Run, item: RunItem | undefined, { paint, program }: Screen): string {
  const lines = [
    paint('bold', 'where to look'),
    `  ${program} items ${run.id} --outcome not_ok`,
    ...(item === undefined ? [] : [`  ${program} item ${item.id}`]),
    `  ${program} verify ${run.id}`,
    paint('bold', 'your own file, and your own agent'),
    `  ${program} submit FILE.jsonl --agent ${clean(run.agent_slug)} --item-id FIELD --watch`,
    `  ${program} deploy agent.ts    ${paint('dim', '(begin with a copy of examples/ticket-triage/agent.ts)')}`,
  ]
  return lines.join('\n')
}
