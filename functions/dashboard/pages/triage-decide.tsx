// Decides about one or many items in triage. Guarantee: each item is decided separately, the page reports each failure
// with its reason, and a decision that can be undone offers that at once.

import * as z from 'zod'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { ApiFailure, Client } from '../../../shared/sdk/client.ts'
import { ROW_ACTIONS, type RowAction, type WrongOf } from '../../../shared/triage/vocabulary.ts'
import { counted } from '../parts/text.tsx'
import { ofItem, ofProject } from '../shell/addresses.ts'
import { each } from '../shell/each.ts'
import { action, type View } from '../shell/page.ts'

const SAID: Record<RowAction, (items: string, isOne: boolean) => string> = {
  replay: (items, isOne) =>
    `${items} ${isOne ? 'is' : 'are'} replayed, ${isOne ? 'in a run of its own' : 'each in a run of its own'}.`,
  resume: (items, isOne) => `${items} ${isOne ? 'goes' : 'go'} on.`,
  acknowledge: (items, isOne) => `${items} left triage; nothing was decided about ${isOne ? 'it' : 'them'}.`,
  dismiss: (items, isOne) => `${items} ${isOne ? 'is' : 'are'} dismissed.`,
  wrong: (items, isOne) => `${items} ${isOne ? 'is' : 'are'} marked as wrong.`,
  confirm: (items, isOne) => `${items} ${isOne ? 'is' : 'are'} confirmed not to have worked.`,
}

const ids = z.union([z.string(), z.array(z.string())]).optional()

export const decideItems = action({
  path: '/dashboard/projects/{projectId}/triage/decide',
  form: z.strictObject({
    back: z.string().optional(),
    items: ids,
    action: z.enum(ROW_ACTIONS).optional(),
    /** A row's own button: an action and an item, independent of the selection. */
    one: z.templateLiteral([z.enum(ROW_ACTIONS), ' ', z.uuid()]).optional(),
    /** A group's button: an action, and the filter for the group. */
    all: z.templateLiteral([z.enum(ROW_ACTIONS), ' ', z.string()]).optional(),
    /** The rows shown that asked a question, and (`correction`) those that said an ok item was called wrong. */
    question: ids,
    correction: ids,
    /** Sent by the page that asks for confirmation before held items end. */
    sure: z.literal('yes').optional(),
  }),
  async act({ api, params }, form) {
    if (form.all !== undefined) return { to: wholeOf(params.projectId, form.back, form.all) }
    const [verb, ids] = orderOf(form)
    const held = verb === 'dismiss' && form.sure === undefined ? await heldOf(api, ids) : []
    if (held.length > 0) return askedView(params.projectId, ids, held, form.back)
    const made: string[] = []
    const { done, refused } = await each(ids, async itemId => {
      const replay = await decide(api, verb, itemId, shownOf(form, itemId))
      if (replay !== undefined) made.push(replay)
    })
    const to = backTo(params.projectId, form.back)
    const reopenable = await reopenableOf(api, verb, done)
    const undo = {
      action: ofProject(params.projectId, 'triage/reopen'),
      fields: { items: reopenable.join(' '), back: to },
    }
    return {
      to,
      said: said(done.length, refused, SAID[verb]),
      ...(made.length === 1 && { link: { to: ofItem(made[0]!), label: 'See how it ends' } }),
      ...(reopenable.length > 0 ? { undo } : {}),
    }
  },
})

export const reopenItems = action({
  path: '/dashboard/projects/{projectId}/triage/reopen',
  form: z.strictObject({ back: z.string().optional(), items: z.string() }),
  async act({ api, params }, { back, items }) {
    const { done, refused } = await each(items.split(' '), async itemId => {
      await api.POST('/v1/durable/runs/{itemId}/reopen', { params: { path: { itemId } } })
    })
    const words = (items: string, isOne: boolean) =>
      `${items} ${isOne ? 'waits' : 'wait'} for a decision again.`
    return { to: backTo(params.projectId, back), said: said(done.length, refused, words) }
  },
})

/** The held items among those to be dismissed: dismissing ends them, which cannot be undone. */
async function heldOf(api: Client, ids: readonly string[]) {
  const held: { id: string; item_id: string; reason: string | null }[] = []
  await each(ids, async itemId => {
    const { data } = await api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId } } })
    if (data?.status === 'paused')
      held.push({ id: itemId, item_id: data.item_id, reason: data.degraded_reason })
  })
  return held
}

function askedView(
  project_id: string,
  ids: readonly string[],
  held: Awaited<ReturnType<typeof heldOf>>,
  back: string | undefined,
): View {
  const others = ids.length - held.length
  return {
    title: 'Dismiss held items',
    project_id,
    menu: 'triage',
    body: (
      <>
        <h1>Dismiss {counted(ids.length, 'item')}?</h1>
        <ul>
          {held.map(one => (
            <li>
              <a href={ofItem(one.id)}>
                <bdi>{one.item_id}</bdi>
              </a>
              {one.reason !== null && (
                <>
                  : <bdi>{one.reason}</bdi>
                </>
              )}
            </li>
          ))}
        </ul>
        <p>
          {counted(held.length, 'held item')} would end as cancelled, for good.
          {others > 0 && ` The other ${counted(others, 'item')} can be taken back for an hour.`}
        </p>
        <form class="actions" method="post" action={ofProject(project_id, 'triage/decide')}>
          <input type="hidden" name="action" value="dismiss" />
          <input type="hidden" name="sure" value="yes" />
          {back !== undefined && <input type="hidden" name="back" value={back} />}
          {ids.map(id => (
            <input type="hidden" name="items" value={id} />
          ))}
          <button class="danger" data-key="d" data-asks="key">
            Dismiss
          </button>
          <a class="button" href={backTo(project_id, back)}>
            Leave them
          </a>
        </form>
      </>
    ),
  }
}

interface Decision {
  items?: string | string[] | undefined
  action?: RowAction | undefined
  one?: `${RowAction} ${string}` | undefined
  question?: string | string[] | undefined
  correction?: string | string[] | undefined
}

function orderOf({ items = [], action, one }: Decision): [RowAction, string[]] {
  if (one !== undefined) {
    const [verb, id] = one.split(' ') as [RowAction, string]
    return [verb, [id]]
  }
  const ids = [items].flat()
  if (action === undefined || ids.length === 0)
    throw new ApiError(
      'invalid_request',
      'No item was selected.',
      'Tick the items, then press the button again.',
    )
  return [action, ids.slice(0, LIMITS.inbox_page)]
}

/** Address of the page that says what the action would do to the whole group, and asks for confirmation. */
function wholeOf(project_id: string, back: string | undefined, order: string): string {
  const [action, group] = order.split(' ') as [string, string]
  const filter = new URLSearchParams(backTo(project_id, back).split('?')[1])
  filter.delete('cursor')
  for (const [name, value] of new URLSearchParams(group)) filter.set(name, value)
  filter.set('action', action)
  return ofProject(project_id, `recover?${filter}`)
}

/** What the row showed for its item: a question, a correction or a verdict. */
const shownOf = ({ question = [], correction = [] }: Decision, itemId: string): WrongOf =>
  [question].flat().includes(itemId)
    ? 'question'
    : [correction].flat().includes(itemId)
      ? 'correction'
      : 'verdict'

/** Returns the item that a replay made. */
async function decide(
  api: Client,
  verb: RowAction,
  itemId: string,
  of: WrongOf,
): Promise<string | undefined> {
  const call = { params: { path: { itemId } } }
  if (verb === 'replay')
    return (await api.POST('/v1/durable/runs/{itemId}/replay', { ...call, body: {} })).data!.record_id
  if (verb === 'resume') await api.POST('/v1/durable/runs/{itemId}/resume', { ...call, body: {} })
  else if (verb === 'wrong') await api.POST('/v1/durable/runs/{itemId}/wrong', { ...call, body: { of } })
  else await api.POST(`/v1/durable/runs/{itemId}/${verb}`, call)
}

/** The items whose decision can be undone; a dismissed held item has ended, so it cannot. */
async function reopenableOf(api: Client, verb: RowAction, ids: readonly string[]): Promise<string[]> {
  if (verb === 'acknowledge') return [...ids]
  if (verb === 'replay' || verb === 'resume') return []
  const reopenable: string[] = []
  await each(ids, async itemId => {
    const { data } = await api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId } } })
    if (data?.available_actions.includes('reopen')) reopenable.push(itemId)
  })
  return reopenable
}

function said(
  done: number,
  refused: readonly ApiFailure[],
  words: (items: string, isOne: boolean) => string,
): string {
  const [first] = refused
  if (first !== undefined && done === 0 && refused.length === 1) throw first
  const not = first === undefined ? '' : ` ${counted(refused.length, 'item')} could not be: ${first.message}`
  return `${words(counted(done, 'item'), done === 1)}${not}`
}

/** The triage page that the form was on; the plain triage page for any other address. */
function backTo(project_id: string, back: string | undefined): string {
  const triage = ofProject(project_id, 'triage')
  return back === triage || back?.startsWith(`${triage}?`) ? back : triage
}
