// Writes values as YAML that says what it is: a comment above each document, and every string that another reader could
// take for something else in quotes.

import { Document } from 'yaml'

export interface Manifest {
  /** Lines of the comment above it. */
  about?: string
  value: object
}

/** The text of one file, of as many documents as there are manifests. */
export function yamlFile(about: string, manifests: readonly Manifest[]): string {
  const documents = manifests.map(({ about, value }) => {
    // Kubernetes and OpenFaaS read YAML 1.1, where more words than `true` are no strings.
    const text = new Document(value, { version: '1.1', aliasDuplicateObjects: false }).toString({
      lineWidth: 110,
    })
    return about === undefined ? text : `${comment(about)}\n${text}`
  })
  return `${comment(`Made by npm run generate.\n${about}`)}\n${documents.join('---\n')}`
}

const comment = (text: string) =>
  text
    .split('\n')
    .map(line => `# ${line}`.trimEnd())
    .join('\n')
