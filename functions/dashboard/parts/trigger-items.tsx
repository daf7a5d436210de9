// The items that a trigger makes (its body as one item or many, or the rows of a source), in words and as part of a
// form.

import * as z from 'zod'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { SourceFields, sourceForm, sourceOrder } from './source-fields.tsx'

type Trigger = Schemas['Trigger']

export function itemsWords({ items, source }: Trigger): string {
  if (source === null) return items ? 'many: its body' : 'one: its body'
  return source.url ?? `made by ${source.generator}`
}

/** The form fields for them. */
export const itemsForm = { items: z.literal('on').optional(), ...sourceForm }

/** The form's values as the API takes them. */
export function itemsBody(filled: z.output<z.ZodObject<typeof itemsForm>>) {
  const { item_id, partition_key } = filled
  if (filled.items) return { items: true, item_id: item_id || null, partition_key: partition_key || null }
  return { items: false, source: sourceOrder(filled) }
}

export const ItemsFields = ({
  trigger,
}: {
  trigger: Pick<Trigger, 'items' | 'source'> & Partial<Trigger>
}) => {
  const { items, source, item_id = null, partition_key = null } = trigger
  return (
    <SourceFields source={source ?? { item_id, partition_key }} open={items || source !== null}>
      <label class="inline">
        <input type="checkbox" name="items" checked={items} /> The body is many items: a JSON array, or a
        value a line
      </label>
    </SourceFields>
  )
}
