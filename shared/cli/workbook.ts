// Opens an Excel workbook: its sheets, shared texts and dates. Guarantee: nothing of it is in memory as a whole but the list
// of its parts and the styles of its cells; what a small file unpacks to has a bound; another archive is refused by its name.

import { Parser } from 'htmlparser2'
import { isDateFormat } from 'hucre'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { INPUT_LIMITS } from '../kernel/limits/input.ts'
import { NotText } from '../submission/rules/file-text.ts'
import { SharedTexts } from './shared-texts.ts'
import { UnpackedBytes } from './unpacked-bytes.ts'

export interface Sheet {
  name: string
  /** Undefined of a sheet without cells, such as a chart. */
  path: string | undefined
}

export type CellFormat = 'number' | 'date' | 'duration'

export interface Workbook extends AsyncDisposable {
  sheets: readonly Sheet[]
  /** Whether its days count from 1904, as on older Macs. */
  is1904: boolean
  formatOf(style: number): CellFormat
  /** The shared texts, which are read when they are asked for first. */
  texts(): Promise<SharedTexts>
  open(part: string): Promise<AsyncIterable<Buffer>>
}

/** Of parts of the archive; Excel writes some fifty, and a few for each sheet. */
const MAX_PARTS = 50_000
const MAX_SHEETS = 10_000
/** Excel itself has 64,000. */
const MAX_STYLES = 100_000
/** Of a name, an address or a format: Excel itself has 255. */
const MAX_WORD = 4096
/** A longer text is no part of an item. */
export const MAX_TEXT = INPUT_LIMITS.item_input_bytes

/** @throws NotText */
export async function openWorkbook(path: string): Promise<Workbook> {
  const zip = await openPromise(path, { autoClose: false }).catch(broken)
  const unpacked = new UnpackedBytes(zip.fileSize)
  let texts: SharedTexts | undefined
  const close = async () => {
    await texts?.[Symbol.asyncDispose]()
    zip.close()
  }
  try {
    const parts = await partsOf(zip).catch(broken)
    const open = async (part: string) => {
      const entry = parts.get(part.toLowerCase())
      if (entry === undefined) return broken(new Error(`${part} is missing`))
      return unpacked.counted(
        part,
        (await zip.openReadStreamPromise(entry).catch(broken)) as AsyncIterable<Buffer>,
      )
    }
    const main = await mainPart(parts, open)
    const { sheets, is1904, related } = await sheetsOf(open, main)
    const formats = related.styles === undefined ? [] : await formatsOf(await open(related.styles))
    return {
      sheets,
      is1904,
      formatOf: style => formats[style] ?? 'number',
      async texts() {
        texts ??= await SharedTexts.read(
          related.sharedStrings ? textsIn(await open(related.sharedStrings)) : [],
        )
        return texts
      },
      open,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export const broken = (error: Error): never => {
  if (error instanceof NotText) throw error
  throw new NotText(`is no Excel workbook that can be read (${error.message}): save it as CSV`)
}

async function partsOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const parts = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    parts.set(entry.fileName.toLowerCase(), entry)
    if (parts.size > MAX_PARTS) throw new Error(`it has over ${MAX_PARTS} parts`)
  }
  return parts
}

type Open = Workbook['open']

/** Other archives by a part of theirs. */
const OTHERS: readonly [part: RegExp, said: string][] = [
  [/^xl\/workbook\.bin$/, 'is a binary Excel workbook (.xlsb): save it as .xlsx'],
  [/^content\.xml$/, 'is an OpenDocument file (.ods): save it as .xlsx or CSV'],
  [/^index\/.*\.iwa$|^index\.zip$/, 'is a spreadsheet of Apple Numbers: export it as Excel or CSV'],
  [/^word\//, 'is a Word document: save its table as CSV'],
  [/^ppt\//, 'is a PowerPoint presentation: save its table as CSV'],
  [/^meta-inf\/manifest\.mf$/, 'is a Java archive: submit CSV or JSON lines'],
]

async function mainPart(parts: ReadonlyMap<string, Entry>, open: Open): Promise<string> {
  const names = [...parts.keys()]
  const other = OTHERS.find(([part]) => names.some(name => part.test(name)))
  if (other !== undefined) throw new NotText(other[1])
  if (!parts.has('_rels/.rels'))
    throw new NotText('is a zip archive without a workbook: unpack it, and submit the files in it')
  const relations = await relationsOf(open, '_rels/.rels', '')
  return relations.find(({ kind }) => kind === 'officeDocument')?.path ?? 'xl/workbook.xml'
}

interface Relation {
  id: string
  /** The last word of its type, which the strict and the usual form of the format share. */
  kind: string
  path: string
}

async function relationsOf(open: Open, part: string, folder: string): Promise<Relation[]> {
  const found: Relation[] = []
  await readXml(await open(part), {
    open(name, { Id = '', Type = '', Target = '' }) {
      if (name !== 'Relationship') return
      if (found.length === MAX_PARTS || Math.max(Id.length, Type.length, Target.length) > MAX_WORD)
        throw new Error(`${part} relates too many parts, or names one by over ${MAX_WORD} characters`)
      const path = new URL(Target, `zip:///${folder}`).pathname.slice(1)
      found.push({ id: Id, kind: Type.slice(Type.lastIndexOf('/') + 1), path: decodeURIComponent(path) })
    },
  })
  return found
}

async function sheetsOf(open: Open, main: string) {
  const folder = main.slice(0, main.lastIndexOf('/') + 1)
  const relations = await relationsOf(open, `${folder}_rels/${main.slice(folder.length)}.rels`, folder)
  const worksheets = new Map(
    relations.flatMap(({ id, kind, path }) => (kind === 'worksheet' ? [[id, path] as const] : [])),
  )
  const sheets: Sheet[] = []
  let is1904 = false
  await readXml(await open(main), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(1|true|on)$/.test(attributes.date1904 ?? '')
      if (name !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => /:id$/i.test(key))?.[1]
      const { name: title = '' } = attributes
      if (sheets.length === MAX_SHEETS || title.length > MAX_WORD)
        throw new Error(`it has over ${MAX_SHEETS} sheets, or one with a name of over ${MAX_WORD} characters`)
      sheets.push({ name: title, path: worksheets.get(id ?? '') })
    },
  })
  const related = Object.fromEntries(relations.map(({ kind, path }) => [kind, path]))
  return { sheets, is1904, related }
}

async function formatsOf(styles: AsyncIterable<Buffer>): Promise<CellFormat[]> {
  const codes = new Map<string, CellFormat>()
  const formats: CellFormat[] = []
  let isOfCells = false
  await readXml(styles, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (codes.size > MAX_STYLES || formats.length > MAX_STYLES || formatCode.length > MAX_WORD)
        throw new Error(`it has over ${MAX_STYLES} formats, or one of over ${MAX_WORD} characters`)
      if (name === 'numFmt') codes.set(numFmtId, formatOfCode(formatCode))
      else if (name === 'cellXfs') isOfCells = true
      else if (name === 'xf' && isOfCells) formats.push(codes.get(numFmtId) ?? formatOfCode(numFmtId))
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return formats
}

const ELAPSED = '46' // [h]:mm:ss, among the formats without a code

const formatOfCode = (code: string): CellFormat =>
  code === ELAPSED || /\[(h+|m+|s+)\]/i.test(code) ? 'duration' : isDateFormat(code) ? 'date' : 'number'

/** The texts in their order, of each chunk together; how they are to be pronounced is no part of them. */
async function* textsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let texts: string[] = []
  let [text, isText, isSound] = ['', false, false]
  const reader = xmlReader({
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') isSound = true
      else if (name === 't') isText = !isSound
    },
    text(part) {
      if (isText) text += part
      if (text.length > MAX_TEXT) throw new Error(`a text of its cells has over ${MAX_TEXT} characters`)
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') isSound = false
      else if (name === 'si') texts.push(unescaped(text))
    },
  })
  for await (const chunk of chunks) {
    reader.write(chunk)
    yield texts
    texts = []
  }
  reader.end('sst')
  yield texts
}

/** Excel writes characters that XML does not have as _x000D_. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

export interface XmlEvents {
  /** Names are without their prefixes. */
  open?: (name: string, attributes: Record<string, string>) => void
  text?: (part: string) => void
  close?: (name: string) => void
}

const bare = (name: string) => name.slice(name.indexOf(':') + 1)

/** Elements within one another; a text with fonts is seven deep. */
const MAX_DEPTH = 100
/** Of a tag or a comment, which the parser holds until it ends. */
const MAX_MARKUP = 1024 * 1024

export function xmlReader({ open, text, close }: XmlEvents) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let root: string | undefined
  let closed = ''
  let depth = 0
  let sinceEvent = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw new Error(`its elements are over ${MAX_DEPTH} deep`)
        sinceEvent = 0
        root ??= bare(name)
        open?.(bare(name), attributes)
      },
      ontext(part) {
        sinceEvent = 0
        text?.(part)
      },
      onclosetag(name, isImplied) {
        depth--
        sinceEvent = 0
        if (!isImplied) closed = bare(name)
        close?.(bare(name))
      },
    },
    { xmlMode: true },
  )
  return {
    write(chunk: Uint8Array) {
      sinceEvent += chunk.length
      parser.write(decoder.decode(chunk, { stream: true }))
      if (sinceEvent > MAX_MARKUP) throw new Error(`a tag or a comment has over ${MAX_MARKUP} bytes`)
    },
    /** @throws Error unless the element around all others was closed */
    end(name = root) {
      parser.end(decoder.decode())
      if (closed !== name) throw new Error(`<${name}> is not closed`)
    },
  }
}

async function readXml(chunks: AsyncIterable<Buffer>, events: XmlEvents): Promise<void> {
  const reader = xmlReader(events)
  try {
    for await (const chunk of chunks) reader.write(chunk)
    reader.end()
  } catch (error) {
    broken(error as Error)
  }
}
