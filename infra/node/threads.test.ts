import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'

const HERE = import.meta.dirname
const NODE = join(HERE, '../../node_modules/.bin/node')

it.each([
  ['main.ts', './threads.ts'],
  ['function.ts', './threads.ts'],
  ['../local/start.ts', '../node/threads.ts'],
])('%s sizes the thread pool before it loads anything else', (file, path) => {
  const [first] = /^import .*$/m.exec(readFileSync(join(HERE, file), 'utf8'))!
  expect(first).toBe(`import '${path}'`)
})

// Counts threads in /proc, so it needs Linux: as many hashes begin at once as there are threads.
it.skipIf(process.platform !== 'linux')('name lookups use at most half of the threads', async () => {
  const script = `
    import ${JSON.stringify(join(HERE, 'threads.ts'))}
    import { pbkdf2 } from 'node:crypto'
    import { readdirSync } from 'node:fs'
    const count = () => readdirSync('/proc/self/task').length
    const before = count()
    await Promise.all(Array.from({ length: 64 }, () => new Promise(done => pbkdf2('a', 'b', 1, 32, 'sha256', done))))
    console.log(count() - before)`
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(NODE, ['--input-type=module', '-e', script], { env })
  expect(Number(stdout)).toBeGreaterThan(2 * LIMITS.name_lookups - 4) // the runtime may have started its four before
})
