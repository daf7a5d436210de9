// The API keys of a project: create a key, which is shown once, and revoke it.

import * as z from 'zod'
import { KEY_ROLES } from '../../../shared/accounts/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Choice } from '../parts/choice.tsx'
import { Field, RoleRequired, Sure } from '../parts/form.tsx'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { REVOKED_TOO, RevokeToo, takenBack } from '../parts/made.tsx'
import { Code, When } from '../parts/text.tsx'
import { ofProject } from '../shell/addresses.ts'
import { type Around, action, type Entered, page, type View, type Visit } from '../shell/page.ts'

const DAY_MS = 86_400_000

export const keysPage = page({
  path: '/dashboard/projects/{projectId}/keys',
  query: z.strictObject({ cursor: z.string().optional() }),
  show: visit => keysView(visit, {}, visit.query.cursor),
})

/** The keys page, from a cursor on; a refused form for a new key keeps what was entered. */
async function keysView(
  { api, params: { projectId: project_id }, ctx, request, mayChange }: Visit<{ projectId: string }>,
  entered: Entered = {},
  cursor?: string,
): Promise<View> {
  const { data: keys = [], response } = await api.GET('/v1/projects/{projectId}/api-keys', {
    params: {
      path: { projectId: project_id },
      query: { limit: LIMITS.keys_shown, ...defined({ cursor }) },
    },
  })
  return {
    title: 'Keys',
    project_id,
    menu: 'keys',
    cli: 'assay keys',
    body: (
      <>
        <h1>Keys</h1>
        <p class="dim">
          A key opens this project and no other. Code, the command line and ingresses send it as a bearer.
        </p>
        {!mayChange && <RoleRequired least="operator" />}
        <KeyList project_id={project_id} keys={keys} mayChange={mayChange} now={ctx.now()} />
        <Pager request={request} next={nextOf(response)} />
        {mayChange && <NewKey project_id={project_id} entered={entered} />}
      </>
    ),
  }
}

const KeyList = ({ project_id, keys, mayChange, now }: Around & { keys: readonly Schemas['ApiKey'][] }) => (
  <List
    id="keys"
    rows={keys}
    columns={[
      { label: 'Name', cell: key => key.name },
      { label: 'Begins with', cell: key => <code>{key.prefix}</code> },
      { label: 'Made', cell: key => <When at={key.created_at} now={now} /> },
      {
        label: 'Role',
        cell: key => (key.role === 'viewer' ? 'viewer: reads' : 'operator: reads and changes'),
      },
      {
        label: 'Expires',
        cell: key => (key.expires_at === null ? 'never' : <When at={key.expires_at} now={now} />),
      },
      { label: 'Last used', cell: key => <When at={key.last_used_at} now={now} /> },
      {
        label: '',
        numeric: true,
        cell: key =>
          mayChange && (
            <Sure
              label="Revoke"
              consequence={`Whoever uses ${key.name} is refused within five seconds. This cannot be undone. What was made with it is listed then.`}
              action={ofProject(project_id, `keys/${key.id}/revoke`)}
            >
              <RevokeToo of="key" />
            </Sure>
          ),
      },
    ]}
    empty={<p>No key yet: nothing but this dashboard can reach the project.</p>}
  />
)

const NewKey = ({ project_id, entered }: { project_id: string; entered: Entered }) => (
  <>
    <h2>New key</h2>
    <form class="filters" method="post" action={ofProject(project_id, 'keys')} novalidate>
      <Field label="Display name">
        <input
          name="name"
          required
          maxlength={LIMITS.api_key_name_characters}
          placeholder="nightly import"
          value={entered.name ?? ''}
        />
      </Field>
      <Choice
        name="role"
        label="Role"
        options={{ operator: 'operator: reads and changes', viewer: 'viewer: only reads' }}
        chosen={entered.role}
      />
      <Field label="Expires after days (leave empty for never)">
        <input name="days" inputmode="numeric" value={entered.days ?? ''} />
      </Field>
      <button class="primary">Make a key</button>
    </form>
  </>
)

/** Returns a page with the plaintext key, which no page can show again. */
export const createKey = action({
  path: '/dashboard/projects/{projectId}/keys',
  form: z.strictObject({
    name: z.string(),
    role: z.enum(KEY_ROLES).optional(),
    days: z
      .union([z.literal('').transform(() => undefined), z.coerce.number().int().min(1).max(3650)])
      .optional(),
  }),
  again: (visit, entered) => keysView(visit, entered),
  async act({ api, params: { projectId: project_id }, ctx }, { name, role, days }): Promise<View> {
    const { data } = await api.POST('/v1/projects/{projectId}/api-keys', {
      params: { path: { projectId: project_id } },
      body: {
        name,
        ...(role && { role }),
        ...(days && { expires_at: new Date(ctx.now() + days * DAY_MS).toISOString() }),
      },
    })
    return {
      title: 'New key',
      project_id,
      menu: 'keys',
      body: (
        <>
          <h1>Key {name}</h1>
          <p>Copy it now. It is shown this once; only its hash is kept.</p>
          <Code wrap secret>
            {data!.key}
          </Code>
          <h2>Try it</h2>
          <Code
            wrap
          >{`export ASSAY_BASE_URL=${ctx.config.base_url}\nexport ASSAY_API_KEY=${data!.key}\nassay`}</Code>
          <p>
            <a class="button" href={ofProject(project_id, 'keys')}>
              Done
            </a>
          </p>
        </>
      ),
    }
  },
})

export const revokeKey = action({
  path: '/dashboard/projects/{projectId}/keys/{keyId}/revoke',
  form: z.strictObject(REVOKED_TOO),
  async act({ api, params: { projectId, keyId } }, query) {
    const { data } = await api.DELETE('/v1/projects/{projectId}/api-keys/{keyId}', {
      params: { path: { projectId, keyId }, query: defined(query) },
    })
    const around = {
      to: ofProject(projectId, 'keys'),
      of: 'key' as const,
      menu: 'keys',
      project_id: projectId,
    }
    return takenBack('The key is revoked.', data!, around)
  },
})
