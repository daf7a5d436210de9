// What models cost and how they answer, by agent. Guarantee: a cost that is not known is never told as none.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofAgent } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { count, money, percent, span } from './text.tsx'

type Usage = Schemas['ModelUsage']

export const ModelUsage = ({ models }: { models: readonly Usage[] }) => (
  <List
    id="models"
    rows={models}
    columns={[
      { label: 'Model', cell: one => <bdi>{one.model ?? 'not named'}</bdi> },
      { label: 'Agent', cell: one => <a href={ofAgent(one.agent_id)}>{one.agent_slug}</a> },
      {
        label: 'Cost',
        numeric: true,
        cell: one => (
          <>
            {one.unpriced > 0 && 'at least '}
            {money(one.cost_usd)}
          </>
        ),
      },
      { label: 'Calls', numeric: true, cell: one => count(one.calls) },
      { label: 'A call', numeric: true, cell: one => money(one.cost_usd / one.calls) },
      { label: 'Tokens in', numeric: true, cell: one => count(one.input_tokens) },
      { label: 'Tokens out', numeric: true, cell: one => count(one.output_tokens) },
      { label: 'Failed', numeric: true, cell: one => <Share of={one.failed} all={one.calls} /> },
      { label: 'Degraded', numeric: true, cell: one => <Share of={one.degraded} all={one.calls} /> },
      { label: 'Latency p50', numeric: true, cell: one => span(one.p50_ms) },
      { label: 'p95', numeric: true, cell: one => span(one.p95_ms) },
    ]}
    empty={<p>No call of a model was recorded in this time. Agents record them with ctx.llm.</p>}
  />
)

const Share = ({ of, all }: { of: number; all: number }) => (
  <>
    {count(of)} {of > 0 && <span class="dim">{percent(of, all)}</span>}
  </>
)
