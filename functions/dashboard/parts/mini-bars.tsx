// The two bars of a run within one text line: above, did its items run; below, did they work.

import { type Counts, type Part, ranParts, widthsOf, workedParts } from './bar.tsx'
import { count } from './text.tsx'

const WIDTH = 1000
/** Leaves out zero, which is SVG's default. */
const rounded = (width: number) => (width === 0 ? undefined : Math.round(width))

export const MiniBars = ({ run }: { run: Counts }) => {
  const said = (parts: readonly Part[]) =>
    parts
      .filter(part => part.value > 0)
      .map(part => `${count(part.value)} ${part.label}`)
      .join(', ') || 'nothing yet'
  const ran = ranParts(run)
  const worked = workedParts(run)
  return (
    <svg class="mini" viewBox={`0 0 ${WIDTH} 24`} preserveAspectRatio="none" role="img">
      <title>{`Ran: ${said(ran)}. Worked: ${said(worked)}.`}</title>
      <Row parts={ran} total={run.total_items} />
      <Row parts={worked} total={run.total_items} />
    </svg>
  )
}

/** One bar; its vertical position and height are in the stylesheet. */
const Row = ({ parts, total }: { parts: readonly Part[]; total: number }) => {
  const given = parts.filter(part => part.value > 0)
  const widths = widthsOf(given, total)
  let x = 0
  return (
    <g>
      {given.map((part, at) => {
        const from = x
        x += widths[at]!
        return <rect class={`fill-${part.kind}`} x={rounded(from)} width={rounded(widths[at]!)} />
      })}
    </g>
  )
}
