#!/usr/bin/env node
// Starts the command on the Node that the project brings, whichever Node the caller has.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const own = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url))
const main = fileURLToPath(new URL('main.ts', import.meta.url))
if (Number(process.versions.node.split('.')[0]) >= 24) await import(main)
else if (existsSync(own)) {
  const { status, signal } = spawnSync(own, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  if (signal) process.kill(process.pid, signal)
  process.exitCode = status ?? 1
} else {
  console.error('assay needs its dependencies: run "npm ci" or "npm start" in its checkout first')
  process.exitCode = 2
}
