/**
 * Writes which numbers the fields of the kinds have in protobuf, from the sources of Kubernetes' Go modules k8s.io/api,
 * k8s.io/apimachinery and k8s.io/apiextensions-apiserver. Run by hand, after main.ts, when the version moves:
 *   node tools/kubernetes-facts/protobuf.ts <folders of those modules>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { oneALine } from './one-a-line.ts'
import type { SchemaFile } from './protobuf-messages.ts'
import { messages } from './protobuf-messages.ts'
import { packagesIn } from './protobuf-sources.ts'

const folders = process.argv.slice(2)
if (folders.length === 0) throw new Error('usage: node tools/kubernetes-facts/protobuf.ts <module folders>')

const kinds = resolve(import.meta.dirname, '../../src/embedded/kinds')
const schemas: SchemaFile = JSON.parse(readFileSync(join(kinds, 'facts/schemas.json'), 'utf8'))
const text = oneALine(messages(packagesIn(folders), schemas))
writeFileSync(join(kinds, 'protobuf/facts/messages.json'), text)
console.log(`messages.json: ${Math.round(text.length / 1024)} KiB`)
