// Starts the double of a model provider in a process of its own, so that it is not slow because Assay is measured.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { stopProcess } from '../stack.ts'

export async function startDouble() {
  const child = fork(join(import.meta.dirname, '../../support/provider.ts'), {
    env: { ...process.env, PORT: '0' },
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { url, stop: () => stopProcess(child) }
}
