// A stacked bar, used both for whether items ran and for whether they worked. Guarantee: every part is also given in
// words, and every part above zero is visible.

import { count, percent } from './text.tsx'

export interface Part {
  /** A status or a verdict; it gives the colour. */
  kind: string
  label: string
  value: number
  /** Where the part's items are listed. */
  href?: string
}

const WIDTH = 1000
const LEAST = 6 // of WIDTH, so that one failure in a million is not invisible

export const Bar = ({
  id,
  title,
  parts,
  total,
  share_of = total,
}: {
  id: string
  title: string
  parts: readonly Part[]
  total: number
  /** What the shares are of; `total` if not given. */
  share_of?: number
}) => {
  const given = parts.filter(part => part.value > 0)
  const widths = widthsOf(given, total)
  let x = 0
  return (
    <figure class="bar" id={id} data-live>
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} 24`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-rest" width={WIDTH} height="24" />
        {given.map((part, at) => {
          const from = x
          x += widths[at]!
          return <rect class={`fill-${part.kind}`} x={from} width={widths[at]} height="24" />
        })}
      </svg>
      <ul class="legend">
        {given.map(part => (
          <li>
            <i class={`dot fill-${part.kind}`} />
            {part.href ? <a href={part.href}>{part.label}</a> : part.label} <b>{count(part.value)}</b>{' '}
            <span class="dim">{percent(part.value, share_of)}</span>
          </li>
        ))}
        {given.length === 0 && <li class="dim">nothing yet</li>}
      </ul>
    </figure>
  )
}

export function widthsOf(parts: readonly Part[], total: number): number[] {
  const raw = parts.map(part => Math.max(LEAST, (WIDTH * part.value) / Math.max(total, 1)))
  const sum = raw.reduce((all, one) => all + one, 0)
  return sum <= WIDTH ? raw : raw.map(one => (one * WIDTH) / sum)
}

/** The counts behind a run's two bars: did its items run, did they work. */
export interface Counts {
  total_items: number
  queued: number
  running: number
  paused: number
  completed: number
  degraded_count: number
  /** Includes the items over budget. */
  failed: number
  budget_exceeded_count: number
  cancelled: number
}

/** Items that began and failed; items that the budget kept from starting are shown separately. */
const failedOf = (run: Counts) => run.failed - run.budget_exceeded_count

export const ranParts = (run: Counts, items?: string): Part[] =>
  [
    { kind: 'completed', label: 'completed', value: run.completed },
    { kind: 'failed', label: 'failed', value: failedOf(run) },
    { kind: 'budget_exceeded', label: 'over budget', value: run.budget_exceeded_count },
    { kind: 'cancelled', label: 'cancelled', value: run.cancelled },
    { kind: 'running', label: 'running', value: run.running },
    { kind: 'paused', label: 'held', value: run.paused },
    { kind: 'queued', label: 'queued', value: run.queued },
  ].map(part => (items ? { ...part, href: `${items}?outcome=any&status=${part.kind}#items` } : part))

export const workedParts = (run: Counts, items?: string): Part[] =>
  [
    { kind: 'ok', label: 'ok', value: run.completed - run.degraded_count },
    { kind: 'degraded', label: 'degraded', value: run.degraded_count },
    { kind: 'failed', label: 'failed', value: failedOf(run) },
  ].map(part => (items ? { ...part, href: `${items}?outcome=${part.kind}#items` } : part))
