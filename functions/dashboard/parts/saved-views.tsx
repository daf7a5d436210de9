// The saved views of a list: each is a link; members can save the current view and delete their own views.

import type { ViewList } from '../../../shared/accounts/vocabulary.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { ofProject } from '../shell/addresses.ts'
import type { Visit } from '../shell/page.ts'
import { Field } from './form.tsx'

type SavedView = Schemas['SavedView']

export async function readSavedViews(api: Client, projectId: string, list: ViewList): Promise<SavedView[]> {
  const { data = [] } = await api.GET('/v1/projects/{projectId}/views', { params: { path: { projectId } } })
  return data.filter(view => view.list === list)
}

/** The list's filters without the cursor, sorted, so that the order of form fields does not matter. */
function filtersOf(query: string): string {
  const filters = [...new URLSearchParams(query)].filter(([name, value]) => name !== 'cursor' && value !== '')
  return new URLSearchParams(filters.toSorted()).toString()
}

interface SavedViewsProps {
  list: ViewList
  views: readonly SavedView[]
  project_id: string
  request: Request
  member: Visit['member']
}

export const SavedViews = ({ list, views, project_id, request, member }: SavedViewsProps) => {
  const query = filtersOf(new URL(request.url).search)
  const shown = views.find(view => filtersOf(view.query) === query)
  const mayShare = member.role !== 'viewer'
  return views.length === 0 && query === '' ? (
    ''
  ) : (
    <div class="saved-views" id="saved-views">
      {views.length > 0 && (
        <nav aria-label="Saved views">
          {views.map(view => (
            <a
              class="tag"
              href={ofProject(project_id, `${list}?${view.query}`)}
              aria-current={view === shown ? 'page' : undefined}
            >
              {view.name}
            </a>
          ))}
        </nav>
      )}
      {shown === undefined && query !== '' && (
        <details>
          <summary>Save this view</summary>
          <form class="actions" method="post" action={ofProject(project_id, 'views')}>
            <input type="hidden" name="list" value={list} />
            <input type="hidden" name="query" value={query} />
            <Field label="Name">
              <input name="name" required maxlength={LIMITS.view_name_characters} />
            </Field>
            {mayShare && (
              <label class="inline">
                <input type="checkbox" name="shared" value="true" />
                For everybody in the project
              </label>
            )}
            <button>Save</button>
          </form>
        </details>
      )}
      {shown !== undefined && (mayShare || !shown.shared) && (
        <form method="post" action={ofProject(project_id, `views/${shown.id}/delete`)}>
          <input type="hidden" name="list" value={list} />
          <button>Delete this {shown.shared ? 'shared view' : 'view'}</button>
        </form>
      )}
    </div>
  )
}
