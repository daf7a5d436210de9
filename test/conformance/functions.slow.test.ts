// Each function as a process of its own, as a role that owns nothing, and through a pooler if there is PgBouncer. The
// sweeps, which send every operation everything that is wrong, are left to the hosts that are one process: what they
// find is in code that both run.

import { hasPgBouncer } from '../support/pgbouncer.ts'
import { alone, asRunningRole, functionsHost, throughPooler } from './function-hosts.ts'
import { conformance } from './suite.ts'

const host = functionsHost(alone)
conformance(
  `a function for each group, behind the router${hasPgBouncer ? ' and PgBouncer' : ''}, as a role that owns nothing`,
  asRunningRole(hasPgBouncer ? throughPooler(host) : host),
  { sweeps: false },
)
