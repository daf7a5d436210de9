// Runs the sample of a first start: deploys the ticket triage example, runs it over its sample tickets with the code of
// `assay deploy` and `assay submit`, and prints the result. Guarantee: it does not affect later starts, and an
// interrupted sample continues with the same run.

import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { startModelServer } from '../../examples/model-server/server.ts'
import { mayColor, type Writer } from '../../shared/cli/output.ts'
import { ROOT } from '../../shared/cli/own-files.ts'
import { readJson, writeJson } from './data-folder.ts'
import type { SampleEnd, SampleOrder } from './sample.ts'

const SAMPLE = join(ROOT, 'infra/local/sample.ts')
const TRAINING = join(ROOT, 'examples/model-server/training.jsonl')
const DEFAULT_MODEL = 'gpt-5-mini' // with the user's own provider, unless OPENAI_MODEL names another
const PORTS_TRIED = 20

/** The demo's state in the data folder, so that the address in the agent's environment stays valid. */
interface DemoState {
  /** Null when the demo uses the user's own provider. */
  model_port: number | null
  done: boolean
}

export interface Demo {
  /** A sample run was started here and not watched to its end. */
  unfinished: boolean
  /** Deploys the example, runs it over its sample and prints the result. */
  run(options: SampleOptions): Promise<void>
  /** Stops the model server, where there is one. */
  close(): Promise<void>
}

export interface SampleOptions {
  base_url: string
  api_key: string
  out: Writer
  env: Record<string, string | undefined>
  /** Stops watching and printing. */
  signal: AbortSignal
}

/** Restarts the model server that the deployed example calls; without one it does nothing until `run`. */
export async function openDemo(dataDir: string, say: (line: string) => void): Promise<Demo> {
  const file = join(dataDir, 'demo.json')
  const known = await readJson<DemoState>(file)
  let server = known?.model_port ? await modelServerAt(known.model_port, say) : undefined
  if (server !== undefined) sayModel(server.url)

  function sayModel(url: string): void {
    say(`model OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=none, for trials`)
  }

  async function provider(): Promise<Provider> {
    if (server === undefined) {
      server = await newModelServer()
      sayModel(server.url)
    }
    return { env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'none' } }
  }
  return {
    unfinished: known?.done === false,
    async run(options) {
      const { env, note } = ownProvider(options.env) ?? (await provider())
      const model_port = server === undefined ? null : Number(new URL(server.url).port)
      // Written before the agent is deployed, so that no later start finds an agent whose model server is gone.
      await writeJson(file, { model_port, done: false } satisfies DemoState)
      const { base_url, api_key, out } = options
      const program = `${dataDir === join(ROOT, '.assay') ? '' : `ASSAY_DATA_DIR=${dataDir} `}npx --no assay`
      const screen = { program, color: mayColor(out, options.env), columns: out.columns }
      if (await runSample({ base_url, api_key, env, note, ...screen }, out, options.signal)) {
        await writeJson(file, { model_port, done: true } satisfies DemoState)
      }
    },
    close: async () => server?.close(),
  }
}

/** Uses a port below the systems' ephemeral ones (32768 and more), so that later starts find it free. */
async function newModelServer() {
  for (let tries = 1; ; tries++) {
    try {
      return await startModelServer({ port: 20_000 + randomInt(10_000), training: TRAINING })
    } catch (error) {
      if ((error as { code?: string }).code !== 'EADDRINUSE' || tries === PORTS_TRIED) throw error
    }
  }
}

async function modelServerAt(port: number, say: (line: string) => void) {
  try {
    return await startModelServer({ port, training: TRAINING })
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

/** The model provider that the user's environment names. */
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

/** Returns false when the signal came before the run had ended. */
async function runSample(order: SampleOrder, out: Writer, signal: AbortSignal): Promise<boolean> {
  // It runs in a session of its own: Ctrl-C in a terminal reaches the stack, which passes it on.
  const child = fork(SAMPLE, { detached: true, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const stop = () => child.connected && child.send('stop')
  let end: SampleEnd | undefined
  child.on('message', message => {
    end = message as SampleEnd
  })
  child.stdout!.on('data', text => out.write(text))
  child.send(order)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  const [code, killed] = await once(child, 'close')
  signal.removeEventListener('abort', stop)
  if (end === undefined) throw new Error(`its process ended with ${killed ?? code}`)
  if ('failed' in end) throw new Error(end.failed)
  return end.done
}
