// Gives a page that answers a form the address of that form's page. Guarantee: loading it again, signing in again and
// refreshing it read a page; none sends the form once more, or asks for an address that only takes forms.

export function takeFormPage({ formPage }: DOMStringMap): void {
  if (formPage !== undefined) history.replaceState(history.state, '', formPage)
}
