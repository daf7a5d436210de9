// Sends a form once, however often its button is pressed while the answer is on its way: two taps are no two orders.

/** A form that got no answer by then may be sent again. */
const ANSWER_MS = 10_000

export function sendOnce(): void {
  const sent = new WeakMap<HTMLFormElement, number>()
  document.addEventListener('submit', event => {
    const form = event.target
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== 'post') return
    if (performance.now() - (sent.get(form) ?? Number.NEGATIVE_INFINITY) < ANSWER_MS)
      return event.preventDefault()
    sent.set(form, performance.now())
  })
  // The page may come back as it was left.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const form of document.forms) sent.delete(form)
  })
}
