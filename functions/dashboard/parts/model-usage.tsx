// What models cost and how they answer, by agent. Guarantee: an unknown cost is never shown as zero.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofAgent } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { count, money, percent, short, span } from './text.tsx'

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
        value: one => one.cost_usd,
        cell: one => (
          <>
            {one.unpriced > 0 && 'at least '}
            {money(one.cost_usd)}
          </>
        ),
      },
      by('Calls', one => one.calls),
      {
        ...by('A call', one => one.cost_usd / one.calls),
        cell: one => `${one.unpriced > 0 ? 'at least ' : ''}${money(one.cost_usd / one.calls)}`,
      },
      by('Tokens in', one => one.input_tokens, short),
      by('Tokens out', one => one.output_tokens, short),
      { ...by('Failed', one => one.failed), cell: one => <Share of={one.failed} all={one.calls} /> },
      { ...by('Degraded', one => one.degraded), cell: one => <Share of={one.degraded} all={one.calls} /> },
      by('Latency p50', one => one.p50_ms, span),
      by('p95', one => one.p95_ms, span),
    ]}
    empty={<p>No call of a model was recorded in this time. Agents record them with ctx.llm.</p>}
  />
)

const by = (label: string, value: (one: Usage) => number, show: (value: number) => string = count) => ({
  label,
  value,
  numeric: true as const,
  cell: (one: Usage) => show(value(one)),
})

const Share = ({ of, all }: { of: number; all: number }) => (
  <>
    {count(of)} {of > 0 && <span class="dim">{percent(of, all)}</span>}
  </>
)
