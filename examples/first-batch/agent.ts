// The first batch of a new installation: an agent that needs no model and no key.

import { agent, type Context } from 'assay'

@agent({ name: 'First batch', network: [] })
export default class FirstBatch {
  run(_ctx: Context, { text }: { text: string }) {
    return { label: /parcel|delivery/i.test(text) ? 'delivery' : 'other' }
  }
}
