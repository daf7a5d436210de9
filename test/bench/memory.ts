// Measures the memory of all processes of an idle `npm start`, after its sample and after the agent's process has ended.
// Memory is proportional, so that pages that processes share count once.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { commandOf, processes, treeOf } from './proc.ts'

const ROOT = join(import.meta.dirname, '../..')
const IDLE_MS = LIMITS.agent_idle_ms + 20_000 // by then the memory that the sample needed has been given back

/** MiB by name of process, the largest first; processes of one name are added up. */
export async function idleMemory(): Promise<[name: string, mib: number][]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-memory-'))
  await chmod(dataDir, 0o755)
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: '0', ASSAY_DATA_DIR: dataDir, DATABASE_URL: '', REDIS_URL: '' },
  })
  const ended = once(npm, 'exit')
  try {
    const ready = new Promise(resolve =>
      createInterface(npm.stdout).on('line', line => line.startsWith('ready ') && resolve(line)),
    )
    await Promise.race([ready, ended.then(() => Promise.reject(new Error('npm start has ended')))])
    await pause(IDLE_MS)
    return await memoryByName(npm.pid!)
  } finally {
    npm.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function memoryByName(root: number): Promise<[name: string, mib: number][]> {
  const sums = new Map<string, number>()
  for (const { pid, name } of treeOf(root, processes())) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    const mib = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
    const called = name === 'postgres' ? name : commandOf(pid) || name
    sums.set(called, (sums.get(called) ?? 0) + mib)
  }
  return [...sums].sort(([, a], [, b]) => b - a)
}
