// Labels the buttons for selected rows with their count and cost, and selects groups. Guarantee: such a button is
// disabled while no selected row accepts it, and the rows' own buttons are disabled while any row is selected.

import { money } from '../../../shared/prices/rules/amounts.ts'
import type { RowAction } from '../../../shared/triage/vocabulary.ts'
import { actionOn } from '../parts/action-words.ts'

const ROW_BUTTONS = 'button[name=one]'

export function followSelection(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-selection]')) {
    for (const box of form.querySelectorAll<HTMLInputElement>('[data-select-group]')) box.hidden = false
    form.addEventListener('change', event => {
      selectGroup(form, event.target as HTMLInputElement)
      updateButtons(form)
    })
    form.addEventListener('submit', event => leaveOut(form, event.submitter))
    updateButtons(form)
  }
}

/** Leaves out the selected items that do not accept the pressed button's action. */
function leaveOut(form: HTMLFormElement, pressed: HTMLElement | null): void {
  const action = pressed?.dataset.bulk
  for (const box of form.querySelectorAll<HTMLInputElement>('input[name=items]:checked'))
    box.disabled = action !== undefined && !actionsOf(box).has(action)
}

/** The actions an item accepts, read from the buttons of its row. */
function actionsOf(box: HTMLInputElement): Set<string> {
  const buttons = box.closest('tr')!.querySelectorAll<HTMLButtonElement>(ROW_BUTTONS)
  return new Set([...buttons].map(button => button.value.split(' ')[0]!))
}

function selectGroup(form: HTMLFormElement, box: HTMLInputElement): void {
  const group = box.dataset.selectGroup
  if (group === undefined) return
  for (const one of form.querySelectorAll<HTMLInputElement>(`[data-group="${group}"] input[name=items]`))
    one.checked = box.checked
}

function updateButtons(form: HTMLFormElement): void {
  const selected = [...form.querySelectorAll<HTMLInputElement>('input[name=items]:checked')]
  for (const button of form.querySelectorAll<HTMLButtonElement>('[data-bulk]')) {
    const action = button.dataset.bulk as RowAction
    const able = selected.filter(box => actionsOf(box).has(action))
    button.disabled = able.length === 0
    button.hidden = able.length === 0 && selected.length > 0
    button.textContent = able.length === 0 ? actionOn(action, 'selected') : labelOf(action, able)
  }
  for (const button of form.querySelectorAll<HTMLButtonElement>(ROW_BUTTONS))
    button.disabled = selected.length > 0
  const summary = form.querySelector('[data-selected]')
  if (summary !== null)
    summary.textContent = selected.length === 0 ? 'None selected.' : `${selected.length} selected`
}

function labelOf(action: RowAction, boxes: readonly HTMLInputElement[]): string {
  const cost = boxes.reduce((sum, box) => sum + Number(box.dataset.cost ?? 0), 0)
  const about = action === 'replay' && cost > 0 ? ` (about ${money(cost)})` : ''
  return actionOn(action, `${boxes.length} item${boxes.length === 1 ? '' : 's'}`) + about
}
