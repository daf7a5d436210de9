import { alone, functionsHost } from './function-hosts.ts'
import { conformance } from './suite.ts'

conformance('a function for each group, behind the router', functionsHost(alone))
