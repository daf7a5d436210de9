// Adds a copy button to each preformatted text. Guarantee: no button appears where the browser lets no page copy, as
// over plain HTTP.

import { element } from './element.ts'

const SAID_MS = 1500

export function copyButtons(within: ParentNode): void {
  if (!navigator.clipboard) return
  for (const text of within.querySelectorAll<HTMLPreElement>('pre')) {
    if (text.closest('summary, .copyable') !== null || text.textContent === '') continue
    const box = element('div', { className: 'copyable' })
    text.replaceWith(box)
    const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' })
    button.addEventListener('click', () => void copied(button, text.textContent ?? ''))
    box.append(text, button)
  }
}

async function copied(button: HTMLButtonElement, text: string): Promise<void> {
  const done = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed',
  )
  button.textContent = done
  setTimeout(() => {
    button.textContent = 'Copy'
  }, SAID_MS)
}
