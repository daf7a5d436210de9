// What models cost and how they answer, by agent. Guarantee: an unknown cost is never shown as zero.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofAgent } from '../shell/addresses.ts'
import { figure, List } from './list.tsx'
import { count, money, percent, short, span } from './text.tsx'

type Usage = Schemas['ModelUsage']

export const ModelUsage = ({ models }: { models: readonly Usage[] }) => (
  <List<Usage>
    id="models"
    rows={models}
    columns={[
      { label: 'Model', cell: one => <bdi>{one.model ?? 'not named'}</bdi> },
      { label: 'Agent', cell: one => <a href={ofAgent(one.agent_id)}>{one.agent_slug}</a> },
      {
        label: 'Cost',
        numeric: true,
        value: one => one.cost_usd,
        cell: one => (
          <>
            {one.unpriced > 0 && 'at least '}
            {money(one.cost_usd)}
          </>
        ),
      },
      figure('Calls', one => one.calls),
      {
        ...figure('A call', one => one.cost_usd / one.calls),
        cell: one => `${one.unpriced > 0 ? 'at least ' : ''}${money(one.cost_usd / one.calls)}`,
      },
      figure('Tokens in', one => one.input_tokens, short),
      figure('Tokens out', one => one.output_tokens, short),
      { ...figure('Failed', one => one.failed), cell: one => <Share of={one.failed} all={one.calls} /> },
      {
        ...figure('Degraded', one => one.degraded),
        cell: one => <Share of={one.degraded} all={one.calls} />,
      },
      figure('Latency p50', one => one.p50_ms, span),
      figure('p95', one => one.p95_ms, span),
    ]}
    empty={<p>No call of a model was recorded in this time. Agents record them with ctx.llm.</p>}
  />
)

const Share = ({ of, all }: { of: number; all: number }) => (
  <>
    {count(of)} {of > 0 && <span class="dim">{percent(of, all)}</span>}
  </>
)
