import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { LIMITS } from '../kernel/limits.ts'
import { bundleAgent } from './bundle.ts'

it('bundling fails if the file never finishes loading', {
  timeout: 2 * LIMITS.bundle_load_ms,
}, async () => {
  await using folder = new AsyncDisposableStack()
  const path = join(folder.adopt(await tempFolder(), made => made.remove()).path, 'hangs.ts')
  await writeFile(path, 'for (;;) {}\nexport default class Hangs {}')
  await expect(bundleAgent(path)).rejects.toMatchObject({ code: 'load_timeout' })
})
