// Makes Parquet files by hand, which claim whatever a test wants.

import { ByteWriter } from 'hyparquet-writer'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'

const [INT32, BYTE_ARRAY] = [1, 6]
export const CODEC = { none: 0, zstd: 6 }
export const ENCODING = { plain: 0, dictionary: 8, delta_bytes: 7 }

type Thrift = { [field: `field_${number}`]: unknown }

function thrift(data: Thrift): Buffer {
  const writer = new ByteWriter()
  serializeTCompactProtocol(writer, data as never)
  return Buffer.from(writer.getBytes())
}

interface Page {
  bytes: Buffer
  /** As the header claims it. */
  size?: number
  values: number
  encoding?: number
  kind?: 'data' | 'dictionary' | 'index'
  packed_size?: number
}

export function page({ bytes, size, values, encoding = ENCODING.plain, kind = 'data', packed_size }: Page) {
  const head = thrift({
    field_1: { data: 0, index: 1, dictionary: 2 }[kind],
    field_2: size ?? bytes.length,
    field_3: packed_size ?? bytes.length,
    ...(kind === 'data' && { field_5: { field_1: values, field_2: encoding, field_3: 3, field_4: 3 } }),
    ...(kind === 'dictionary' && { field_7: { field_1: values, field_2: 0 } }),
  })
  return { kind, bytes: Buffer.concat([head, bytes]) }
}

/** Texts as they stand in a plain page. */
export function plainTexts(texts: string[]): Buffer {
  return Buffer.concat(
    texts.map(text => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(text.length)
      return Buffer.concat([length, Buffer.from(text)])
    }),
  )
}

export const varint = (number: number): Buffer => {
  const bytes: number[] = []
  let rest = number
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

interface File {
  pages: ReturnType<typeof page>[]
  rows: number
  values?: number
  codec?: number
  type?: 'text' | 'whole'
  /** A list of texts in place of one. */
  isList?: boolean
  copies?: number
}

/** A file of one row group with one column `v`, or `copies` of it. */
export function parquetFile({
  pages,
  rows,
  values = rows,
  codec = CODEC.none,
  type = 'text',
  isList = false,
  copies = 1,
}: File): Buffer {
  const body = Buffer.concat([Buffer.from('PAR1'), ...pages.map(({ bytes }) => bytes)])
  let at = 4
  let data = 4
  let dictionary: bigint | undefined
  for (const { kind, bytes } of pages) {
    if (kind === 'dictionary') dictionary = BigInt(at)
    if (kind !== 'dictionary') {
      data = at
      break
    }
    at += bytes.length
  }
  const names = Array.from({ length: copies }, (_, n) => (n === 0 ? 'v' : `v${n}`))
  const leaf = (name: string) => ({
    field_1: type === 'text' ? BYTE_ARRAY : INT32,
    field_3: 0,
    field_4: name,
    ...(type === 'text' && { field_6: 0 }),
  })
  const schema = isList
    ? [
        { field_4: 'v', field_3: 0, field_5: 1, field_6: 3 },
        { field_3: 2, field_4: 'list', field_5: 1 },
        leaf('element'),
      ]
    : names.map(leaf)
  const column = (path: string[]) => ({
    field_2: 4n,
    field_3: {
      field_1: type === 'text' ? BYTE_ARRAY : INT32,
      field_2: [0],
      field_3: path,
      field_4: codec,
      field_5: BigInt(values),
      field_6: BigInt(body.length - 4),
      field_7: BigInt(body.length - 4),
      field_9: BigInt(data),
      ...(dictionary !== undefined && { field_11: dictionary }),
    },
  })
  const footer = thrift({
    field_1: 1,
    field_2: [
      { field_4: 'root', field_5: isList ? 1 : copies },
      ...schema.map(one =>
        Object.fromEntries(Object.entries(one).sort(([a], [b]) => Number(a.slice(6)) - Number(b.slice(6)))),
      ),
    ],
    field_3: BigInt(rows),
    field_4: [
      {
        field_1: isList ? [column(['v', 'list', 'element'])] : names.map(name => column([name])),
        field_2: BigInt(body.length - 4),
        field_3: BigInt(rows),
      },
    ],
  })
  const end = Buffer.alloc(4)
  end.writeUInt32LE(footer.length)
  return Buffer.concat([body, footer, end, Buffer.from('PAR1')])
}
