// Makes an exit that an agent's code asks for a death of its process. Guarantee: code that calls process.exit,
// reallyExit or abort does not go on, nor does anything else in its process; the parent learns which call it was.
//
// By itself workerd only cancels the request in which the call was made: the agent goes on, and the request's other
// items fail with a bare 500.

import { randomUUID } from 'node:crypto'

/** A module that runs before the agent's own code. */
export interface AddedModule {
  name: string
  code: string
}

const ENTRY = 'assay-entry'
const EXIT = 'assay-exit'
/** As long as `node:process`, so that no place in the code moves: source maps go by it. */
const PROCESS = 'assayprocess'

/** The calls that end a process. `process.kill` is not among them: workerd lacks it, and the call throws. */
const CALLS = ['exit', 'reallyExit', 'abort']
/** What `globalThis.process` has of our own; the clock's are from module-clock.ts. */
const REPLACED = [...CALLS, 'hrtime', 'uptime']

/** How much of a call is read; an agent may exit with any text. */
const CALL_CHARACTERS = 60

/** Recognises the report of one process in its output. */
export class ExitReport {
  /**
   * Begins the report. It is new for each process, so that no text which an agent only prints, such as an item's input,
   * can be a report. Code that looks for it can end its own process with it, and no more.
   */
  readonly #word = `exit-${randomUUID()}:`
  /** The end of earlier output: a pipe may cut the report anywhere. */
  #rest = ''

  /** The modules to put around the agent's, in order; the first is the worker's entry. `before` are evaluated first. */
  modulesAround(agent: string, before: readonly AddedModule[] = []): AddedModule[] {
    const first = [...before.map(({ name }) => name), EXIT].map(name => `import '${name}'\n`)
    const entry = `${first.join('')}import * as agent from '${agent}'\nexport * from '${agent}'\nexport default agent.default\n`
    return [
      { name: ENTRY, code: entry },
      ...before,
      { name: EXIT, code: exitModule(this.#word) },
      { name: PROCESS, code: PROCESS_MODULE },
    ]
  }

  /** The call that the output reports, such as `process.exit(3)`; undefined if there is none. */
  read(chunk: Buffer): string | undefined {
    const text = this.#rest + chunk.toString('latin1')
    const begin = text.indexOf(this.#word)
    this.#rest = begin === -1 ? text.slice(-this.#word.length) : text.slice(begin)
    if (begin === -1) return undefined
    const [call = '', rest] = text.slice(begin + this.#word.length).split('\n', 2)
    if (rest === undefined && call.length < CALL_CHARACTERS) return undefined
    return call.slice(0, CALL_CHARACTERS)
  }

  /** The output without the report. */
  withoutReport(chunk: Buffer): Buffer {
    const begin = chunk.indexOf(this.#word)
    return begin === -1 ? chunk : chunk.subarray(0, begin)
  }
}

/**
 * The agent's thread stays in the call, so that nothing of the agent runs until the parent has killed the process. It
 * loops because workerd does not let a worker wait.
 */
const exitModule = (word: string) => `
const { process } = globalThis
const { error } = console
for (const call of ${JSON.stringify(CALLS)}) {
  process[call] = code => {
    const shown = typeof code === 'number' || typeof code === 'string' ? JSON.stringify(code).slice(0, 20) : ''
    error(${JSON.stringify(word)} + 'process.' + call + '(' + shown + ')')
    for (;;);
  }
}
`

/** `node:process` with those calls: the names that the true module exports cannot be replaced. */
const PROCESS_MODULE = `
export * from 'node:process'
export { default } from 'node:process'
export const { ${REPLACED.join(', ')} } = globalThis.process
`

/**
 * Lets imports of `node:process` that can reach what is replaced import the module above. A default import is the
 * process object itself, and stays. A text that looks like such a statement is changed too. The time is linear in the
 * length of the code, whatever it is: it runs in the parent.
 */
export function withExitReported(code: string): string {
  return code
    .replace(FROM, (whole, space: string, quote: string, at: number) =>
      REACHING.test(namesBefore(code, at)) ? `from${space}${quote}${PROCESS}${quote}` : whole,
    )
    .replace(DYNAMIC_IMPORT, `$1$2${PROCESS}$2`)
}

const FROM = /\bfrom(\s*)(["'])node:process\2/g
const DYNAMIC_IMPORT = /(\bimport\s*\(\s*)(["'])node:process\2(?=\s*\))/g
const REACHING = new RegExp(`[*]|\\b(${REPLACED.join('|')})\\b`)
const IN_CLAUSE = /[\w$\s{},*]/

/** What stands between the word `import` or `export` of a statement and its `from`; empty if it is no statement. */
function namesBefore(code: string, from: number): string {
  let begin = from
  while (begin > 0 && IN_CLAUSE.test(code[begin - 1]!)) begin--
  const parts = code.slice(begin, from).split(/\b(?:import|export)\b/)
  const names = parts.pop()!
  const before = parts.pop()
  if (before === undefined) return ''
  const end = before.trimEnd()
  const isStatement = end === '' || end.endsWith('}') || before.slice(end.length).includes('\n')
  return isStatement ? names : ''
}
