// Free ports of this machine for what tests start. Guarantee: a process gives no port twice, and none that the kernel
// could give to a connection before the server that got it listens.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isFree } from '../../infra/local/store.ts'
import { hasEnded } from './doubles/process.ts'

// Below /proc/sys/net/ipv4/ip_local_port_range, which begins at 32,768.
const [FIRST, LAST] = [20_000, 32_000]
const APART = 101 // between one test process and the next, whose ids are consecutive

let latest = FIRST + ((process.pid * APART) % (LAST - FIRST))

export async function freePort(): Promise<number> {
  for (;;) {
    latest = latest < LAST ? latest + 1 : FIRST
    const port = latest // a concurrent caller may advance `latest`
    if (await isFree(port)) return port
  }
}

const LOOKS = 200 // 50 ms apart

/** Resolves when something listens there. @throws if the process that should listen has ended, or does not in time */
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
