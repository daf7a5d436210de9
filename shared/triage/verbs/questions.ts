// Asks people in triage about answers that the grader is not sure of.

import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { askAboutSuspected } from '../queries/questions.ts'

export const askQuestions = (ctx: Context): Promise<number> =>
  askAboutSuspected(ctx.sql, LIMITS.questions_per_sweep)
