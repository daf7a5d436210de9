// Read by a process before anything else (`--import`): at SIGUSR2 its wall clock jumps by STORM_CLOCK_SKEW_MS, at the next
// one back. Timers go on as they do when somebody sets a clock.

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
