// Reads the reports of the suites: `failed REPORT` prints the files to run once more, `sum REPORT...` how many tests
// passed and failed. A report that is lost counts as a failure.

import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** So many that fail are no chance: to run them again takes as long as the suite, and says nothing new. */
const MOST_AGAIN = 8

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/** A file that could not be loaded has no tests of its own; it counts as one that failed. */
const failuresOf = file =>
  file.assertionResults.filter(test => test.status === 'failed').length || (file.status === 'failed' ? 1 : 0)

const failedFiles = report => (report?.testResults ?? []).filter(file => failuresOf(file) > 0)

function again(path) {
  const files = failedFiles(read(path)).map(file => relative(process.cwd(), file.name))
  if (files.length === 0 || files.length > MOST_AGAIN) process.exit(1)
  console.log(files.join(' '))
}

function sum(paths) {
  let passed = 0
  let failed = 0
  for (const path of paths) {
    const report = read(path)
    const second = read(path.replace(/\.json$/, '.again.json'))
    const left = second ? failedFiles(second) : failedFiles(report)
    for (const file of second ? failedFiles(report) : [])
      if (!left.some(one => one.name === file.name))
        console.error(`FLAKY: ${relative(process.cwd(), file.name)}`)
    const failures = report ? left.reduce((count, file) => count + failuresOf(file), 0) : 1
    passed += (report?.numPassedTests ?? 0) + Math.max(0, (report?.numFailedTests ?? 0) - failures)
    failed += failures
  }
  console.log(passed, failed)
}

const [verb, ...paths] = process.argv.slice(2)
if (verb === 'failed') again(paths[0])
else sum(paths)
