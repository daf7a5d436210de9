// What code in the sandbox cannot do and what to do instead, as data: for errors of items, errors of a deploy and SANDBOX.md.

export interface SandboxLimit {
  /** What does not work, as the page has it. */
  what: string
  /** Found in an error's message and stack, as workerd words them. */
  says: RegExp
  /** The way out. */
  instead: string
}

/** Where it is described whole. */
export const SANDBOX_PAGE = 'SANDBOX.md'

/** The first that an error matches counts. */
export const SANDBOX_LIMITS: readonly SandboxLimit[] = [
  {
    what: 'calls, timers and random values at module level: `fetch`, `setInterval`, `setTimeout`, `crypto.randomUUID`',
    says: /Disallowed operation called within global scope/,
    instead:
      'do it in run(), or keep what the first item loads: `labels ??= await load()` in run() with `let labels` outside; instead of a timer compare `Date.now()` when a value is used',
  },
  {
    what: '`await` at module level of something that never comes',
    says: /Top-level await in module is unsettled/,
    instead:
      'await it in run(); WebAssembly is compiled by `new WebAssembly.Module(bytes)`, which waits for nothing',
  },
  {
    what: '`eval` and `new Function` in run(): templates of Handlebars, Nunjucks, EJS, Pug and lodash, `ajv.compile`',
    says: /Code generation from strings disallowed/,
    instead:
      'compile at module level, where it is allowed, and call the result in run() (Handlebars compiles at the first call: make that one there too), or precompile; Mustache, LiquidJS and @cfworker/json-schema need no eval',
  },
  {
    what: 'WebAssembly compiled from bytes in run()',
    says: /Wasm code generation disallowed/,
    instead:
      'compile it by `new WebAssembly.Module(bytes)` at module level, where it is allowed, or take a package in JavaScript: js-tiktoken for tiktoken',
  },
  {
    what: 'native modules (`.node`): sharp, canvas, better-sqlite3, bcrypt',
    says: /process\.dlopen|No such module "[^"]*\.node"/,
    instead: 'put the agent behind a URL (`assay package`), or take a package in JavaScript',
  },
  {
    what: 'other processes and threads: `child_process`, `worker_threads`, `cluster`, `vm`',
    says: /node:(child_process|worker_threads|cluster|vm)\b|The (child_process\.\w+|cluster\.\w+|Worker|runIn\w+) method is not implemented|\bWorker is not defined/,
    instead: 'call a service with fetch, or put the agent behind a URL (`assay package`)',
  },
  {
    what: 'HTTP/2 by `node:http2`, as some clients of AWS and gRPC use it',
    says: /The http2\.\w+ method is not implemented/,
    instead:
      "use fetch; for a client of AWS `requestHandler: new FetchHttpHandler()` from @smithy/fetch-http-handler, for Google's `fallback: 'rest'`",
  },
  {
    what: 'connections without HTTP: `node:net`, `node:tls`, `node:dgram`, and drivers of databases on them',
    says: /proxy request failed, cannot connect to the specified address|Incoming CONNECT|node:(net|tls|dgram)\b/,
    instead:
      "use a service's HTTP interface with fetch, bring the data with the items, or put the agent behind a URL (`assay package`)",
  },
  {
    what: 'name look-ups by `node:dns`',
    says: /\bquery\w* E[A-Z]{4,}/,
    instead: 'call the host by its name with fetch, which looks it up',
  },
  {
    what: 'files of your machine: `readFileSync`, `import.meta.url`, `process.cwd()`',
    says: /no such file or directory/,
    instead:
      "import the file: `import prompt from './prompt.md'` gives its text, JSON its value; larger data comes with the items or by fetch",
  },
  {
    what: 'files written, except in `/tmp`, which is in memory and gone with the request',
    says: /operation not permitted[\s\S]*internal_fs|read-only file ?system/i,
    instead: 'return what should be kept: the output of an item is stored',
  },
  {
    what: '`__dirname` and `__filename`',
    says: /\b__(dir|file)name is not defined/,
    instead: "import the file: `import prompt from './prompt.md'` gives its text",
  },
  {
    what: 'modules that are only named at run time, and parts of Node that workerd lacks',
    says: /No such module "/,
    instead: 'import it by its name at the top of the file, and install it in the project',
  },
  {
    what: 'other methods of Node that workerd lacks',
    says: /The [\w.]+ method is not implemented|\[unenv\] \S+ is not implemented/,
    instead: 'use fetch and the web’s interfaces, or put the agent behind a URL (`assay package`)',
  },
  {
    what: 'what only browsers, Bun or Deno have: `document`, `XMLHttpRequest`, `Bun.file`',
    says: /\b(window|document|XMLHttpRequest|localStorage|indexedDB|Bun|Deno) is not defined/,
    instead: 'use fetch; cheerio and linkedom read HTML without a browser',
  },
  {
    what: 'a response, stream or open call of one request in another',
    says: /Cannot perform I\/O on behalf of a different request/,
    instead:
      'share values, not promises or connections: await the value and keep that; create clients inside the class',
  },
]

/** The limit that an error is about. @param text its message, and its stack if there is one */
export const limitIn = (text: string): SandboxLimit | undefined =>
  SANDBOX_LIMITS.find(({ says }) => says.test(text))

/** The way out as a sentence. */
export const wayOut = ({ instead }: SandboxLimit): string => `In the sandbox: ${instead} (${SANDBOX_PAGE}).`

/** What workerd adds about products that are none of ours. */
const ADVICE = / Asynchronous I\/O \(ex: [\s\S]*?handlers\/$/

/** Whether this code runs in the sandbox, as workerd says of itself. */
const IS_SANDBOX = globalThis.navigator?.userAgent === 'Cloudflare-Workers'

/** The message of an error, in the sandbox with the way out of what is its own. */
export function withWayOut(message: string, stack = '', isSandbox = IS_SANDBOX): string {
  const limit = isSandbox ? limitIn(`${message}\n${stack}`) : undefined
  return limit === undefined
    ? message
    : `${message.replace(ADVICE, '').replace(/[.\s]*$/, '')}. ${wayOut(limit)}`
}
