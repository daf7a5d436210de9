// How to call a trigger: its address, its secret right after creation, and a call to try it with.

import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { sampleBody } from '../../../shared/triggers/rules/sample-body.ts'
import { ofTrigger } from '../shell/addresses.ts'
import type { View } from '../shell/page.ts'
import { inputSchema } from './agent-input.ts'
import { Code } from './text.tsx'

type Trigger = Schemas['Trigger']

export const curlOf = (trigger: Trigger, secret: string, input_schema: unknown) =>
  trigger.scheme === 'bearer'
    ? `curl ${trigger.url} \\\n  -H 'authorization: Bearer ${secret}' \\\n  -H 'content-type: application/json' \\\n  -H 'x-idempotency-key: example-1' \\\n  -d ${sampleBody(trigger, input_schema)}`
    : undefined

/** The page after creating a trigger, the only one that shows its secret. */
export async function secretView(api: Client, trigger: Schemas['NewTrigger']): Promise<View> {
  const { secret } = trigger
  const curl = secret === null ? undefined : curlOf(trigger, secret, await inputSchema(api, trigger))
  return {
    title: trigger.name,
    project_id: trigger.project_id,
    menu: 'triggers',
    body: (
      <>
        <h1>Trigger {trigger.name}</h1>
        <p>Senders post to this address:</p>
        <Code wrap secret>
          {trigger.url}
        </Code>
        {trigger.secret !== null && (
          <>
            <p>With this secret. Copy it now; it is shown this once.</p>
            <Code wrap secret>
              {trigger.secret}
            </Code>
          </>
        )}
        {curl && (
          <>
            <h2>Try it</h2>
            <Code>{curl}</Code>
          </>
        )}
        <p>
          <a class="button" href={ofTrigger(trigger.id)}>
            Done
          </a>
        </p>
      </>
    ),
  }
}
