// Installs the queues that Assay is compared with, from the registry, once for each set of versions.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const VERSIONS = {
  'graphile-worker': '0.18.0',
  'pg-boss': '12.38.0',
  bullmq: '6.7.0',
  ioredis: '6.0.0',
}

/** @returns the folder they are in */
export async function installPeers(): Promise<string> {
  const name = createHash('sha256').update(JSON.stringify(VERSIONS)).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `assay-peers-${name}`)
  if (existsSync(folder)) return folder
  const staging = `${folder}.${process.pid}`
  await mkdir(staging)
  try {
    await writeFile(join(staging, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }))
    const options = ['--ignore-scripts', '--no-audit', '--no-fund']
    await promisify(execFile)('npm', ['install', ...options], { cwd: staging })
    await rename(staging, folder)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return folder
}
