// The script of every dashboard page. Guarantee: without it everything still works by links and forms, only slower.

import { copyButtons } from './copy.ts'
import { keepForms } from './form-memory.ts'
import { takeFormPage } from './form-page.ts'
import { followJump } from './jump.ts'
import { followKeys } from './keys.ts'
import { fetchLater } from './later.ts'
import { keepLive } from './live.ts'
import { sendOnce } from './once.ts'
import { keepPlace } from './place.ts'
import { followSelection } from './selection.ts'
import { countAges, localTimes } from './times.ts'
import { askFirst, showNotice } from './toast.ts'

takeFormPage(document.body.dataset)
localTimes(document)
countAges(document.body.dataset)
copyButtons(document)
keepLive(document.body.dataset)
followKeys()
askFirst()
followJump()
followSelection()
keepPlace()
keepForms()
showNotice()
fetchLater()
sendOnce()
