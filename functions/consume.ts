// The queue consumer as a platform function. It keeps its request open while it works, so that the platform sees the
// load. It stops before the platform would end it, and notifies its successor first.

import { invokeConsumer } from '../shared/consumer/verbs/consumer-invocation.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import { readSources, sourcesRead } from '../shared/sources/verbs/source-reader.ts'

export const consumeQueue: PlatformFunction = {
  name: 'consume',
  summary: 'Work the queue off',
  description:
    'Notified after every commit that made work, and called by the tick. Reads the sources that are generators of agents, too. Answers when nothing is left to do or its time is over.',
  async run(ctx, { stop, onWake }) {
    let notify: (aborted?: string) => void = () => {}
    const deafen = onWake(aborted => notify(aborted))
    try {
      await readSources(ctx) // the tick may run where no agent can be reached
      const done = await invokeConsumer(ctx, { stop, onWake: wake => (notify = wake) })
      await sourcesRead(ctx)
      if (done.claimed > 0) ctx.log('info', 'consumed', { ...done })
      return done
    } finally {
      deafen()
    }
  },
}
