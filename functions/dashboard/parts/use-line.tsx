// Draws the calls of the last ten minutes as a line. Guarantee: what the line shows is also said in words.

import { scaleLinear } from 'd3-scale'
import { count, counted } from './text.tsx'

const WIDTH = 640
const HEIGHT = 120
const FOOT = 20
/** Space above the line, for the upper half of the highest axis label. */
const HEAD = 10
/** Space left of the line, for the axis labels. */
const GUTTER = 52

/** Calls of each half minute, the latest last. */
export const UseLine = ({ calls }: { calls: readonly number[] }) => (
  <figure class="chart use" id="use" data-live>
    <figcaption>
      {counted(
        calls.reduce((sum, one) => sum + one, 0),
        'call',
      )}{' '}
      answered well in the last ten minutes{' '}
      <span class="dim">
        at most {count(Math.max(...calls))} in half a minute, {count(calls.at(-1)!)} in the one that has not
        ended
      </span>
    </figcaption>
    <Line calls={calls} />
  </figure>
)

const Line = ({ calls }: { calls: readonly number[] }) => {
  const x = scaleLinear([0, calls.length - 1], [GUTTER, WIDTH - 2])
  const y = scaleLinear([0, Math.max(1, ...calls)], [HEIGHT - FOOT, HEAD])
  const points = calls.map((value, at) => `${Math.round(x(at))},${Math.round(10 * y(value)) / 10}`)
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {y
        .ticks(2)
        .filter(Number.isInteger)
        .map(value => (
          <>
            <line class="axis" x1={GUTTER} x2={WIDTH} y1={y(value)} y2={y(value)} />
            <text class="axis-label" x={0} y={y(value) + 4}>
              {count(value)}
            </text>
          </>
        ))}
      <polyline class="line" points={points.join(' ')} />
      <text class="axis-label" x={GUTTER} y={HEIGHT - 4}>
        10 min ago
      </text>
      <text class="axis-end" x={WIDTH} y={HEIGHT - 4}>
        now
      </text>
    </svg>
  )
}
