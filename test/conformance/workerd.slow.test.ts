import { startWorkerdHost } from './hosts.ts'
import { conformance } from './suite.ts'

conformance('workerd', startWorkerdHost)
