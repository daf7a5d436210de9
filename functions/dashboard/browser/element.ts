// Makes elements of the page.

/** @example element('button', { type: 'button', textContent: 'Copy' }) */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] => Object.assign(document.createElement(name), properties)
