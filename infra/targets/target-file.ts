// A generated file for a platform, as values and as text. Guarantee: its first line says what it was made from.

import { Document } from 'yaml'

export interface TargetFile {
  /** The path within the platform's folder. */
  path: string
  /** What an operator should know before reading it. */
  about: string
  /** YAML documents, one per object; or the text itself, in a format whose comments begin with `#`. */
  content: readonly object[] | string
}

/** @param madeFrom the values file and the version, such as `infra/values/openfaas.yaml by Assay 0.1.0` */
export function textOf({ about, content }: TargetFile, madeFrom: string): string {
  const comment = `${madeFromLine(madeFrom)}\n${about}`.replaceAll(/^/gm, '# ').replaceAll(/ +$/gm, '')
  return `${comment}\n${typeof content === 'string' ? content : asYaml(content)}`
}

const MADE_FROM = 'Made from'
const madeFromLine = (madeFrom: string) => `${MADE_FROM} ${madeFrom}; change the values, not this.`
export const isMade = (text: string) => text.startsWith(`# ${MADE_FROM} `)

/** YAML with quotes around every string that another parser could take for something else. */
const asYaml = (values: readonly object[]) =>
  // Kubernetes and OpenFaaS read YAML 1.1, in which more words than `true` are not strings.
  values
    .map(value =>
      new Document(value, { version: '1.1', aliasDuplicateObjects: false }).toString({ lineWidth: 110 }),
    )
    .join('---\n')
