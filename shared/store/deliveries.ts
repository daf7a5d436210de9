// Messages to the outside and the tries to deliver them. A message is written in the transaction that made it true.

import type { Sql } from '../context.ts'
import type { DeliveryKind } from '../domain/vocabulary.ts'

export interface NewDelivery {
  project_id: string
  alert_id: string
  kind: Extract<DeliveryKind, 'alert.raised'>
  /** http(s), or mailto with one address. */
  url: string
  /** What is sent, as JSON. To a mailto: `{"subject", "text"}`. */
  body: string
}

/** Puts messages down to be sent, within the caller's transaction. What finishes a run announces it itself. */
export async function insertDeliveries(sql: Sql, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  await sql`insert into deliveries ${sql(deliveries)}`
}
