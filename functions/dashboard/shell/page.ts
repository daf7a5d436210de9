// Defines the dashboard's pages and the actions that forms are sent to. Guarantee: both run only for a signed-in
// member, with parameters that fit their schema; an action runs only for a form of the dashboard.

import type { Child } from 'hono/jsx'
import type { z } from 'zod'
import type { MemberRole } from '../../../shared/accounts/vocabulary.ts'
import type { Context } from '../../../shared/context.ts'
import type { SessionPrincipal } from '../../../shared/http/principal.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import type { Api } from './api.ts'
import type { Notice } from './notice.ts'

/** The parameters named in braces in a path. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : unknown

export interface Visit<Params = unknown, Query = unknown> {
  /** Calls the API on behalf of the member; a failed call throws ApiFailure, which becomes a page. */
  api: Client
  /** For requests that the typed client does not cover. */
  fetch: Api['fetch']
  member: SessionPrincipal
  params: Params
  /** The query of the page's link, which holds its state. */
  query: Query
  request: Request
  ctx: Context
  /** The time in ms. */
  now: number
  /** Whether the member may change things: a viewer only reads. */
  mayChange: boolean
}

/** What the parts of a project's page need. */
export interface Around {
  project_id: string
  now: number
  /** Whether the member's role may change what is shown. */
  mayChange: boolean
}

/** A page's content; the layout adds everything around it. */
export interface View {
  title: string
  /** The project whose menu is shown; without it, that of the project viewed before. */
  project_id?: string | undefined
  /** The menu entry it belongs to, by the last part of that entry's path; '' is the overview. */
  menu?: string
  /** Whether it shows costs, where that differs from its menu entry. */
  has_costs?: boolean
  body: Child
  /** The command that shows or does the same. */
  cli?: string
  /** When the parts marked data-live are fetched again: after server-sent events, or every so many seconds. */
  live?: { events: string } | { every_s: number } | undefined
  /** A script of its own, in addition to the script of every page. */
  script?: string
  status?: 200 | 400 | 403 | 404 | 409 | 429 | 500
  /** Seconds until a retry makes sense; sent as Retry-After. */
  retry_after_s?: number | undefined
}

/** The page an action redirects to, and the notice shown there. */
export interface Done {
  to: string
  said?: string
  link?: Notice['link']
  undo?: Notice['undo']
}

export interface Page {
  path: string
  /** The least role that may see the page, for pages that exist to change something. */
  least?: MemberRole
  query: z.ZodType | undefined
  show(visit: Visit<Record<string, string>, unknown>): Promise<View | Response>
}

export interface Action {
  path: string
  /** The least role, for actions that read the form before they call the API. */
  least?: MemberRole
  /** Undefined where the action reads the body itself. */
  form: z.ZodType | undefined
  act(visit: Visit<Record<string, string>>, form: unknown): Promise<Done | View | Response>
  again?(visit: Visit<Record<string, string>>, entered: Entered): Promise<View>
}

/** The fields of a form as typed. */
export type Entered = Readonly<Record<string, string | undefined>>

export function page<Path extends string, Query extends z.ZodType = z.ZodUndefined>(definition: {
  path: Path
  least?: MemberRole
  query?: Query
  show(visit: Visit<ParamsOf<Path>, z.output<Query>>): Promise<View | Response>
}): Page {
  return { query: undefined, ...definition } as unknown as Page
}

/**
 * A form's fields arrive as text, or as an array where a name occurs several times. A refused form redirects back to
 * its page with the error; forms that take a while to fill in are shown `again` as typed.
 */
export function action<Path extends string, Form extends z.ZodType = z.ZodUndefined>(definition: {
  path: Path
  least?: MemberRole
  form?: Form
  act(visit: Visit<ParamsOf<Path>>, form: z.output<Form>): Promise<Done | View | Response>
  again?(visit: Visit<ParamsOf<Path>>, entered: Entered): Promise<View>
}): Action {
  return { form: undefined, ...definition } as unknown as Action
}
