// Ports of this machine for what tests start. Guarantee: a process gives none twice, and none that the kernel would give
// to a connection before who was told of it listens there.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isFree } from '../../infra/local/store.ts'
import { hasEnded } from './doubles/process.ts'

// Below /proc/sys/net/ipv4/ip_local_port_range, which begins at 32,768.
const [FIRST, LAST] = [20_000, 32_000]
const APART = 101 // from one process of the tests to the next, whose ids follow each other

let latest = FIRST + ((process.pid * APART) % (LAST - FIRST))

export async function freePort(): Promise<number> {
  for (;;) {
    latest = latest < LAST ? latest + 1 : FIRST
    const port = latest // two callers at once go on from each other's
    if (await isFree(port)) return port
  }
}

const LOOKS = 200 // 50 ms apart

/** Resolves when something listens there. @throws where the process that was to do so does not, or has ended */
export async function listensAt(port: number, child: ChildProcess): Promise<void> {
  for (let look = 0; look < LOOKS && !hasEnded(child); look++) {
    if (await isReachable(port)) return
    await pause(50)
  }
  const how = hasEnded(child) ? 'it has ended' : 'it is silent'
  throw new Error(`${child.spawnfile} does not listen at ${port}: ${how}`)
}

async function isReachable(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}
