// The jump: finds what an id or a part of a name may mean. Guarantee: an id that names one thing opens it at once.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { Field } from '../parts/form.tsx'
import { findTargets, LOOKED_AT, RUNS_LIKE, type Target } from '../parts/jump-targets.ts'
import { page } from '../shell/page.ts'

export const jumpPage = page({
  path: '/dashboard/projects/{projectId}/jump',
  query: z.strictObject({
    q: z.string().max(LIMITS.item_id_bytes).optional(),
    /** Opens the target of an exact id. Without it all results are listed, as the script needs while the user types. */
    go: z.literal('1').optional(),
  }),
  async show({ api, params: { projectId: project_id }, query }) {
    const text = query.q?.trim() ?? ''
    await api.GET('/v1/projects/{projectId}', { params: { path: { projectId: project_id } } })
    const { targets, is_exact, is_whole } =
      text === ''
        ? { targets: [], is_exact: false, is_whole: true }
        : await findTargets(api, project_id, text)
    if (query.go !== undefined && is_exact)
      return new Response(null, { status: 303, headers: { location: targets[0]!.href } })
    return {
      title: 'Jump',
      project_id,
      body: (
        <>
          <h1>Jump</h1>
          <form class="filters" method="get">
            <input type="hidden" name="go" value="1" />
            <Field label="An id, an item’s own id, or a part of a name">
              <input type="search" name="q" value={text} size={40} maxlength={LIMITS.item_id_bytes} />
            </Field>
            <button class="primary">Jump</button>
          </form>
          <Targets targets={targets} asked={text !== ''} is_whole={is_whole} />
        </>
      ),
    }
  },
})

interface TargetsProps {
  targets: readonly Target[]
  asked: boolean
  is_whole: boolean
}

const Targets = ({ targets, asked, is_whole }: TargetsProps) => (
  <ul id="jump-found" class="targets" data-rows>
    {targets.map(({ kind, name, href }) => (
      <li data-href={href}>
        <a href={href}>
          <span class="dim">{kind}</span> <bdi>{name}</bdi>
        </a>
      </li>
    ))}
    {!is_whole && <li class="dim">Items could not be looked up by their ids. Try again in a moment.</li>}
    {asked && is_whole && targets.length === 0 && (
      <li class="dim">
        Nothing has that id, nor an id with that number like those of the newest {RUNS_LIKE} runs, nor that
        name among pages, agents, causes and the newest {LOOKED_AT} runs, schedules and triggers.
      </li>
    )}
  </ul>
)
