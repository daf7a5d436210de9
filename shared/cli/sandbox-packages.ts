// Packages that cannot work in the sandbox, or not as their pages show them, and what people take instead, as data: for the
// errors and notes of a deploy, and for SANDBOX.md.

import { SANDBOX_PAGE } from '../sdk/sandbox-limits.ts'

/** Why a package does not work there. */
export type Lack = 'native' | 'browser' | 'sockets' | 'eval' | 'wasm' | 'files' | 'grpc'

export interface PackageLimit {
  packages: readonly string[]
  lack: Lack
  instead: string
}

/** What each lack means, in a sentence about the package. */
export const LACKS: Readonly<Record<Lack, string>> = {
  native: 'runs code that was compiled for a machine',
  browser: 'starts a browser or drives one',
  sockets: 'opens connections without HTTP',
  eval: 'makes code of text while it runs',
  wasm: 'compiles WebAssembly while it runs',
  files: 'reads files of the machine',
  grpc: 'speaks gRPC over HTTP/2',
}

const BEHIND_URL = 'put the agent behind a URL (`assay package`)'

export const PACKAGE_LIMITS: readonly PackageLimit[] = [
  {
    packages: ['sharp', 'canvas', '@napi-rs/canvas', 'gm', 'fluent-ffmpeg'],
    lack: 'native',
    instead: BEHIND_URL,
  },
  {
    packages: ['better-sqlite3', 'sqlite3', 'duckdb', '@duckdb/node-api', 'libsql'],
    lack: 'native',
    instead: `bring the rows with the items, or ${BEHIND_URL}`,
  },
  { packages: ['bcrypt'], lack: 'native', instead: 'use bcryptjs' },
  {
    packages: ['argon2', '@node-rs/argon2', '@node-rs/bcrypt'],
    lack: 'native',
    instead: 'use `scrypt` of node:crypto, or @noble/hashes',
  },
  { packages: ['re2', 'isolated-vm', 'node-pty', 'keytar'], lack: 'native', instead: BEHIND_URL },
  {
    packages: [
      'onnxruntime-node',
      '@huggingface/transformers',
      '@xenova/transformers',
      '@tensorflow/tfjs-node',
      'node-llama-cpp',
      'hnswlib-node',
      'faiss-node',
      '@lancedb/lancedb',
    ],
    lack: 'native',
    instead: `call a model server with fetch, or ${BEHIND_URL}`,
  },
  {
    packages: ['puppeteer', 'puppeteer-core', 'playwright', 'playwright-core', 'selenium-webdriver'],
    lack: 'browser',
    instead: `use fetch and cheerio, a rendering service with fetch, or ${BEHIND_URL}`,
  },
  { packages: ['jsdom'], lack: 'files', instead: 'use linkedom or cheerio' },
  { packages: ['pdf-parse', 'pdfjs-dist', 'pdf2json', 'pdf-to-img'], lack: 'files', instead: 'use unpdf' },
  { packages: ['dotenv'], lack: 'files', instead: 'pass variables on with --env NAME' },
  { packages: ['tesseract.js'], lack: 'files', instead: BEHIND_URL },
  { packages: ['tiktoken', '@dqbd/tiktoken'], lack: 'wasm', instead: 'use js-tiktoken or gpt-tokenizer' },
  {
    packages: [
      'pg',
      'postgres',
      'mysql',
      'mysql2',
      'mariadb',
      'mssql',
      'tedious',
      'oracledb',
      'knex',
      'typeorm',
      'sequelize',
    ],
    lack: 'sockets',
    instead: `use the database's HTTP interface (such as @neondatabase/serverless), bring the rows with the items, or ${BEHIND_URL}`,
  },
  {
    packages: ['mongodb', 'mongoose', 'redis', 'ioredis', 'cassandra-driver', 'memcached'],
    lack: 'sockets',
    instead: `use an HTTP interface (such as @upstash/redis), bring the rows with the items, or ${BEHIND_URL}`,
  },
  {
    packages: [
      'amqplib',
      'kafkajs',
      'mqtt',
      'nodemailer',
      'imapflow',
      'ssh2',
      'ssh2-sftp-client',
      'basic-ftp',
      'ldapjs',
    ],
    lack: 'sockets',
    instead: `use a service with an HTTP interface, or ${BEHIND_URL}`,
  },
  {
    packages: ['@grpc/grpc-js', 'google-gax'],
    lack: 'grpc',
    instead: "use the service's REST interface (`fallback: 'rest'` for Google's clients)",
  },
  {
    packages: ['handlebars', 'nunjucks', 'ejs', 'pug', 'dot', 'underscore', 'lodash.template'],
    lack: 'eval',
    instead: 'compile and call it once at module level, precompile, or take Mustache or LiquidJS',
  },
  {
    packages: ['ajv'],
    lack: 'eval',
    instead: 'compile at module level, use its standalone code, or @cfworker/json-schema',
  },
]

const LIMITS_OF = new Map(PACKAGE_LIMITS.flatMap(limit => limit.packages.map(name => [name, limit] as const)))

/** What is known of a package, as a sentence; undefined if nothing is. */
export function aboutPackage(name: string): string | undefined {
  const limit = LIMITS_OF.get(name)
  return limit && `${name} ${LACKS[limit.lack]}, which the sandbox cannot: ${limit.instead} (${SANDBOX_PAGE})`
}

/** The package that a path leads into; undefined for a file of the author's own. */
export function packageOf(path: string): string | undefined {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
  return name
}
