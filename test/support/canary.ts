import { AssertionError } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { never } from './never.ts'

/**
 * A secret that cannot turn up by chance. It is put where secrets go, and then everything that leaves the process is
 * searched for it (`assertNoCanary`). Letters and digits by default, so that it fits headers, URLs and file names;
 * `awkward` adds what encodings change: quotes, slashes, spaces and more.
 */
export function aCanary({ awkward = false }: { awkward?: boolean } = {}): string {
  const marker = `CANARY${randomBytes(12).toString('hex')}`
  return awkward ? `${marker} "/+&=%\\é?` : marker
}

export interface Sighting {
  /** How it was written: `plain`, `base64`, … */
  form: string
  /** Where it starts, in bytes of the text as UTF-8. */
  offset: number
}

/** Where and how the canary shows in a text, once for each form; none is what a test wants. */
export function findCanary(text: string | Uint8Array, canary: string): Sighting[] {
  const bytes = Buffer.from(text)
  const lines = withoutLineBreaks(bytes)
  return formsOf(canary).flatMap(({ form, needle }) => {
    const offset = bytes.indexOf(needle)
    if (offset >= 0) return [{ form, offset }]
    // Base64 and hex are wrapped at 64 or 76 columns, and JSON has `\n` for the break.
    const wrapped = form.startsWith('base64') || form.startsWith('hex') ? lines.indexOf(needle) : -1
    return wrapped >= 0 ? [{ form: `${form}, wrapped`, offset: wrapped }] : []
  })
}

/** Throws with the name of each source in which a canary shows, the form and the place. */
export function assertNoCanary(
  sources: Readonly<Record<string, string | Uint8Array>>,
  canary: string | readonly string[],
): void {
  const canaries = typeof canary === 'string' ? [canary] : canary
  const seen = Object.entries(sources).flatMap(([name, text]) =>
    canaries.flatMap((one) =>
      findCanary(text, one).map(
        ({ form, offset }) => `  ${name}: ${form} at byte ${offset}, after ${JSON.stringify(before(text, offset))}`,
      ),
    ),
  )
  if (seen.length > 0)
    never('leaked', () => {
      throw new AssertionError({ message: `a secret shows in\n${seen.join('\n')}`, stackStartFn: assertNoCanary })
    })
}

const before = (text: string | Uint8Array, offset: number): string =>
  Buffer.from(text)
    .subarray(Math.max(0, offset - 40), offset)
    .toString()

const withoutLineBreaks = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replace(/\r|\n|\\r|\\n/g, ''), 'latin1')

interface Form {
  form: string
  needle: Buffer
}

const formsByCanary = new Map<string, Form[]>()

function formsOf(canary: string): Form[] {
  let forms = formsByCanary.get(canary)
  if (!forms) {
    const candidates = [
      ...named('plain', [canary]),
      ...named('JSON-escaped', jsonForms(canary)),
      ...named('URL-encoded', urlForms(canary)),
      ...named('base64', base64Forms(Buffer.from(canary))),
      // What a Secret holds is base64, and a kubeconfig in it has base64 inside.
      ...named(
        'base64 twice',
        base64Forms(Buffer.from(canary)).flatMap((once) => base64Forms(Buffer.from(once))),
      ),
      ...named('hex', hexForms(canary)),
      { form: 'UTF-16', needle: Buffer.from(canary, 'utf16le') },
    ]
    const distinct = new Map<string, Form>()
    for (const one of candidates)
      if (!distinct.has(one.needle.toString('latin1'))) distinct.set(one.needle.toString('latin1'), one)
    forms = [...distinct.values()]
    formsByCanary.set(canary, forms)
  }
  return forms
}

const named = (form: string, texts: readonly string[]): Form[] =>
  texts.map((text) => ({ form, needle: Buffer.from(text) }))

function jsonForms(canary: string): string[] {
  const once = JSON.stringify(canary).slice(1, -1)
  const twice = JSON.stringify(once).slice(1, -1)
  const unicode = (text: string) =>
    text.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const html = once.replace(/[&<>]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
  return [once, twice, unicode(once), unicode(html), html]
}

function urlForms(canary: string): string[] {
  const encoded = encodeURIComponent(canary)
  const every = [...Buffer.from(canary)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const form = new URLSearchParams([['', canary]]).toString().slice(1)
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  return [encoded, encodeURI(canary), form, encodeURIComponent(encoded), every, every.toUpperCase()].flatMap((text) => [
    text,
    lower(text),
  ])
}

/** The canary may start at any byte, so each of the three alignments is another text; what its neighbours share is cut off. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const core = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function hexForms(canary: string): string[] {
  const hex = Buffer.from(canary).toString('hex')
  const pairs = hex.match(/../g) ?? []
  return [hex, hex.toUpperCase(), pairs.join(':'), pairs.join(' '), pairs.join(':').toUpperCase()]
}
