// Answers that nginx itself gives in front of functions of one endpoint each, from a real nginx where it is installed.

import { expect, it } from 'vitest'
import { unitsOf } from '../../../infra/packaging.ts'
import { nginxFile } from '../../../infra/targets/routes.ts'
import { judge } from '../../../shared/sdk/foreign-answer.ts'
import { hasNginx, startIngress } from '../../support/ingress.ts'

const NOBODY = '127.0.0.1:1'

it.skipIf(!hasNginx)(
  'clients read an answer that nginx gives in place of a function as one of Assay (needs the Debian package nginx-light)',
  async () => {
    const ingress = await startIngress(nginxFile(unitsOf('endpoint'), { server: NOBODY, seconds: 5 }))
    const judged = async (path: string) => {
      const url = `${ingress.url}${path}`
      return judge(await fetch(url), { base: ingress.url, url })
    }
    try {
      const message = 'The function "list-projects" did not answer.'
      expect(await judged('/v1/projects')).toMatchObject({
        by: 'assay',
        error: { code: 'internal', message },
      })
      for (const unreadable of ['/v1/projects/%00', `/v1/${'x'.repeat(20_000)}`]) {
        const error = { code: 'invalid_request' }
        expect(await judged(unreadable)).toMatchObject({ by: 'assay', error })
      }
    } finally {
      await ingress.close()
    }
  },
)
