// The start page: leads to the only project, or lists all projects.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { Field } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { cents, count } from '../parts/text.tsx'
import { ofProject, ROOT } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

export const start = page({
  path: '/dashboard',
  async show({ api }) {
    const { data: projects = [] } = await api.GET('/v1/projects')
    const to = projects.length === 1 ? ofProject(projects[0]!.id) : `${ROOT}/projects`
    return new Response(null, { status: 303, headers: { location: to } })
  },
})

export const projectsPage = page({
  path: '/dashboard/projects',
  async show({ api, member }) {
    const { data: projects = [] } = await api.GET('/v1/projects')
    return {
      title: 'Projects',
      body: (
        <>
          <h1>Projects</h1>
          <p class="dim">A project separates environments: its agents, runs, keys and budget are its own.</p>
          <List
            id="projects"
            rows={projects}
            columns={[
              { label: 'Name', cell: project => <a href={ofProject(project.id)}>{project.name}</a> },
              { label: 'Running now', numeric: true, cell: project => count(project.running) },
              { label: 'Spent', numeric: true, cell: project => cents(project.spent_cents) },
              {
                label: 'Credit',
                numeric: true,
                cell: project => (project.credit_cents === null ? 'no bound' : cents(project.credit_cents)),
              },
            ]}
            empty={<p>There is no project yet. Make the first one below.</p>}
          />
          {member.role === 'owner' && (
            <>
              <h2>New project</h2>
              <form class="filters" method="post" action={`${ROOT}/projects`}>
                <Field label="Name">
                  <input name="name" required maxlength={LIMITS.name_characters} placeholder="staging" />
                </Field>
                <button class="primary">Make a project</button>
              </form>
            </>
          )}
        </>
      ),
    }
  },
})

export const createProject = action({
  path: '/dashboard/projects',
  form: z.strictObject({ name: z.string() }),
  async act({ api }, { name }) {
    const { data } = await api.POST('/v1/projects', { body: { name } })
    return { to: ofProject(data!.id), said: `Project ${name} was made.` }
  },
})
