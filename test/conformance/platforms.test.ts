// The same functions under doubles of what OpenFaaS and Knative put around them. What does not depend on the platform
// is tested where nothing is around them; here is what the platform can change.

import { functionsHost, underQueueProxy, underWatchdog } from './function-hosts.ts'
import { passageConformance } from './suite.ts'

passageConformance('the watchdog of OpenFaaS', functionsHost(underWatchdog))
passageConformance('the queue-proxy of Knative', functionsHost(underQueueProxy))
