// The tags of a run, schedule or trigger; each links to the runs that have it. Operators can change the tags of a run.

import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { Field } from './form.tsx'
import { count, counted } from './text.tsx'

type Run = Schemas['Run']

interface TagsProps {
  of: Pick<Run, 'project_id' | 'tags'>
  /** Address of the list of runs; empty on that page itself, since each of its rows may have several tags. */
  list?: string
  /** Most tags to show, and where all of them are. */
  most?: { tags: number; all: string }
}

export const Tags = ({ of, list = ofProject(of.project_id, 'runs'), most }: TagsProps) => (
  <>
    {of.tags.slice(0, most?.tags).map(tag => (
      <>
        <a class="tag" href={`${list}?${new URLSearchParams({ tag })}`}>
          {tag}
        </a>{' '}
      </>
    ))}
    {most !== undefined && of.tags.length > most.tags && (
      <a class="dim" href={most.all}>
        {count(most.tags)} of {counted(of.tags.length, 'tag')}
      </a>
    )}
  </>
)

export const TagsOfRun = ({ run, mayAct }: { run: Run; mayAct: boolean }) => (
  <div class="tags" id="tags">
    <Tags of={run} />
    {mayAct && (
      <details>
        <summary>{run.tags.length === 0 ? 'Add tags' : 'Change tags'}</summary>
        <form class="actions" method="post" action={ofRun(run.id, 'tags')}>
          <Field label="Tags, with commas between them">
            <input
              name="tags"
              value={run.tags.join(', ')}
              maxlength={LIMITS.tags_per_run * (LIMITS.tag_characters + 2)}
            />
          </Field>
          <button>Save</button>
        </form>
      </details>
    )}
  </div>
)
