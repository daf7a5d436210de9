// The tags of a run, or of what starts runs: each leads to the runs that have it. Who may act changes those of a run.

import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject, ofRun } from '../shell/addresses.ts'

type Run = Schemas['Run']

interface TagsProps {
  of: Pick<Run, 'project_id' | 'tags'>
  /** The list of runs; empty where that is the page, since there may be several in each of its rows. */
  list?: string
  /** So many of them, in a list. */
  most?: number
}

export const Tags = ({ of, list = ofProject(of.project_id, 'runs'), most }: TagsProps) => (
  <>
    {of.tags.slice(0, most).map(tag => (
      <>
        <a class="tag" href={`${list}?${new URLSearchParams({ tag })}`}>
          {tag}
        </a>{' '}
      </>
    ))}
    {most !== undefined && of.tags.length > most && <span class="dim">+{of.tags.length - most}</span>}
  </>
)

export const TagsOfRun = ({ run, mayAct }: { run: Run; mayAct: boolean }) => (
  <div class="tags" id="tags">
    <Tags of={run} />
    {mayAct && (
      <details>
        <summary>{run.tags.length === 0 ? 'Add tags' : 'Change tags'}</summary>
        <form class="actions" method="post" action={ofRun(run.id, 'tags')}>
          <label>
            <span class="label">Tags, with commas between them</span>
            <input
              name="tags"
              value={run.tags.join(', ')}
              maxlength={LIMITS.tags_per_run * (LIMITS.tag_characters + 2)}
            />
          </label>
          <button>Save</button>
        </form>
      </details>
    )}
  </div>
)
