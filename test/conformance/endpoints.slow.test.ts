// Each endpoint as a process of its own behind the generated ingress, all through a pooler and as a role that owns
// nothing. It starts some hundred Node processes, many of them several times: ten minutes next to a dozen busy
// processes on two cores. So it starts first, and leaves the sweeps to hosts that are one process.

import { describe, it, vi } from 'vitest'
import { hasNginx } from '../support/ingress.ts'
import { hasPgBouncer } from '../support/pgbouncer.ts'
import { alone, asRunningRole, functionsHost, throughPooler } from './function-hosts.ts'
import { conformance } from './suite.ts'

// A test that calls every operation starts as many processes.
vi.setConfig({ testTimeout: 180_000 })

const NAME = 'a function for each endpoint, behind nginx and PgBouncer, as a role that owns nothing'

if (hasNginx && hasPgBouncer)
  conformance(NAME, asRunningRole(throughPooler(functionsHost(alone, 'endpoint'))), { sweeps: false })
else
  describe.skip(NAME, () => {
    it('needs the Debian packages nginx-light and pgbouncer')
  })
