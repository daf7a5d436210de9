// Each function as a process of its own. The sweeps, which send every operation everything that is wrong, are left to
// the hosts that serve all of it in one process: what they find is in the code that both run.

import { alone, functionsHost } from './function-hosts.ts'
import { conformance } from './suite.ts'

conformance('a function for each group, behind the router', functionsHost(alone), { sweeps: false })
