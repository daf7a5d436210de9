// The commands of a page that leads from nothing to running, in their order. What follows `sh` on the first line of a
// block says how it is tried: nothing, it is run as it stands; `names`, the reader's own, of which a test has others;
// `account`, what a Job printed; `checkout` and `machine`, what a test machine has or must not be given; and `cluster`,
// for npm run test:cluster, whose second word says what is played in its place.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const PAGES = ['openfaas', 'knative', 'workerd'] as const
export type Page = (typeof PAGES)[number]

export const KINDS = ['', 'names', 'account', 'checkout', 'machine', 'cluster'] as const

export interface Block {
  kind: (typeof KINDS)[number]
  /** Of a cluster: `migrate`, `account` or `deploy`, where it is played. */
  step: string
  commands: string
}

export function blocksOf(page: Page): Block[] {
  const text = readFileSync(join(import.meta.dirname, `../../infra/${page}.md`), 'utf8')
  return [...text.matchAll(/^```sh ?(.*)\n([\s\S]*?)^```$/gm)].map(([, info, commands]) => {
    const [kind = '', step = ''] = info!.split(' ')
    return { kind: kind as Block['kind'], step, commands: commands! }
  })
}
