// Checks ended runs, each as a whole. Guarantee: a run is checked once, before its end is reported; if the check fails,
// the end is reported without it.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { errorText } from '../../kernel/error-text.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as queries from '../queries/run-checks.ts'
import { failedRunChecks, figuresOf } from '../rules/run-checks.ts'
import { RUN_CHECKS } from '../vocabulary.ts'

/** Checks runs that are due until none is left or LIMITS.run_checks_ms have passed; returns how many it took. */
export async function checkRuns(ctx: Context): Promise<number> {
  const began_ms = ctx.now()
  let looked = 0
  for (;;) {
    const due = await queries.findRunsToCheck(ctx.sql, LIMITS.run_checks_at_once)
    for (const run of due) {
      await checkRun(ctx, run).catch(error =>
        ctx.log('warn', 'run_check_failed', { run_id: run.id, error: errorText(error) }),
      )
      await queries.endCheck(ctx.sql, run)
    }
    looked += due.length
    if (due.length < LIMITS.run_checks_at_once || sinceMs(ctx.now(), began_ms) >= LIMITS.run_checks_ms)
      return looked
  }
}

async function checkRun({ sql }: Context, run: queries.RunToCheck): Promise<void> {
  const figures = figuresOf(await queries.readAnswers(sql, run))
  const before = await queries.findFiguresBefore(sql, run)
  const checks = RUN_CHECKS.filter(name => run.checks.includes(name))
  await queries.writeFigures(sql, run, { ...figures, failed: failedRunChecks(figures, before, checks) })
}
