import { startNodeHost } from './hosts.ts'
import { conformance } from './suite.ts'

conformance('Node', startNodeHost)
