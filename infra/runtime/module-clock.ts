// Makes the clock right while an agent's modules are loaded. Guarantee: at module level the time is that of the process's
// start, in every way of asking for it; afterwards it is workerd's own.
//
// workerd has no time outside of a request: `new Date()` at module level would be 1970-01-01, in prompts too.

import type { AddedModule } from './exit-report.ts'

/** A module that is evaluated before the agent's own. @param now the present, epoch ms */
export const moduleClock = (now: number): AddedModule => ({
  name: 'assay-clock',
  code: CLOCK.replace('STARTED_MS', String(Math.floor(now))),
})

/**
 * A proxy, not a subclass, because `Date()` without `new` is a text, and dates that workerd makes itself have the same
 * prototype. `performance` counts from the start, as in Node: by itself it would jump from 0 to the epoch with the first request.
 */
const CLOCK = `
const STARTED = STARTED_MS
const NativeDate = Date
const native = NativeDate.now
const now = () => native() || STARTED
NativeDate.now = { now() { return now() } }.now
globalThis.Date = new Proxy(NativeDate, {
  construct: (target, values, made) => Reflect.construct(target, values.length === 0 ? [now()] : values, made),
  apply: () => new NativeDate(now()).toString(),
})
NativeDate.prototype.constructor = globalThis.Date

const elapsed = performance.now.bind(performance)
const since = () => { const at = elapsed(); return at === 0 ? 0 : Math.max(0, at - STARTED) }
Object.defineProperty(performance, 'now', { value: since, writable: true, configurable: true })
Object.defineProperty(performance, 'timeOrigin', { value: STARTED, configurable: true })

const hrtime = before => {
  const at = since()
  const time = [Math.floor(at / 1e3), Math.round((at % 1e3) * 1e6)]
  if (before === undefined) return time
  const [s, ns] = [time[0] - before[0], time[1] - before[1]]
  return ns < 0 ? [s - 1, ns + 1e9] : [s, ns]
}
hrtime.bigint = () => BigInt(Math.round(since() * 1e6))
globalThis.process.hrtime = hrtime
globalThis.process.uptime = () => since() / 1e3

const { prototype } = Intl.DateTimeFormat
const { get } = Object.getOwnPropertyDescriptor(prototype, 'format')
const { formatToParts } = prototype
Object.defineProperty(prototype, 'format', {
  get() { const format = get.call(this); return (date = now()) => format(date) },
  configurable: true,
})
prototype.formatToParts = function (date = now()) { return formatToParts.call(this, date) }
`
