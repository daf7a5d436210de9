// What the dashboard is made of: pages, which show, and actions, which forms are sent to.
// Guarantee: both run for a signed-in member only, with parameters that fit their schema; an action runs only for a
// form of the dashboard's own.

import type { Child } from 'hono/jsx'
import type { z } from 'zod'
import type { MemberRole } from '../../../shared/accounts/vocabulary.ts'
import type { Context } from '../../../shared/context.ts'
import type { SessionPrincipal } from '../../../shared/http/auth.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import type { Api } from './api.ts'
import type { Notice } from './notice.ts'

/** The names in braces of a path. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : unknown

export interface Visit<Params = unknown, Query = unknown> {
  /** The API on behalf of the member; a call that fails throws ApiFailure, which becomes a page. */
  api: Client
  /** Any request the typed client does not cover. */
  fetch: Api['fetch']
  member: SessionPrincipal
  params: Params
  /** The state that the page's link carries. */
  query: Query
  request: Request
  ctx: Context
}

/** A page as its function makes it; the frame puts everything around it. */
export interface View {
  title: string
  /** Whose menu is shown; on pages of the account it is that of the project looked at before. */
  project_id?: string | undefined
  /** Which entry of the menu it belongs to, by the last part of that entry's path; '' is the overview. */
  menu?: string
  /** Whether it shows what something cost, where other pages of its entry do not, or do. */
  has_costs?: boolean
  body: Child
  /** The command that shows or does the same. */
  cli?: string
  /** Server-sent events after which what is marked data-live is fetched anew; or every so many seconds. */
  live?: { events: string } | { every_s: number } | undefined
  /** One of its own, besides the script of every page. */
  script?: string
  status?: 200 | 400 | 403 | 404 | 409 | 429 | 500
  /** Seconds until asking again makes sense; sent as Retry-After. */
  retry_after_s?: number | undefined
}

/** Where an action leads, and what is said there. */
export interface Done {
  to: string
  said?: string
  undo?: Notice['undo']
}

export interface Page {
  path: string
  /** The role it takes to be shown it, where it is there to change something. */
  least?: MemberRole
  query: z.ZodType | undefined
  show(visit: Visit<Record<string, string>, unknown>): Promise<View | Response>
}

export interface Action {
  path: string
  /** The role it takes, where the form is read before the API is asked. */
  least?: MemberRole
  /** Undefined where the action reads the body by itself. */
  form: z.ZodType | undefined
  act(visit: Visit<Record<string, string>>, form: unknown): Promise<Done | View | Response>
  again?(visit: Visit<Record<string, string>>, entered: Entered): Promise<View>
}

/** What was typed into a form. */
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
 * A form's fields arrive as text; of a name that occurs several times, as an array.
 * What is refused leads back to where the form was, with what was wrong; forms that take a while to fill in are shown
 * `again` as they were.
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
