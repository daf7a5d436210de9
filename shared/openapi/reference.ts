// Makes the reference page from the document. Guarantee: one self-contained answer without scripts, fonts or pictures
// from elsewhere; every text of the document is escaped.

import type { Hono } from 'hono'
import { html, raw } from 'hono/html'
import type { Context } from '../context.ts'
import { basePath } from '../http/base-path.ts'
import { textAnswer } from '../http/compression.ts'
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

async function referencePage(document: Document, base_url: string): Promise<Response> {
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    entries: operationsOf(document)
      .map(({ method, path }) => ({ ...document.paths[path]![method]!, method, path }))
      .filter(({ tags }) => tags[0] === name),
  }))
  const codes = (Object.entries(API_ERRORS) as [ApiErrorCode, number][]).toSorted(([, a], [, b]) => a - b)
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
  ({ name, entries }) => html`<h2>${name}</h2>
<ul>${entries.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`,
)}
<h2>Errors</h2><ul><li><a href="#errors">Error codes</a></li><li><a href="#item-errors">Error codes of items</a></li></ul>
</nav>
<main id="top">
<h1>${document.info.title} API reference</h1>
<p>${prose(document.info.description)}</p>
<p>Send <code>Authorization: Bearer …</code> with a project key (<code>pk_…</code>) or the access token of a session.
The same as a document for tools: <a href="openapi.json">openapi.json</a>.</p>
${groups.map(
  ({ name, description, entries }) => html`<h2>${name}</h2><p class="dim">${description}</p>
${entries.map(entry => operation(document.components.schemas, entry, base_url))}`,
)}
<h2 id="errors">Error codes</h2>
<p>An error is <code>{"error": {"code", "message", "hint"}}</code>, the hint only where there is one. Codes are stable; messages are for people.</p>
${table(codes.map(([code, status]) => [code, String(status), ERROR_MEANINGS[code]]))}
<h2 id="item-errors">Error codes of items</h2>
<p>What ended an item, in <code>error_code</code> of its record. Agents may add codes of their own.</p>
${table(Object.entries(ITEM_ERROR_MEANINGS))}
</main>
</div></body></html>`
  return answered(String(page))
}

async function answered(page: string): Promise<Response> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(STYLE))
  const style = btoa(String.fromCharCode(...new Uint8Array(hash)))
  return textAnswer(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  })
}

/** Turns text in backticks into code. */
const prose = (text: string) =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))

/** Each row is a name and what belongs to it; the name of a field that may be left out ends in a question mark. */
const table = (rows: (readonly [name: string, ...cells: string[]])[]) =>
  rows.length > 0 &&
  html`<table>${rows.map(
    ([name, ...cells]) =>
      html`<tr><th scope="row"><code>${name}</code></th>${cells.map(cell => html`<td>${prose(cell)}</td>`)}</tr>`,
  )}</table>`

const marked = (name: string, required = false) => (required ? name : `${name}?`)

type Entry = Operation & { method: string; path: string }

function operation(schemas: Schemas, entry: Entry, base_url: string) {
  const { operationId, method, path, summary, description, requestBody, responses, 'x-lines': lines } = entry
  return html`<section id="${operationId}">
<h3>${summary}</h3>
<p class="path"><code><span>${method.toUpperCase()}</span> ${path}</code></p>
${description === `${summary}.` ? '' : html`<p>${prose(description)}</p>`}
${parameterTable(entry.parameters)}
<pre tabindex="0"><code>${curl(entry, base_url)}</code></pre>
${Object.entries(requestBody?.content ?? {}).map(([type, media]) => fields(schemas, type, media))}
${lines && [fields(schemas, 'application/x-ndjson', lines), parameterTable(lines.parameters)]}
${Object.entries(responses).map(([status, { description, content = {} }]) => [
  html`<p><strong>${status}</strong> ${prose(description)}</p>`,
  ...Object.entries(status < '400' ? content : {}).map(
    ([type, media]) =>
      html`<details><summary>${type}</summary><pre tabindex="0"><code>${exampleText(media, type)}</code></pre></details>`,
  ),
])}
</section>`
}

const parameterTable = (parameters: Parameter[] = []) =>
  table(
    parameters.map(({ name, required, schema, description = '', in: place }) => [
      marked(name, required),
      `${typeOf(schema)}, in the ${place}`,
      description,
    ]),
  )

/** The fields of a body, for each of its forms. */
function fields(schemas: Schemas, type: string, { schema }: Media) {
  const whole = resolved(schemas, schema)
  return (whole.oneOf ?? whole.anyOf ?? [whole])
    .map(form => resolved(schemas, form))
    .map(({ properties = {}, required = [] }) => [
      html`<h4>Body, ${type}</h4>`,
      table(
        Object.entries(properties).map(([name, field]) => [
          marked(name, required.includes(name)),
          typeOf(field),
          [field, ...(field.allOf ?? []), resolved(schemas, field)].find(one => one.description)
            ?.description ?? '',
        ]),
      ),
    ])
}

type Schemas = Document['components']['schemas']

/** The name of the schema that this one refers to; a reference with a description of its own is an `allOf`. */
const nameOf = ({ $ref, allOf = [] }: JsonSchema) =>
  ($ref ?? allOf.find(part => part.$ref)?.$ref)?.split('/').at(-1)

function resolved(schemas: Schemas, schema: JsonSchema): JsonSchema {
  const name = nameOf(schema)
  return name === undefined ? schema : (schemas[name] ?? {})
}

/** A schema's type in a few words. */
function typeOf(schema: JsonSchema): string {
  const { anyOf, oneOf = anyOf, type = 'any', items = {}, format, minimum, maximum } = schema
  if (oneOf !== undefined) return oneOf.map(typeOf).join(' or ')
  const named = schema.enum?.map(String).join(', ') ?? nameOf(schema) ?? format
  const types = [type].flat().map(one => (one === 'array' ? `array of ${typeOf(items)}` : one))
  const least = minimum === undefined ? '' : `, from ${minimum}`
  const most = maximum === undefined ? '' : ` to ${maximum}`
  return (named ?? types.join(' or ')) + least + most
}

/** The request as a curl command. */
function curl({ method, path, parameters = [], requestBody, security }: Entry, base_url: string): string {
  const query = parameters.filter(one => one.in === 'query' && one.required)
  const search = query.map(one => `${one.name}=${encodeURIComponent(String(one.example))}`).join('&')
  const key = JSON.stringify(security)?.includes('"operator"') ? 'ASSAY_OPERATOR_KEY' : 'ASSAY_API_KEY'
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${base_url}${path}${search && `?${search}`}'`,
    ...(security?.length === 0 ? [] : [`-H "Authorization: Bearer $${key}"`]),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, media]) => [
      `-H 'Content-Type: ${type}'`,
      `-d '${exampleText(media, type).replaceAll("'", "'\\''")}'`,
    ]),
  ].join(' \\\n  ')
}

function exampleText({ examples = {} }: Media, type: string): string {
  const value = Object.values(examples)[0]?.value
  if (type === 'text/event-stream') return `event: progress\ndata: ${JSON.stringify(value)}`
  return JSON.stringify(value, null, type === 'application/x-ndjson' ? 0 : 2)
}
