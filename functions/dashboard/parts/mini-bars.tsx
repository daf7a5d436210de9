// The two bars of a run in the size of a line: did it run above, did it work below.

import { type Counts, type Part, ranParts, widthsOf, workedParts } from './bar.tsx'
import { count } from './text.tsx'

const WIDTH = 1000

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
      <Row parts={ran} total={run.total_items} y={0} />
      <Row parts={worked} total={run.total_items} y={13} />
    </svg>
  )
}

const Row = ({ parts, total, y }: { parts: readonly Part[]; total: number; y: number }) => {
  const given = parts.filter(part => part.value > 0)
  const widths = widthsOf(given, total)
  let x = 0
  return (
    <g>
      <rect class="bar-rest" y={y} width={WIDTH} height="11" />
      {given.map((part, at) => {
        const from = x
        x += widths[at]!
        return <rect class={`fill-${part.kind}`} x={from} y={y} width={widths[at]} height="11" />
      })}
    </g>
  )
}
