// The sample of a first start: the ticket triage example is deployed and run over its sample tickets, by the same
// code as `assay deploy` and `assay submit`, and what came of it is told. Guarantee: it changes nothing of a later
// start, and one that was cut short goes on with the same run.

import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { startModelServer } from '../../examples/model-server/server.ts'
import { type Api, connect, type Run, type RunItem } from '../../shared/cli/api.ts'
import { deployAgent, orderOfFile } from '../../shared/cli/deploy.ts'
import { clean } from '../../shared/cli/format.ts'
import { createOutput, mayColor, type Output, type Screen, type Writer } from '../../shared/cli/output.ts'
import { runSummary } from '../../shared/cli/run-view.ts'
import { submitSource } from '../../shared/cli/submit-file.ts'
import { table } from '../../shared/cli/table.ts'
import { outcomeStyle, whyOf } from '../../shared/cli/verdict.ts'
import { followRun } from '../../shared/cli/watch.ts'
import { readJson, writeJson } from './data-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'examples/ticket-triage')
const DEFAULT_MODEL = 'gpt-5-mini' // with a provider of the user's, unless OPENAI_MODEL names another
const ITEMS_SHOWN = 12
const PORTS_TRIED = 20

/** What the data folder remembers of the demo, so that the address in the agent's environment stays true. */
interface DemoState {
  /** Null when the demo uses a provider of the user's. */
  model_port: number | null
  done: boolean
}

export interface Demo {
  /** A sample run was begun here and not seen to its end. */
  unfinished: boolean
  /** Deploys the example, runs it over its sample and tells what came of it. */
  run(options: SampleOptions): Promise<void>
  /** Stops the model server, where there is one. */
  close(): Promise<void>
}

export interface SampleOptions {
  base_url: string
  api_key: string
  out: Writer
  env: Record<string, string | undefined>
  /** Ends the watching, and with it the telling. */
  signal: AbortSignal
}

/** Brings back the model server that the deployed example calls; without one it does nothing until `run`. */
export async function openDemo(dataDir: string, say: (line: string) => void): Promise<Demo> {
  const file = join(dataDir, 'demo.json')
  const known = await readJson<DemoState>(file)
  let server = known?.model_port ? await modelServerAt(known.model_port, say) : undefined

  async function provider(): Promise<Provider> {
    server ??= await newModelServer()
    return { env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'none' } }
  }
  return {
    unfinished: known?.done === false,
    async run(options) {
      const { env, note } = ownProvider(options.env) ?? (await provider())
      const model_port = server === undefined ? null : Number(new URL(server.url).port)
      // Before the agent is deployed, so that no later start finds an agent whose model is gone.
      await writeJson(file, { model_port, done: false } satisfies DemoState)
      if (await runSample(options, dataDir, env, note)) {
        await writeJson(file, { model_port, done: true } satisfies DemoState)
      }
    },
    close: async () => server?.close(),
  }
}

/** At a port that systems give to nobody on their own (those are 32768 and more), so that later starts find it free. */
async function newModelServer() {
  for (let tries = 1; ; tries++) {
    try {
      return await startModelServer({ port: 20_000 + randomInt(10_000) })
    } catch (error) {
      if ((error as { code?: string }).code !== 'EADDRINUSE' || tries === PORTS_TRIED) throw error
    }
  }
}

async function modelServerAt(port: number, say: (line: string) => void) {
  try {
    return await startModelServer({ port })
  } catch (error) {
    say(
      `the example's model server cannot have port ${port} (${(error as Error).message}): until it can, the agent ticket-triage fails. All else works.`,
    )
    return undefined
  }
}

interface Provider {
  env: Record<string, string>
  note?: string
}

/** The provider that the user's own environment names. */
function ownProvider({
  OPENAI_BASE_URL,
  OPENAI_API_KEY,
  OPENAI_MODEL,
}: SampleOptions['env']): Provider | undefined {
  if (!OPENAI_BASE_URL && !OPENAI_API_KEY) return undefined
  const model = OPENAI_MODEL || DEFAULT_MODEL
  return {
    env: {
      ...(OPENAI_BASE_URL && { OPENAI_BASE_URL }),
      OPENAI_API_KEY: OPENAI_API_KEY || 'none',
      OPENAI_MODEL: model,
    },
    note: `OPENAI_BASE_URL or OPENAI_API_KEY is set: the sample calls ${model} at ${OPENAI_BASE_URL || 'api.openai.com'}`,
  }
}

/** False when the signal came before the run had ended. */
async function runSample(
  { base_url, api_key, out, env: shell, signal }: SampleOptions,
  dataDir: string,
  env: Record<string, string>,
  note: string | undefined,
): Promise<boolean> {
  const program = `${dataDir === join(ROOT, '.assay') ? '' : `ASSAY_DATA_DIR=${dataDir} `}npx assay`
  const output = createOutput({ out, err: out, json: false, color: mayColor(out, shell), program })
  const session = { api: connect({ base_url, api_key }), output, now: Date.now }
  if (note !== undefined) output.note(note)
  const { agent, version } = await deployAgent(session.api, await orderOfFile(join(EXAMPLE, 'agent.ts'), env))
  output.note(
    `a sample: examples/ticket-triage is deployed as ${agent.slug}, version ${version}, and gets its tickets.jsonl`,
  )
  const { run_id } = await submitSource(
    session,
    {
      path: join(EXAMPLE, 'tickets.jsonl'),
      fields: { item_id: 'ticket_id', partition_key: 'tenant' },
    },
    { agent_id: agent.id, name: 'sample', idempotency_key: 'the sample of the first start' },
  )
  const run = await followRun(session, run_id, signal)
  if (run !== undefined) await tell(session.api, output, run)
  return run !== undefined
}

async function tell(api: Api, output: Output, run: Run): Promise<void> {
  const { data: items = [] } = await api.GET('/v2/runs/{runId}/items', {
    params: { path: { runId: run.id }, query: { outcome: 'not_ok', limit: 500 } },
  })
  output.emit('ended', { run }, screen =>
    ['', runSummary(run, screen), '', decisions(items, screen), '', whereNext(run, items[0], screen)].join(
      '\n',
    ),
  )
}

function decisions(items: RunItem[], screen: Screen): string {
  if (items.length === 0) return 'every item worked'
  // What failed and what is held first; lists are stable, so the rest keeps its order.
  const rank = (item: RunItem) => (item.status === 'completed' ? 1 : 0)
  const shown = items.toSorted((a, b) => rank(a) - rank(b)).slice(0, ITEMS_SHOWN)
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
