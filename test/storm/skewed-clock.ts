// Loaded by a process before anything else (`--import`): SIGUSR2 moves its wall clock by STORM_CLOCK_SKEW_MS, and the
// next one moves it back. Timers are not affected, as when somebody sets a clock.

const skew_ms = Number(process.env.STORM_CLOCK_SKEW_MS)
const Right = globalThis.Date
let isSkewed = false
process.on('SIGUSR2', () => {
  isSkewed = !isSkewed
})
const now = () => Right.now() + (isSkewed ? skew_ms : 0)

globalThis.Date = new Proxy(Right, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
})
