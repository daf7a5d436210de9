// Builds infra/node/main.ts into one file, as the image has it. Loaded from its sources a process needs several seconds
// of a processor to start, and a storm starts hundreds.

import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { FOR_NODE } from '../../infra/for-node.ts'

const CHECKOUT = join(import.meta.dirname, '../..')

export interface Program {
  /** As startProcess takes it: relative to infra/node. */
  path: string
  remove(): Promise<void>
}

export async function buildProgram(): Promise<Program> {
  const name = `dist/storm-${randomUUID()}.mjs` // in the checkout, so that it finds workerd
  await build({
    ...FOR_NODE,
    minify: false, // keeps errors in the logs readable
    entryPoints: [join(CHECKOUT, 'infra/node/main.ts')],
    outfile: join(CHECKOUT, name),
    logLevel: 'warning',
  })
  return { path: join('../..', name), remove: () => rm(join(CHECKOUT, name), { force: true }) }
}
