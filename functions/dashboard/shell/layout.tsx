// The frame of every page: the menu, the notice, and the API calls behind the page. Guarantee: a page is usable without
// a script and by keyboard, and lists the API calls and the command that show the same.

import type { Child } from 'hono/jsx'
import type { SessionPrincipal } from '../../../shared/http/principal.ts'
import { VERSION } from '../../../shared/kernel/version.ts'
import { pricesAsOf } from '../../../shared/prices/rules/price-day.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Code } from '../parts/text.tsx'
import type { Call } from './api.ts'
import { ICON_PATH, SCRIPT_PATH, STYLE_PATH } from './assets.ts'
import { Linked } from './linked.tsx'
import { MENU } from './menu.ts'
import type { Notice } from './notice.ts'
import type { View } from './page.ts'

interface Around {
  view: View
  projects: readonly Schemas['Project'][]
  /** The project viewed before. */
  last_project_id: string | undefined
  notice: Notice | undefined
  calls: readonly Call[]
  member: SessionPrincipal | undefined
  /**
   * Of a page that answers a form: the page of the form. None after a failure of the server, where loading the page
   * again sends the form again.
   */
  form_page: string | undefined
  base_url: string
  /** The installation was restored from a backup and its operator has not let it continue. */
  held: boolean
  /** The server's time in ms. */
  now: number
}

export const Layout = ({
  view,
  projects,
  last_project_id,
  notice,
  calls,
  member,
  form_page,
  base_url,
  held,
  now,
}: Around) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${view.title} · Assay`}</title>
      <link rel="icon" href={ICON_PATH} />
      <link rel="stylesheet" href={STYLE_PATH} />
      <script type="module" src={SCRIPT_PATH} />
      {view.script && <script type="module" src={view.script} />}
    </head>
    <body {...liveAttributes(view.live)} data-now={now} data-form-page={form_page}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      {member ? <Menu {...{ view, projects, last_project_id, member }} /> : ''}
      <main id="main" tabindex={-1}>
        <div id="connection" aria-live="polite" />
        {held ? <HeldLine /> : ''}
        {member?.is_suspended ? <SuspendedLine /> : ''}
        <NoticeLine notice={notice} />
        {view.body}
        {member && view.project_id && showsCosts(view) ? <PricesLine project_id={view.project_id} /> : ''}
        {member && (calls.length > 0 || view.cli) ? (
          <Behind calls={calls} cli={view.cli} base_url={base_url} />
        ) : (
          ''
        )}
      </main>
    </body>
  </html>
)

const showsCosts = ({ has_costs, menu }: View): boolean =>
  has_costs ?? MENU.some(entry => entry.costs && entry.path === menu)

const liveAttributes = (live: View['live']): Record<string, string> => {
  if (live === undefined) return {}
  return 'events' in live ? { 'data-events': live.events } : { 'data-every': String(live.every_s) }
}

const Menu = ({
  view,
  projects,
  last_project_id,
  member,
}: Pick<Around, 'view' | 'projects' | 'last_project_id'> & {
  member: SessionPrincipal
}) => {
  const shown_id = view.project_id ?? last_project_id
  const project = projects.find(one => one.id === shown_id) ?? projects[0]
  return (
    <nav class="menu" aria-label="Main">
      <a class="brand" href="/dashboard">
        Assay
      </a>
      <label class="unfold">
        <input type="checkbox" class="off-screen" /> Menu
      </label>
      {project && (
        <>
          <details class="switch">
            <summary>
              <span class="dim">Project</span> {project.name}
            </summary>
            <ul>
              {projects.map(one => (
                <li>
                  <a
                    href={`/dashboard/projects/${one.id}`}
                    aria-current={one.id === project.id ? 'true' : undefined}
                  >
                    {one.name}
                  </a>
                </li>
              ))}
              <li>
                <a href="/dashboard/projects">All projects</a>
              </li>
            </ul>
          </details>
          <a class="jump" href={`/dashboard/projects/${project.id}/jump`} data-jump>
            Jump <kbd>Ctrl K</kbd>
          </a>
          <ul>
            {MENU.map(({ path, label, key }) => (
              <li>
                <a
                  href={`/dashboard/projects/${project.id}${path && `/${path}`}`}
                  aria-current={view.menu === path ? 'page' : undefined}
                  data-go={key}
                >
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      <ul class="self">
        <li>
          <a
            href="/dashboard/members"
            aria-current={view.menu === 'members' ? 'page' : undefined}
            data-go="m"
          >
            Members
          </a>
        </li>
        <li>
          <a href="/dashboard/quotas" aria-current={view.menu === 'quotas' ? 'page' : undefined}>
            Quotas
          </a>
        </li>
        <li>
          <a href="/dashboard/account" aria-current={view.menu === 'account' ? 'page' : undefined}>
            <span class="who">{member.name}</span> <span class="dim">{member.role}</span>
          </a>
        </li>
        <li>
          <form method="post" action="/dashboard/sign-out">
            <button class="plain">Sign out</button>
          </form>
        </li>
        <li>
          <a class="dim" href="/docs">
            API {VERSION}
          </a>
        </li>
      </ul>
    </nav>
  )
}

const HeldLine = () => (
  <div class="notice refused" role="status">
    <p>
      This installation was restored from a backup and is held: no item is dispatched, no schedule fires and
      no message leaves. <span class="dim">Its operator lets it go on:</span> <code>assay admin go-on</code>
    </p>
  </div>
)

const SuspendedLine = () => (
  <div class="notice refused" role="status">
    <p>
      This account is suspended: nothing starts, nothing is dispatched, and its keys open nothing. You may
      look at everything; <span class="dim">whoever operates this installation resumes it.</span>
    </p>
  </div>
)

const PricesLine = ({ project_id }: { project_id: string }) => (
  <p class="dim prices-line">
    Costs by the project's own <a href={`/dashboard/projects/${project_id}/prices`}>prices</a>, else by the
    list of {pricesAsOf()}.
  </p>
)

const NoticeLine = ({ notice }: { notice: Notice | undefined }): Child =>
  notice ? (
    <div class={`notice toast ${notice.kind}`} role={notice.kind === 'refused' ? 'alert' : 'status'}>
      <p>
        <Linked text={notice.text} /> {notice.link && <a href={notice.link.to}>{notice.link.label}</a>}
        {notice.hint && <span class="dim">{notice.hint}</span>}
      </p>
      {notice.undo && (
        <form method="post" action={notice.undo.action}>
          {Object.entries(notice.undo.fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button data-key="z">Undo</button>
        </form>
      )}
    </div>
  ) : (
    ''
  )

/** How to get the page's content by API calls and on the command line. */
const Behind = ({
  calls,
  cli,
  base_url,
}: {
  calls: readonly Call[]
  cli: string | undefined
  base_url: string
}) => (
  <details class="behind">
    <summary>Behind this page</summary>
    {cli && <Code>{cli}</Code>}
    <pre>
      <code>
        {calls
          .filter(call => call.method === 'GET')
          .map(
            call =>
              `curl -H "Authorization: Bearer $ASSAY_API_KEY" '${base_url}${call.path.replaceAll("'", '%27')}'`,
          )
          .join('\n')}
      </code>
    </pre>
  </details>
)
