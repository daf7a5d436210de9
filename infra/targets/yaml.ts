// Writes values as YAML that says what it is: a comment at the top of the file, and quotes around every string that
// another reader could take for something else.

import { Document } from 'yaml'

/** The text of one file, of as many documents as there are values. */
export function yamlFile(about: string, values: readonly object[]): string {
  // Kubernetes and OpenFaaS read YAML 1.1, where more words than `true` are no strings.
  const documents = values.map(value =>
    new Document(value, { version: '1.1', aliasDuplicateObjects: false }).toString({ lineWidth: 110 }),
  )
  const comment = `Made by npm run generate.\n${about}`.replaceAll(/^/gm, '# ')
  return `${comment}\n${documents.join('---\n')}`
}
