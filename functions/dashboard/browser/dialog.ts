// Shows dialogs. Guarantee: each is closed by Esc, by its button and by a tap beside it, so on a phone too.

import { element } from './element.ts'

export function closeButton(dialog: HTMLDialogElement): HTMLButtonElement {
  const button = element('button', { type: 'button', className: 'plain close', textContent: '×' })
  button.setAttribute('aria-label', 'Close')
  button.addEventListener('click', () => dialog.close())
  return button
}

/** It is removed when it is closed. */
export function showDialog(dialog: HTMLDialogElement): void {
  document.body.append(dialog)
  dialog.addEventListener('close', () => dialog.remove())
  // What is beside the dialog belongs to it, as its backdrop; all else of it is in a child.
  dialog.addEventListener('click', event => {
    if (event.target === dialog && !isWithin(dialog, event)) dialog.close()
  })
  dialog.showModal()
}

function isWithin(dialog: HTMLDialogElement, { clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  return x >= left && x <= right && y >= top && y <= bottom
}
