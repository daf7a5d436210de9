// Adds a copy button to each preformatted text. Guarantee: no button appears where the browser lets no page copy, as
// over plain HTTP. Of a value whose beginning alone is on the page, the button copies all, or says that it copies what is
// shown; of an answer that is not the value, it copies nothing.

import { element } from './element.ts'

const SAID_MS = 1500

export function copyButtons(within: ParentNode): void {
  if (!navigator.clipboard) return
  for (const text of within.querySelectorAll<HTMLPreElement>('pre')) {
    // Of a difference, the text is neither of the two that it compares.
    if (text.closest('summary, .copyable, .diff') !== null || text.textContent === '') continue
    const box = element('div', { className: 'copyable' })
    text.replaceWith(box)
    const whole = text.dataset.cut
    const name = whole === undefined ? 'Copy' : whole === '' ? 'Copy what is shown' : 'Copy all as JSON'
    const button = element('button', { type: 'button', className: 'copy', textContent: name })
    const read = async () => (whole ? textAt(whole) : (text.textContent ?? ''))
    button.addEventListener('click', () => void copied(button, name, read))
    box.append(text, button)
  }
}

/** Fails where the answer is another page, such as the one to sign in. */
async function textAt(address: string): Promise<string> {
  const response = await fetch(address)
  const isText = response.headers.get('content-type')?.startsWith('text/plain') === true
  if (!response.ok || response.redirected || !isText)
    throw new Error(`${address} answered ${response.status}`)
  return response.text()
}

async function copied(button: HTMLButtonElement, name: string, read: () => Promise<string>): Promise<void> {
  const text = read()
  const [isRead, isWritten] = await Promise.all([text, write(text)].map(isDone))
  button.textContent = !isRead ? 'Not loaded' : isWritten ? 'Copied' : 'Not allowed'
  setTimeout(() => {
    button.textContent = name
  }, SAID_MS)
}

/** Begins before the text has arrived: Safari lets a page write only at once when its button is pressed. */
async function write(text: Promise<string>): Promise<void> {
  if (!('ClipboardItem' in window)) return navigator.clipboard.writeText(await text)
  const blob = text.then(whole => new Blob([whole], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}

const isDone = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  )
