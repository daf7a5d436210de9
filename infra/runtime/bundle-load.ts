// Loads a bundle once, in a process as its items would have. Guarantee: the process reaches no network, ends within
// LIMITS.bundle_load_ms, and takes no other process with it, whatever the code does; what kept the bundle from loading is
// named with its place and the way out.

import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { type BundleLoad, type BundleToLoad, LoadsBusy } from '../../shared/agents/rules/bundle-load.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { Pool } from '../../shared/kernel/pool.ts'
import { limitIn, wayOut } from '../../shared/sdk/sandbox-limits.ts'
import { egressRules } from './egress.ts'
import type { Launcher } from './launch.ts'
import { WorkerdProcess } from './workerd-process.ts'

export interface LoadContext {
  launcher: Launcher
  dataDir: string
  /** What the process may use. */
  memory_bytes: number
}

export class BundleLoads {
  readonly #context: LoadContext
  readonly #places = new Pool(LIMITS.bundle_loads, 'bundle_loads')

  constructor(context: LoadContext) {
    this.#context = context
  }

  /** @throws LoadsBusy */
  async load(bundle: BundleToLoad): Promise<BundleLoad> {
    const leave = await this.#places.take(bundle.account_id, 1, LIMITS.bundle_load_ms)
    if (leave === undefined) throw new LoadsBusy('other bundles are being loaded')
    try {
      return await loadOnce(this.#context, bundle)
    } finally {
      leave()
    }
  }
}

/** @throws Error where no process could be started at all */
export async function loadOnce(
  context: LoadContext,
  { name, code, env }: Pick<BundleToLoad, 'name' | 'code' | 'env'>,
): Promise<BundleLoad> {
  const word = `early-${randomUUID()}:`
  let one: WorkerdProcess | undefined
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    one?.condemn({ code: 'agent_unresponsive', why: 'it did not load in time' })
  }, LIMITS.bundle_load_ms)
  try {
    const { launcher, dataDir, memory_bytes } = context
    const spec = {
      name: `agent ${name}`,
      code,
      env,
      rules: egressRules(),
      memory_bytes,
      cpu_without_pong_ms: LIMITS.bundle_load_ms,
      itemsOpen: () => 0,
      before: earlyCalls(word),
      printed: { push() {}, end() {} }, // whoever deploys gets what it says about its failure
    }
    const process = await WorkerdProcess.start(launcher, dataDir, spec, spawned => {
      one = spawned
    })
    const declaration = await declarationOf(process)
    const early = process.output.indexOf(word)
    if (early !== -1) return failureIn(`${UNCAUGHT}Error: ${process.output.slice(early + word.length)}`, code)
    if (isLate) return LATE
    return { loaded: true, ...(declaration !== undefined && { declaration }) }
  } catch (error) {
    if (!one?.wasStarted) throw error
    if (isLate) return LATE
    const output = one.output
    return output.includes(UNCAUGHT)
      ? failureIn(output, code)
      : { loaded: false, code: 'load_failed', message: (error as Error).message, places: [] }
  } finally {
    clearTimeout(late)
    one?.condemn({ code: 'agent_unresponsive', why: 'it has been loaded' })
    await one?.died
  }
}

const LATE: BundleLoad = {
  loaded: false,
  code: 'load_timeout',
  message: `the bundle did not load within ${LIMITS.bundle_load_ms / 1000} s`,
  hint: 'Work belongs in run(): look for a loop at module level.',
  places: [],
}

/**
 * Reports a fetch at module level, also one whose failure is caught or awaited by nobody yet: each item would find it failed.
 * Timers and random values throw there by themselves.
 */
const earlyCalls = (word: string) => ({
  name: 'assay-early',
  code: `
const { fetch } = globalThis
const { error } = console
globalThis.fetch = function (...request) {
  if (performance.now() === 0) error(${JSON.stringify(word)} + new Error('Disallowed operation called within global scope').stack.replace(/^Error: /, ''))
  return fetch.apply(this, request)
}
`,
})

/** What the agent says of itself; undefined if it does not answer, which an agent without the SDK need not. */
async function declarationOf({ socketPath, died }: WorkerdProcess): Promise<unknown> {
  const text = await new Promise<string>(resolve => {
    const request = http.get({ socketPath, path: '/', agent: false }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > LIMITS.configuration_bytes) response.destroy()
      })
      response.once('close', () => resolve(response.statusCode === 200 ? text : ''))
    })
    request.once('error', () => resolve(''))
    void died.then(() => resolve(''))
  })
  try {
    return (JSON.parse(text) as { declaration?: unknown }).declaration
  } catch {
    return undefined
  }
}

/** How workerd begins its words about an error at module level. */
const UNCAUGHT = 'service agent: Uncaught '
const FRAME = /^\s+at (.*)$/
const PLACE = /(?:^|\()(?:.*\/)?agent(?:\.mjs)?:(\d+):(\d+)/

/** Reads the last of workerd's reports: `service agent: Uncaught TypeError: words`, and lines `  at agent:3:18 in load`. */
function failureIn(output: string, code: string): BundleLoad {
  const lines = output.slice(output.lastIndexOf(UNCAUGHT) + UNCAUGHT.length).split('\n')
  const end = lines.findIndex((line, n) => n > 0 && FRAME.test(line))
  const head = lines.slice(0, end === -1 ? undefined : end).join('\n')
  // Of an error with a name of its own, workerd writes `Error: ItsName: words`.
  const [, error = 'Error', words = ''] = /^(?:Error: )?(\w+): ([\s\S]*)$/.exec(head.trim()) ?? [
    null,
    'Error',
    head,
  ]
  const frames = end === -1 ? [] : lines.slice(end).flatMap(line => FRAME.exec(line)?.[1] ?? [])
  const places = frames.flatMap(frame => {
    const [, line, column] = PLACE.exec(frame) ?? []
    return line === undefined ? [] : [{ line: Number(line), column: Number(column) }]
  })
  const limit = limitIn(`${words}\n${frames.join('\n')}`)
  return {
    loaded: false,
    code: 'load_failed',
    error,
    message: [placeOf(places), messageOf(words, places, code)].filter(Boolean).join(': '),
    ...(limit && { hint: wayOut(limit) }),
    places,
  }
}

interface Place {
  line: number
  column: number
}

const placeOf = ([first]: readonly Place[]) => first && `agent.mjs:${first.line}:${first.column}`

/** workerd's words, without its advice about other products, and with the call that they are about. */
function messageOf(words: string, places: readonly Place[], code: string): string {
  if (NO_HANDLER.test(words)) return 'the module has no default export with a method fetch'
  if (!words.startsWith(AT_MODULE_LEVEL)) return words
  const calls = places.flatMap(place => callAt(code, place) ?? [])
  const call = calls.find(name => EARLY_CALL.test(name)) ?? calls[0] ?? 'it'
  return `${call} does not work at module level`
}

/** workerd's words go on with advice about other products. */
const AT_MODULE_LEVEL = 'Disallowed operation called within global scope'
const EARLY_CALL = /fetch|timeout|interval|immediate|random|uuid|connect|socket/i

const NO_HANDLER = /^Incorrect type for map entry 'default'|^Cannot initialize \S*ExportedHandler/

/** The name that stands at a place, such as `crypto.randomUUID`. */
function callAt(code: string, { line, column }: Place): string | undefined {
  const text = code.split('\n', line)[line - 1] ?? ''
  const before = /[\w$.]*$/.exec(text.slice(Math.max(0, column - 81), column - 1))![0]
  const after = /^[\w$.]*/.exec(text.slice(column - 1, column + 80))![0]
  const [, made] = /^new\s+([\w$.]+)/.exec(text.slice(column - 1, column + 80)) ?? []
  return made ?? ((before + after).replace(/^\.|\.$/g, '') || undefined)
}
