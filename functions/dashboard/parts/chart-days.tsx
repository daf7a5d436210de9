// Draws one stacked column a day, each a link to its day. Guarantee: every figure and link of the chart is also in a
// table below it.

import { type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale'

const WIDTH = 640
const HEIGHT = 160
const FOOT = 18
/** Space above the columns, for the upper half of the highest axis label. */
const HEAD = 8
/** Space left of the columns, for the axis labels. */
const GUTTER = 52

export interface DayColumn {
  /** As YYYY-MM-DD. */
  day: string
  parts: readonly { kind: string; label: string; value: number }[]
}

export const ChartDays = ({
  id,
  title,
  days,
  show,
  href,
}: {
  id: string
  title: string
  days: readonly DayColumn[]
  show(value: number): string
  /** The link of a day. */
  href(day: string): string
}) => {
  const total = (column: DayColumn) => column.parts.reduce((sum, part) => sum + part.value, 0)
  const most = Math.max(...days.map(total))
  const x = scaleBand(
    days.map(({ day }) => day),
    [GUTTER, WIDTH],
  ).padding(0.2)
  const y = scaleLinear([0, most || 1], [0, HEIGHT - FOOT - HEAD])
  return (
    <figure class="chart" id={id} data-live>
      <figcaption>
        {title} <span class="dim">{most > 0 && `up to ${show(most)} a day`}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line class="axis" x1={GUTTER} x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} />
        {most > 0 && <Axis scale={y} show={show} />}
        {days.map((column, at) => {
          let top = HEIGHT - FOOT
          return (
            <a href={href(column.day)} tabindex={-1}>
              <rect class="target" x={x(column.day)} y={0} width={x.bandwidth()} height={HEIGHT} />
              <title>{`${column.day}: ${column.parts.map(part => `${show(part.value)} ${part.label}`).join(', ')}`}</title>
              {column.parts.map(part => {
                const height = part.value === 0 ? 0 : Math.max(2, y(part.value))
                top -= height
                return (
                  <rect
                    class={`fill-${part.kind}`}
                    x={x(column.day)}
                    y={Math.max(0, top)}
                    width={x.bandwidth()}
                    height={height}
                  />
                )
              })}
              {(at === 0 || at === days.length - 1 || at === Math.floor(days.length / 2)) && (
                <text x={x(column.day)! + x.bandwidth() / 2} y={HEIGHT - 4}>
                  {column.day.slice(5)}
                </text>
              )}
            </a>
          )
        })}
      </svg>
      <details class="as-table" id={`${id}-table`}>
        <summary>As a table</summary>
        <table aria-label={title}>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {days[0]?.parts.map(part => (
                <th scope="col" class="numeric">
                  {part.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(column => (
              <tr>
                <th scope="row">
                  <a href={href(column.day)}>{column.day}</a>
                </th>
                {column.parts.map(part => (
                  <td class="numeric">{show(part.value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

/** Grid lines at round values, each with its label. */
const Axis = ({ scale, show }: { scale: ScaleLinear<number, number>; show(value: number): string }) => (
  <>
    {scale
      .ticks(2)
      .filter(value => value > 0)
      .map(value => (
        <>
          <line
            class="axis"
            x1={GUTTER}
            x2={WIDTH}
            y1={HEIGHT - FOOT - scale(value)}
            y2={HEIGHT - FOOT - scale(value)}
          />
          <text class="axis-label" x={0} y={HEIGHT - FOOT - scale(value) + 4}>
            {show(value)}
          </text>
        </>
      ))}
  </>
)
