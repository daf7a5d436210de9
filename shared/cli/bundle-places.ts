// Leads from a place in a bundle to the author's own line. Guarantee: of an error that passed several files the line in the
// author's is named, also where only a package is at fault: then the line that imports it.

import { SourceMap } from 'node:module'
import type { Metafile } from 'esbuild'
import { packageOf } from './sandbox-packages.ts'

export interface Place {
  /** From 1, as errors have them. */
  line: number
  column: number
}

interface SourcePlace extends Place {
  file: string
}

export interface BundleParts {
  /** The source map, as JSON. */
  map: string
  metafile: Metafile
  /** Lines that stand before what the map is of. */
  lines_before: number
  /** The author's own files by their names in the map, with their texts. */
  sources: ReadonlyMap<string, string>
}

export class BundlePlaces {
  readonly #parts: BundleParts
  /** Read with the first place that is asked for: most bundles load. */
  #map: SourceMap | undefined

  constructor(parts: BundleParts) {
    this.#parts = parts
  }

  /** A message in which places of the bundle (`agent.mjs:1:2`) are those of its sources. */
  inSources(message: string): string {
    return message.replace(/\bagent\.mjs:(\d+):(\d+)/g, (whole, line: string, column: string) => {
      const { own, packages } = this.of([{ line: Number(line), column: Number(column) }])
      if (own === undefined) return whole
      return packages.length === 0 ? own : `${own} (because of ${packages[0]})`
    })
  }

  /** Where an error is to be looked for in the author's files, and the packages that it passed, the imported one first. */
  of(places: readonly Place[]): { own: string | undefined; packages: string[] } {
    const found = places.flatMap(place => this.#sourceOf(place) ?? [])
    const passed = found.flatMap(({ file }) => packageOf(file) ?? [])
    const own = found.find(({ file }) => this.#parts.sources.has(file))
    if (own !== undefined) return { own: written(own), packages: passed.reverse() }
    const importing = found[0] && this.#importing(found[0].file)
    const packages = importing ? [packageOf(`node_modules/${importing.specifier}`)!, ...passed] : passed
    return { own: importing && written(importing), packages }
  }

  #sourceOf({ line, column }: Place): SourcePlace | undefined {
    this.#map ??= new SourceMap(JSON.parse(this.#parts.map))
    const entry = this.#map.findEntry(line - 1 - this.#parts.lines_before, column - 1)
    if (!('originalSource' in entry)) return undefined
    return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  }

  /** The import in an own file by which a file came into the bundle, over the fewest other files. */
  #importing(file: string): (SourcePlace & { specifier: string }) | undefined {
    const { inputs } = this.#parts.metafile
    const seen = new Set([file])
    for (let wanted = [file]; wanted.length > 0; ) {
      const importers = Object.keys(inputs).filter(
        name => !seen.has(name) && inputs[name]!.imports.some(({ path }) => wanted.includes(path)),
      )
      for (const name of importers) {
        const text = this.#parts.sources.get(name)
        const specifier = inputs[name]!.imports.find(({ path }) => wanted.includes(path))?.original
        if (text === undefined || specifier === undefined) continue
        const at = Math.max(text.indexOf(`'${specifier}'`), text.indexOf(`"${specifier}"`))
        if (at === -1) continue
        const before = text.slice(0, at).split('\n')
        return { file: name, line: before.length, column: before.at(-1)!.length + 1, specifier }
      }
      for (const name of importers) seen.add(name)
      wanted = importers
    }
    return undefined
  }
}

const written = ({ file, line, column }: SourcePlace) => `${file}:${line}:${column}`
