// The queues that Assay is compared with, by the names of their packages.

import { bullmq } from './bullmq.ts'
import { graphileWorker } from './graphile-worker.ts'
import type { Peer } from './peer.ts'
import { pgBoss } from './pg-boss.ts'

export const PEERS: Record<string, Peer> = { 'graphile-worker': graphileWorker, 'pg-boss': pgBoss, bullmq }
