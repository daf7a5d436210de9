// What the dashboard does beyond links and forms. Guarantee: without it everything still works, only less quickly.

import { followJump } from './jump.ts'
import { followKeys } from './keys.ts'
import { keepLive } from './live.ts'
import { followSelection } from './selection.ts'
import { localTimes } from './times.ts'

localTimes(document)
keepLive(document.body.dataset)
followKeys()
followJump()
followSelection()
