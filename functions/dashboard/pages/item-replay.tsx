// Replays an item: unchanged, from a step, or with another input. Guarantee: a refused form keeps what was typed, and
// input is sent as typed, so that numbers keep their digits.

import * as z from 'zod'
import { prettyJson } from '../../../shared/json/pretty-json.ts'
import { DEPLOYMENT_CHOICES, REUSE_CHOICES } from '../../../shared/recovery/vocabulary.ts'
import { ApiFailure, type Client } from '../../../shared/sdk/client.ts'
import { sayWarnings } from '../../../shared/view/recovery.ts'
import { Choice } from '../parts/choice.tsx'
import { Field } from '../parts/form.tsx'
import { readItem, readTrace } from '../parts/record.ts'
import { ReuseField } from '../parts/reuse-field.tsx'
import { Crumb, counted } from '../parts/text.tsx'
import { ofItem } from '../shell/addresses.ts'
import { centsOfDollars } from '../shell/dollars.ts'
import { bodyText, jsonText } from '../shell/form-values.ts'
import { action, page, type View } from '../shell/page.ts'

const Order = z.strictObject({
  input: z.string().optional(),
  from_step: z.string().optional(),
  reuse: z.enum(REUSE_CHOICES).optional(),
  deployment: z.enum(DEPLOYMENT_CHOICES).optional(),
  dollars: z.string().optional(),
})
type Order = z.infer<typeof Order>

export const replayPage = page({
  path: '/dashboard/items/{itemId}/replay',
  least: 'operator',
  show: ({ api, params }) => formView(api, params.itemId, {}),
})

export const replayItem = action({
  path: '/dashboard/items/{itemId}/replay',
  form: Order,
  async act({ api, params }, order) {
    const { itemId } = params
    const sent = await bodyOf(api, itemId, order)
    if ('wrong' in sent) return formView(api, itemId, order, sent.wrong)
    try {
      const { data } = await api.POST('/v1/durable/runs/{itemId}/replay', {
        params: { path: { itemId } },
        body: {},
        bodySerializer: () => sent.body,
      })
      const reused = data!.reused_steps
      const words =
        reused === 0
          ? ''
          : ` ${counted(reused, 'step')} of the original ${reused === 1 ? 'is' : 'are'} reused.`
      return {
        to: ofItem(data!.record_id),
        said: [`This is the replay.${words}`, ...sayWarnings(data!)].join(' '),
      }
    } catch (error) {
      if (!(error instanceof ApiFailure && error.status === 400)) throw error
      return formView(api, itemId, order, [error.message, error.hint].filter(Boolean).join(' '))
    }
  },
})

/** Returns the request body as text, or a sentence that says what is wrong with the entry. */
async function bodyOf(
  api: Client,
  itemId: string,
  order: Order,
): Promise<{ body: string } | { wrong: string }> {
  const budget_cents = centsOfDollars(order.dollars)
  if (budget_cents === null) return { wrong: 'The budget is no amount, such as 0.50, $2 or 50c.' }
  const from_step = order.from_step || undefined
  const reuse = order.reuse === 'auto' ? undefined : order.reuse
  const rest = { from_step, reuse, deployment: order.deployment, budget_cents }
  if (order.input === undefined) return { body: bodyText(rest, {}) }
  const typed = jsonText.safeParse(order.input)
  if (!typed.success) return { wrong: `The input ${typed.error.issues[0]!.message}` }
  const { texts } = await readItem(api, itemId)
  // An unchanged input is left out, so that the steps that worked can be reused.
  const isOther = prettyJson(order.input) !== prettyJson(texts.input ?? '')
  return { body: bodyText(rest, isOther ? { input: order.input } : {}) }
}

async function formView(api: Client, itemId: string, order: Order, wrong?: string): Promise<View> {
  const [{ item, texts }, { steps }] = await Promise.all([
    readItem(api, itemId),
    readTrace(api, { record_id: itemId }),
  ])
  const keys = [
    ...new Set(steps.filter(step => !step.reused || step.outcome_status !== 'ok').map(step => step.key)),
  ]
  return {
    title: `Replay ${item.item_id}`,
    project_id: item.project_id,
    menu: 'runs',
    cli: `assay replay ${item.id} --input '…' --from-step KEY`,
    ...(wrong === undefined ? {} : { status: 400 as const }),
    body: (
      <>
        <Crumb href={ofItem(item.id)}>
          <bdi>{item.item_id}</bdi>
        </Crumb>
        <h1>Replay with another input, code or budget</h1>
        <p>A new item runs beside this one; the verdict of this one stays.</p>
        {wrong !== undefined && (
          <p class="notice refused" role="alert">
            {wrong}
          </p>
        )}
        <form class="stack wide" method="post" action={ofItem(item.id, 'replay')}>
          <label>
            <span class="label">Input, as JSON</span>
            <textarea name="input" dir="auto" rows={14} spellcheck={false} autofocus>
              {order.input ?? prettyJson(texts.input ?? 'null')}
            </textarea>
          </label>
          <label>
            <span class="label">Begin at</span>
            <select name="from_step">
              <option value="">as chosen below</option>
              {keys.map(key => (
                <option value={key} selected={key === order.from_step}>
                  {key}
                </option>
              ))}
            </select>
            <span class="dim">
              The steps before it are reused and not paid again, also when the input is another one. Without
              it another input reuses nothing.
            </span>
          </label>
          <ReuseField chosen={order.reuse} named={false} />
          <Choice
            name="deployment"
            label="Code"
            options={{ current: 'what is deployed now', original: 'what the item ran with' }}
            chosen={order.deployment}
          />
          <Field label="Budget in dollars">
            <input name="dollars" inputmode="decimal" value={order.dollars ?? ''} placeholder="no bound" />
          </Field>
          <p>
            <button class="primary">Replay</button>
          </p>
        </form>
      </>
    ),
  }
}
