// Reads a file as `assay submit` does before it sends anything, and prints how that ended and the most memory of this process.

import { readFileSync } from 'node:fs'
import { readItems } from '../../../shared/cli/submit-file.ts'

const [path = ''] = process.argv.slice(2)
let rows = 0
let problem: string | null = null
const session = { output: { redraw() {} }, now: Date.now } as never
try {
  const seen = () => {
    rows++
  }
  for await (const _ of readItems(session, { path, fields: {}, seen }, 'reading'));
} catch (error) {
  problem = (error as Error).message
}
const peak_bytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
console.log(JSON.stringify({ rows, problem, peak_bytes }))
