// Each endpoint as a process of its own, as the generated ingress leads to them; all of them through a pooler, as a role
// that owns nothing.

import { describe, it, vi } from 'vitest'
import { hasNginx } from '../support/ingress.ts'
import { hasPgBouncer } from '../support/pgbouncer.ts'
import { alone, asRunningRole, functionsHost, throughPooler } from './function-hosts.ts'
import { conformance } from './suite.ts'

// A test that asks every operation starts as many processes.
vi.setConfig({ testTimeout: 180_000 })

if (hasNginx && hasPgBouncer)
  conformance(
    'a function for each endpoint, behind nginx and PgBouncer, as a role that owns nothing',
    asRunningRole(throughPooler(functionsHost(alone, 'endpoint'))),
    { sweeps: false },
  )
else
  describe.skip('a function for each endpoint, behind nginx and PgBouncer, as a role that owns nothing', () => {
    it('needs the Debian packages nginx-light and pgbouncer')
  })
