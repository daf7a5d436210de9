// The agents of a project.

import { List } from '../parts/list.tsx'
import { When } from '../parts/text.tsx'
import { ofAgent, ofProject } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

export const agentsPage = page({
  path: '/dashboard/projects/{projectId}/agents',
  async show({ api, params, ctx }) {
    const project_id = params.projectId
    const { data: agents = [] } = await api.GET('/v1/agents', { params: { query: { project_id } } })
    const now = ctx.now()
    return {
      title: 'Agents',
      project_id,
      menu: 'agents',
      cli: 'assay agents',
      body: (
        <>
          <h1>Agents</h1>
          <List
            id="agents"
            rows={agents}
            columns={[
              { label: 'Agent', cell: one => <a href={ofAgent(one.id)}>{one.slug}</a> },
              { label: 'Does', cell: one => one.description },
              {
                label: 'Version',
                numeric: true,
                cell: one =>
                  one.deployed_version === null ? <b>not deployed</b> : `v${one.deployed_version}`,
              },
              { label: 'Changed', numeric: true, cell: one => <When at={one.updated_at} now={now} /> },
              {
                label: '',
                numeric: true,
                cell: one => <a href={`${ofProject(project_id, 'runs')}?agent=${one.slug}`}>runs</a>,
              },
            ]}
            empty={
              <>
                <p>No agent yet. Make one, try it, and deploy it:</p>
                <pre>
                  <code>{'npx assay init my-agent\ncd my-agent\nnpx assay deploy agent.ts'}</code>
                </pre>
              </>
            }
          />
        </>
      ),
    }
  },
})
