// Runs the workers of one peer in a process of their own. The first argument names the peer, the second the stores.

import type { At } from './peer.ts'
import { PEERS } from './peers.ts'

// The bench asks for a message when the next item begins.
let shouldReport = false
process.on('message', () => {
  shouldReport = true
})
process.on('disconnect', () => process.exit(0))

const [name, at] = process.argv.slice(2)
await PEERS[name!]!.work(JSON.parse(at!) as At, () => {
  if (!shouldReport) return
  shouldReport = false
  process.send!({ at: performance.timeOrigin + performance.now() })
})
process.send!({ ready: true })
