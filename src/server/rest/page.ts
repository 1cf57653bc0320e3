import { createHash } from 'node:crypto'
import { isObject } from '../../core/schema/schema.ts'
import type { OpenApi, Operation } from './openapi.ts'

/** The reference for people: one page without scripts, and nothing on it comes from elsewhere. */
export function referencePage(document: OpenApi): { html: string; policy: string } {
  const digest = createHash('sha256').update(style).digest('base64')
  return {
    html: pageOf(document),
    policy: `default-src 'none'; style-src 'sha256-${digest}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  }
}

type Entry = { path: string; verb: string; operation: Operation }

function pageOf(document: OpenApi): string {
  const entries: Entry[] = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
  )
  const chapters = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const { title, version, description } = document.info
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Operations">
<h2>${escaped(title)}</h2>
${chapters.map(({ name, entries: listed }) => `<h3>${escaped(name)}</h3>\n<ul>${listed.map(link).join('')}</ul>`).join('\n')}
<h3>Schemas</h3>
<ul>${Object.keys(document.components.schemas)
    .map((name) => `<li><a href="#schema-${escaped(name)}">${escaped(name)}</a></li>`)
    .join('')}</ul>
</nav>
<main>
<h1>${escaped(title)} <small>${escaped(version)}</small></h1>
${prose(description)}
<p>The same for programs: <a href="/openapi.json">openapi.json</a></p>
${chapters.map(({ name, entries: listed }) => `<h2>${escaped(name)}</h2>\n${listed.map(section).join('\n')}`).join('\n')}
<h2>Schemas</h2>
${Object.entries(document.components.schemas)
  .map(([name, schema]) => `<section id="schema-${escaped(name)}"><h3>${escaped(name)}</h3>${fields(schema)}</section>`)
  .join('\n')}
</main>
</body>
</html>
`
}

const link = ({ operation }: Entry): string =>
  `<li><a href="#${escaped(operation.operationId)}">${escaped(operation.summary)}</a></li>`

function section({ path, verb, operation }: Entry): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const rows = parameters.map(
    ({ name, in: place, required, description: why, schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(place)}${required ? ', required' : ''}</td><td>${escaped(typeText(schema))}</td><td>${inline(why ?? '')}</td></tr>`,
  )
  return `<section id="${escaped(operationId)}">
<h3>${escaped(summary)}</h3>
<p class="path"><b>${verb}</b> <code>${escaped(path)}</code></p>
${prose(description)}
${rows.length > 0 ? `<table><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr>${rows.join('')}</table>` : ''}
${requestBody ? `<h4>Body</h4>${content(requestBody)}` : ''}
<h4>Answers</h4>
<dl>${Object.entries(responses)
    .map(
      ([status, answer]) =>
        `<dt>${status}</dt><dd>${'$ref' in answer ? 'a problem, as everywhere' : inline(answer['description'])}${content(answer)}</dd>`,
    )
    .join('')}</dl>
</section>`
}

function content(node: Record<string, unknown>): string {
  const types = isObject(node['content']) ? node['content'] : {}
  const media = types['application/json'] ?? types['text/event-stream']
  if (!isObject(media)) return ''
  const example =
    media['example'] === undefined ? '' : `<pre>${escaped(JSON.stringify(media['example'], null, 2))}</pre>`
  return `${fields(media['schema'])}${example}`
}

/** A table of an object's fields, or the name of a schema that is described elsewhere. */
function fields(schema: unknown): string {
  if (!isObject(schema)) return ''
  if (typeof schema['$ref'] === 'string') return `<p>${typeLink(schema)}</p>`
  if (!isObject(schema['properties'])) return `<p>${typeLink(schema)}</p>`
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const rows = Object.entries(schema['properties']).map(
    ([name, field]) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${typeLink(field)}${required.includes(name) ? '' : ', optional'}</td><td>${inline(isObject(field) ? (field['description'] ?? '') : '')}</td></tr>`,
  )
  return `<table><tr><th>field</th><th>type</th><th></th></tr>${rows.join('')}</table>`
}

function typeLink(schema: unknown): string {
  if (!isObject(schema)) return ''
  const ref = schema['$ref']
  if (typeof ref === 'string') {
    const name = escaped(ref.split('/').at(-1))
    return `<a href="#schema-${name}">${name}</a>`
  }
  if (schema['type'] === 'array') return `list of ${typeLink(schema['items'])}`
  return escaped(typeText(schema))
}

function typeText(schema: unknown): string {
  if (!isObject(schema)) return ''
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map(typeText).join(' | ')
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (schema['type'] === 'array') return `list of ${typeText(schema['items'])}`
  const format = schema['format'] === undefined ? '' : ` (${String(schema['format'])})`
  const initial = schema['default'] === undefined ? '' : `, default ${JSON.stringify(schema['default'])}`
  return `${String(schema['type'] ?? 'anything')}${format}${initial}`
}

const prose = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n')

const inline = (text: unknown): string => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>')

const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{margin:0;font:16px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;box-sizing:border-box;border-right:1px solid var(--line)}
nav ul{list-style:none;padding:0;margin:0}nav li{margin:.2rem 0}nav h3{margin:1rem 0 .3rem;font-size:1rem}
main{padding:1rem 2rem 4rem;max-width:60rem}section{border-top:1px solid var(--line);padding:.5rem 0 1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line)}
pre{background:var(--soft);padding:.75rem;overflow:auto;border-radius:4px}code{font-family:ui-monospace,monospace;font-size:.9em}
.path b{display:inline-block;min-width:4rem}dt{font-weight:600}dd{margin:0 0 .5rem 1.5rem}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}}
`
