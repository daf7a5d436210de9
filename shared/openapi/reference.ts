// Makes the reference page from the document. Guarantee: one self-contained answer without scripts, fonts or pictures
// from elsewhere; every text of the document is escaped.

import type { Hono } from 'hono'
import { html, raw } from 'hono/html'
import type { Context } from '../context.ts'
import { basePath } from '../http/base-path.ts'
import { ERROR_MEANINGS, ITEM_ERROR_MEANINGS } from '../items/rules/error-meanings.ts'
import { API_ERRORS, type ApiErrorCode } from '../kernel/errors.ts'
import type { JsonSchema } from '../kernel/sample.ts'
import { VERSION } from '../kernel/version.ts'
import type { Document, Media, Operation, Parameter } from './openapi.ts'
import { STYLE } from './reference-style.ts'

/** Serves `GET /openapi.json` and the page `GET /docs` made from it, and redirects `/` to the dashboard. */
export function serveReference(
  app: Hono,
  documentOf: () => Document,
  contextFor: (request: Request) => Context,
): void {
  let made: Document | undefined
  const baseUrlOf = (request: Request) => contextFor(request).config.base_url
  const document = () => {
    made ??= documentOf()
    return made
  }
  app.get('/openapi.json', c => {
    const servers = [{ url: basePath(baseUrlOf(c.req.raw)) || '/' }]
    return c.json({ ...document(), servers })
  })
  app.get('/', c => c.redirect(`${basePath(baseUrlOf(c.req.raw))}/dashboard`))
  app.get('/docs', c => referencePage(document(), baseUrlOf(c.req.raw)))
}

/** Every operation of the document, to suggest one when an unknown operation is requested. */
export const operationsOf = ({ paths }: Document): { method: string; path: string }[] =>
  Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map(method => ({ method, path })))

interface Entry extends Operation {
  method: string
  path: string
}

async function referencePage(document: Document, base_url: string): Promise<Response> {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method, path })),
  )
  const groups = document.tags
    .map(tag => ({ ...tag, entries: entries.filter(entry => entry.tags[0] === tag.name) }))
    .filter(group => group.entries.length > 0)
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} API reference</title>
<style>${raw(STYLE)}</style>
</head>
<body><div class="layout">
<nav aria-label="Operations">
<a href="#top">${document.info.title} ${VERSION}</a>
${groups.map(
  group =>
    html`<h2>${group.name}</h2><ul>${group.entries.map(
      entry => html`<li><a href="#${entry.operationId}">${entry.summary}</a></li>`,
    )}</ul>`,
)}
<h2>Errors</h2><ul><li><a href="#errors">Error codes</a></li><li><a href="#item-errors">Error codes of items</a></li></ul>
</nav>
<main id="top">
<h1>${document.info.title} API reference</h1>
<p>${prose(document.info.description)}</p>
<p>Send <code>Authorization: Bearer …</code> with a project key (<code>pk_…</code>) or the access token of a session.
The same as a document for tools: <a href="openapi.json">openapi.json</a>.</p>
${groups.map(group => html`<h2>${group.name}</h2><p class="dim">${group.description}</p>${group.entries.map(entry => operation(document, entry, base_url))}`)}
${errorTables()}
</main>
</div></body></html>`
  return new Response(String(page), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${await digest(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  })
}

async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(hash)))
}

/** Turns text in backticks into code. */
const prose = (text: string) =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))

function operation(document: Document, entry: Entry, base_url: string) {
  const { operationId, method, path, parameters = [], requestBody, responses, 'x-lines': lines } = entry
  const answers = Object.entries(responses)
  const failures = answers.filter(([status]) => status >= '400')
  return html`<section id="${operationId}">
<h3>${entry.summary}</h3>
<p class="path"><code><span class="method ${method}">${method.toUpperCase()}</span> ${path}</code></p>
${entry.description === `${entry.summary}.` ? '' : html`<p>${prose(entry.description)}</p>`}
${entry.security?.length === 0 ? html`<p class="dim">No credentials needed.</p>` : ''}
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${parameterTable(document, parameters)}`}
<h4>Request</h4><pre><code>${curl(entry, base_url)}</code></pre>
${requestBody === undefined ? '' : Object.entries(requestBody.content).map(([type, media]) => fields(document, type, media))}
${lines === undefined ? '' : [html`<h4>Parameters, application/x-ndjson</h4>`, parameterTable(document, lines.parameters), ...fields(document, 'application/x-ndjson', lines)]}
<h4>Answers</h4>
${answers.filter(([status]) => status < '400').map(([status, answer]) => answerOf(status, answer))}
${failures.length === 0 ? '' : html`<p>Errors: ${failures.flatMap(([status, { description }]) => [html`<span class="dim">${status}</span> `, prose(description), ' · ']).slice(0, -1)}</p>`}
</section>`
}

const answerOf = (status: string, { description, content = {} }: Operation['responses'][string]) =>
  html`<p><strong>${status}</strong> ${prose(description)}</p>${Object.entries(content).map(
    ([type, media]) =>
      html`<details><summary>${type}</summary><pre><code>${exampleText(media, type)}</code></pre></details>`,
  )}`

const parameterTable = (document: Document, parameters: Parameter[]) => html`<div class="scroll"><table>
<tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr>
${parameters.map(
  one => html`<tr><td><code>${one.name}</code>${one.required ? '' : html` <span class="dim">optional</span>`}</td>
<td>${one.in}</td><td>${typeOf(document, one.schema)}</td><td>${prose(one.description ?? '')}</td></tr>`,
)}
</table></div>`

/** The fields of a body, for each of its forms. */
function fields(document: Document, type: string, { schema }: Media) {
  const forms = formsOf(document, schema)
  return forms.map(
    form => html`<h4>Body, ${type}</h4><div class="scroll"><table>
<tr><th>Field</th><th>Type</th><th>Meaning</th></tr>
${Object.entries(form.properties ?? {}).map(
  ([
    name,
    field,
  ]) => html`<tr><td><code>${name}</code>${form.required?.includes(name) ? '' : html` <span class="dim">optional</span>`}</td>
<td>${typeOf(document, field)}</td><td>${prose(descriptionOf(document, field))}</td></tr>`,
)}
</table></div>`,
  )
}

function formsOf(document: Document, schema: JsonSchema): JsonSchema[] {
  const whole = resolved(document, schema)
  return (whole.oneOf ?? whole.anyOf ?? [whole])
    .map(one => resolved(document, one))
    .filter(one => one.properties)
}

function resolved(document: Document, schema: JsonSchema): JsonSchema {
  const named = schema.$ref ?? schema.allOf?.find(part => part.$ref)?.$ref
  return named === undefined ? schema : (document.components.schemas[named.split('/').at(-1)!] ?? {})
}

const descriptionOf = (document: Document, schema: JsonSchema): string =>
  schema.description ??
  schema.allOf?.find(part => part.description)?.description ??
  resolved(document, schema).description ??
  ''

/** A schema's type in a few words. */
function typeOf(document: Document, schema: JsonSchema): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map(one => typeOf(document, one)).join(' or ')
  if (schema.enum !== undefined) return schema.enum.map(String).join(', ')
  const named = schema.$ref ?? schema.allOf?.find(part => part.$ref)?.$ref
  if (named !== undefined) return named.split('/').at(-1)!
  const types = [schema.type ?? 'any'].flat()
  const type = types
    .map(one => (one === 'array' ? `array of ${typeOf(document, schema.items ?? {})}` : one))
    .join(' or ')
  const range = [schema.minimum, schema.maximum].map(bound => bound?.toLocaleString('en-US'))
  const bounds =
    schema.minimum !== undefined && schema.maximum !== undefined
      ? `, ${range[0]} to ${range[1]}`
      : schema.minimum !== undefined
        ? `, at least ${range[0]}`
        : ''
  return `${schema.format ?? type}${bounds}`
}

/** The request as a curl command. */
function curl({ method, path, parameters = [], requestBody, security }: Entry, base_url: string): string {
  const filled = parameters
    .filter(one => one.in === 'path')
    .reduce((url, one) => url.replace(`{${one.name}}`, String(one.example)), path)
  const query = parameters.filter(one => one.in === 'query' && one.required)
  const search = query.map(one => `${one.name}=${encodeURIComponent(String(one.example))}`).join('&')
  const [body] = Object.entries(requestBody?.content ?? {})
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${base_url}${filled}${search && `?${search}`}'`,
    ...(security?.length === 0 ? [] : [`-H "Authorization: Bearer $${tokenNameOf(security)}"`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: ${body[0]}'`, `-d '${exampleText(body[1]).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ')
}

/** The environment variable with the credential that the operation needs. */
const tokenNameOf = (security: unknown[] = []) =>
  JSON.stringify(security).includes('"operator"') ? 'ASSAY_OPERATOR_KEY' : 'ASSAY_API_KEY'

function exampleText({ examples = {} }: Media, type = ''): string {
  const value = Object.values(examples)[0]?.value
  if (type === 'application/x-ndjson') return JSON.stringify(value)
  return type === 'text/event-stream'
    ? `id: 5d3c0f…\nevent: progress\ndata: ${JSON.stringify(value)}`
    : JSON.stringify(value, null, 2)
}

function errorTables() {
  const codes = (Object.entries(API_ERRORS) as [ApiErrorCode, number][]).sort(([, a], [, b]) => a - b)
  return html`<h2 id="errors">Error codes</h2>
<p>An error is <code>{"error": {"code", "message", "hint"}}</code>, the hint only where there is one. Codes are stable; messages are for people.</p>
<div class="scroll"><table><tr><th>Code</th><th>Status</th><th>Meaning</th></tr>
${codes.map(([code, status]) => html`<tr><td><code>${code}</code></td><td>${String(status)}</td><td>${ERROR_MEANINGS[code]}</td></tr>`)}
</table></div>
<h2 id="item-errors">Error codes of items</h2>
<p>What ended an item, in <code>error_code</code> of its record. Agents may add codes of their own.</p>
<div class="scroll"><table><tr><th>Code</th><th>Meaning</th></tr>
${Object.entries(ITEM_ERROR_MEANINGS).map(([code, meaning]) => html`<tr><td><code>${code}</code></td><td>${meaning}</td></tr>`)}
</table></div>`
}
