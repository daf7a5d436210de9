// Loaded into a process before its program: at SIGUSR2 its clock is set back by an hour, as an operator or a wrong time server
// would. Timers go by another clock, which nobody sets, and so does performance.now().

const HOUR_MS = 3_600_000
const Kept = Date
let back_ms = 0
const now = () => Kept.now() - back_ms

globalThis.Date = class SetBack extends Kept {
  constructor(...given) {
    if (given.length === 0) super(now())
    else super(...given)
  }
  static now() {
    return now()
  }
}
process.on('SIGUSR2', () => {
  back_ms += HOUR_MS
})
