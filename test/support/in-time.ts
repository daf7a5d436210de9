// A run of tests ends in time on a slow machine: a file that would begin after BEGIN_TESTS_BEFORE, in seconds since 1970, is
// left out whole, and named with the reason. Without that variable every file runs.

import { relative } from 'node:path'
import { type RunnerTask, type RunnerTestFile, TestRunner } from 'vitest'

const LAST = Number(process.env.BEGIN_TESTS_BEFORE || Number.POSITIVE_INFINITY)

export default class InTime extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    if (Date.now() / 1000 < LAST) return
    for (const file of files) {
      leaveOut(file)
      console.error(`NOT RUN, for the time of this run is over: ${relative(process.cwd(), file.filepath)}`)
    }
  }
}

function leaveOut(task: RunnerTask): void {
  task.mode = 'skip'
  if ('tasks' in task) for (const one of task.tasks) leaveOut(one)
}
