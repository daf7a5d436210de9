// What `postgres.json` in a data folder records about its PostgreSQL, and its URL while it runs.

import { join } from 'node:path'
import { readJson, writeJson } from './data-folder.ts'

export interface Remembered {
  password: string
  port?: number
  /** The folder of the cluster where it could not be in the data folder. */
  elsewhere?: string
}

export const DATABASE = 'assay'
export const USER = 'assay'

const fileIn = (dataDir: string) => join(dataDir, 'postgres.json')

export const readRemembered = (dataDir: string) => readJson<Remembered>(fileIn(dataDir))
export const remember = (dataDir: string, remembered: Remembered) => writeJson(fileIn(dataDir), remembered)

export const urlOf = ({ password, port }: Remembered) =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`
