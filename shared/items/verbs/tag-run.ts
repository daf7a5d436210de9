// Tags a run. Guarantee: the run has the tags that were given and no others, and runs as before.

import type { Context } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { setTags } from '../queries/runs.ts'

export const tagRun = (ctx: Context, run: RunKey, tags: string[]): Promise<void> => setTags(ctx.db, run, tags)
