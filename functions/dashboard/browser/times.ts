// Shows when something happened in the reader's own zone.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

export function localTimes(within: ParentNode): void {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date((time as HTMLTimeElement).dateTime)
    ;(time as HTMLElement).title = format.format(at)
    if (time.hasAttribute('data-absolute')) time.textContent = format.format(at)
  }
}
