// The commands of a page that leads from nothing to running, in their order. The words after `sh` on the first line of
// a block say how it is tried: without one it runs as it is; `names` are the reader's own, and a test has others;
// `account` is what a Job printed; `checkout` and `machine` are what a test machine has or must not be given; and
// `cluster` is for npm run test:cluster, with a second word for what is played in its place.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const PAGES = ['openfaas', 'knative', 'workerd'] as const
export type Page = (typeof PAGES)[number]

export const KINDS = ['', 'names', 'account', 'checkout', 'machine', 'cluster'] as const
export const STEPS = ['', 'migrate', 'account', 'deploy', 'remove'] as const

export interface Block {
  kind: (typeof KINDS)[number]
  /** Of a block for a cluster, if it is played, or if something is checked before it. */
  step: (typeof STEPS)[number]
  commands: string
}

export function blocksOf(page: Page): Block[] {
  const text = readFileSync(join(import.meta.dirname, `../../infra/${page}.md`), 'utf8')
  return [...text.matchAll(/^```sh ?(.*)\n([\s\S]*?)^```$/gm)].map(([, info, commands]) => {
    const [kind = '', step = ''] = info!.split(' ') as [Block['kind'], Block['step']]
    return { kind, step, commands: commands! }
  })
}

const PROGRAMS = ['docker', 'kubectl', 'helm', 'faas-cli', 'kn', 'curl', 'openssl', 'psql']

/** The programs that the blocks run, out of those that a bare machine lacks. */
export const programsOf = (blocks: readonly Block[]): string[] =>
  PROGRAMS.filter(name =>
    blocks.some(({ commands }) => new RegExp(`(^|[\\s(;|])${name} `, 'm').test(commands)),
  )

/** What the reader is asked to name, and whether the page's value is only an example. */
export const namesOf = (blocks: readonly Block[]): { name: string; isExample: boolean }[] =>
  blocks
    .filter(({ kind }) => kind === 'names')
    .flatMap(({ commands }) => [...commands.matchAll(/^export (\w+)=(\S+)/gm)])
    .map(([, name, value]) => ({ name: name!, isExample: /\bexample\.|PASSWORD/.test(value!) }))
