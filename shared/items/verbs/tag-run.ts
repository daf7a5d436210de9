// Tags a run. Guarantee: the run has exactly the given tags, and runs as before.

import type { Context } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { setTags } from '../queries/runs.ts'

export const tagRun = (ctx: Context, run: RunKey, tags: string[]): Promise<void> => setTags(ctx.db, run, tags)
