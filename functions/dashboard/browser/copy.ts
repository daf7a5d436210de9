// Adds a copy button to each preformatted text. Guarantee: no button appears where the browser lets no page copy, as
// over plain HTTP; where the page has only the beginning of a value, the button copies all of it or names what it copies.

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

async function textAt(address: string): Promise<string> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return response.text()
}

async function copied(button: HTMLButtonElement, name: string, read: () => Promise<string>): Promise<void> {
  const text = await read().catch(() => undefined)
  const write = async () => text !== undefined && navigator.clipboard.writeText(text)
  button.textContent =
    text === undefined
      ? 'Not loaded'
      : await write().then(
          () => 'Copied',
          () => 'Not allowed',
        )
  setTimeout(() => {
    button.textContent = name
  }, SAID_MS)
}
