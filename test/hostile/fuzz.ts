// `npm run fuzz -- --requests 1000000 --lines 300000 --seed 1`: so many requests made from the document, and so many
// lines of agents, from this seed. It prints what was sent, how fast, with which statuses and how large the process
// became; it exits with 1 if a promise did not hold.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    lines: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
})
const RUNS = [
  { file: 'test/conformance/fuzz.slow.test.ts', amount: values.requests },
  { file: 'test/hostile/agent-lines.slow.test.ts', amount: values.lines, env: { LONG: '1' } },
]
for (const { file, amount, env } of RUNS.filter(({ amount }) => Number(amount) > 0)) {
  const asked = { FUZZ_SEED: values.seed, FUZZ_REQUESTS: amount, FUZZ_LINES: amount }
  const run = spawn('vitest', ['run', '--project', 'stores', file, '--disable-console-intercept'], {
    stdio: 'inherit',
    env: { ...process.env, SLOW: '1', ...env, ...asked },
  })
  const [code] = await once(run, 'exit')
  if (code !== 0) process.exitCode = 1
}
