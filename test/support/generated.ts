// The files that npm run generate writes.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const GENERATED = join(import.meta.dirname, '../../infra/generated')

/** The paths of one platform's YAML files, within its folder. */
export const generatedFiles = (platform: string): string[] =>
  readdirSync(join(GENERATED, platform), { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.yaml'),
  )

export const readGenerated = (platform: string, name: string): string =>
  readFileSync(join(GENERATED, platform, name), 'utf8')
