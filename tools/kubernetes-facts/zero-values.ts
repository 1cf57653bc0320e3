/**
 * Writes down which optional text, number and boolean fields Kubernetes leaves out when they are empty, zero or false:
 * those that are no pointers in Go. Neither OpenAPI nor any answer of a server tells, so the sources are read:
 *   node tools/kubernetes-facts/zero-values.ts "$(go env GOMODCACHE)"
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import schemaFile from '../../src/embedded/kinds/facts/schemas.json' with { type: 'json' }

const scalars = new Set(['string', 'bool', 'int', 'int32', 'int64', 'uint32', 'float64'])

/** `ServiceType` for `type ServiceType string`: text that goes under another name. */
const namedTexts = (source: string): string[] =>
  [...source.matchAll(/^type (\w+) (?:string|int32)$/gm)].map(([, name = '']) => name)

const structs = (source: string): (readonly [name: string, body: string])[] =>
  [...source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)].map(([, name = '', body = '']) => [name, body] as const)

const omitted = /^\s+\w+ +([\w.]+) +`[^`]*json:"(\w+),omitempty"/gm

/** Fields of one package, as `io.k8s.api.core.v1.NodeSpec.unschedulable`. */
export function zeroFields(source: string, prefix: string): string[] {
  const known = new Set([...scalars, ...namedTexts(source), 'types.UID', 'v1.ConditionStatus'])
  return structs(source).flatMap(([name, body]) =>
    [...body.matchAll(omitted)]
      .filter(([, type = '']) => known.has(type) || /^(v1|core)\.\w+(Type|Status|Policy|Protocol)$/.test(type))
      .map(([, , field = '']) => `${prefix}.${name}.${field}`),
  )
}

if (process.argv[1] === import.meta.filename) {
  const modules = resolve(process.argv[2] ?? '')
  const found = packages().flatMap(([folder, prefix]) => {
    const files = globSync(join(modules, folder, '*types*.go'))
    return zeroFields(files.map((file) => readFileSync(file, 'utf8')).join('\n'), prefix)
  })
  const known = new Set(Object.keys(schemaFile.definitions))
  const fields = [...new Set(found)].filter((field) => known.has(field.slice(0, field.lastIndexOf('.')))).sort()
  const file = resolve(import.meta.dirname, '../../src/embedded/kinds/facts/zero-values.json')
  writeFileSync(file, `{\n"fields": [\n${fields.map((field) => JSON.stringify(field)).join(',\n')}\n]\n}\n`)
}

function packages(): (readonly [folder: string, prefix: string])[] {
  const groups = [
    'core',
    'apps',
    'rbac',
    'certificates',
    'coordination',
    'events',
    'authentication',
    'authorization',
    'admissionregistration',
    'autoscaling',
  ]
  return [
    ...groups.map((group) => [`k8s.io/api@v0.36.3/${group}/v1`, `io.k8s.api.${group}.v1`] as const),
    ['k8s.io/apimachinery@v0.36.3/pkg/apis/meta/v1', 'io.k8s.apimachinery.pkg.apis.meta.v1'],
    [
      'k8s.io/apiextensions-apiserver@v0.36.3/pkg/apis/apiextensions/v1',
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    ],
  ]
}
