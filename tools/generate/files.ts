import { stringify } from 'yaml'
import type { Declarations, InArea } from './discover.ts'
import { configurationPage } from './pages/configuration.ts'
import { errorsPage } from './pages/errors.ts'
import { reasonsPage } from './pages/reasons.ts'
import { resourcePage } from './pages/resource.ts'
import { marker } from './tree.ts'

export interface Generated {
  /** Text by path from the root. */
  files: Map<string, string>
  /** What is wrong with the declarations themselves. */
  mistakes: string[]
}

/** Everything that follows from the declarations. The same declarations give the same bytes. */
export function filesFor({ resources, failures, reasons, configs }: Declarations): Generated {
  const files = new Map<string, string>()
  const mistakes = [...failureMistakes(failures), ...reasonMistakes(reasons)]
  const add = (path: string, text: string) => {
    if (files.has(path)) mistakes.push(`${path} would be written twice`)
    files.set(path, text)
  }
  for (const { source, declared } of resources) {
    const { group, plural, kind } = declared.declaration
    add(`deploy/crds/${group}_${plural}.yaml`, `# ${marker(source)}\n${yaml(declared.crd())}`)
    add(`docs/reference/${kind.toLowerCase()}.md`, page(source, resourcePage(declared)))
  }
  if (failures.length > 0) add('docs/reference/errors.md', page('src/**/failures.ts', errorsPage(failures)))
  if (reasons.length > 0) add('docs/reference/reasons.md', page('src/**/reasons.ts', reasonsPage(reasons)))
  if (configs.length > 0)
    add('docs/reference/configuration.md', page('src/**/config-schema.ts', configurationPage(configs)))
  return { files, mistakes }
}

const page = (source: string, text: string): string => `<!-- ${marker(source)} -->\n\n${text}`

/** Without anchors: the fields that resources share are written out, for people and for `kubectl diff`. */
const yaml = (value: object): string => stringify(value, { aliasDuplicateObjects: false, lineWidth: 100 })

function failureMistakes(failures: Declarations['failures']): string[] {
  const declaredIn = new Map<string, string>()
  return each(failures, (code, [status, sentence], source) => {
    const other = declaredIn.get(code)
    declaredIn.set(code, source)
    return [
      ...(other === undefined
        ? []
        : [`${code} is declared in ${other} and again in ${source}; codes are unique across areas`]),
      ...(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(code) ? [] : [`${code} in ${source} must be AREA_WHAT_HAPPENED`]),
      ...(status >= 400 && status < 600 ? [] : [`${code} in ${source} has the status ${status}, which is no failure`]),
      ...(sentence.endsWith('.') ? [`${code} in ${source} ends with a dot; sentences of failures do not`] : []),
    ]
  })
}

const reasonMistakes = (reasons: Declarations['reasons']): string[] =>
  each(reasons, (reason, meaning, source) => [
    ...(/^[A-Z][A-Za-z0-9]*$/.test(reason) ? [] : [`${reason} in ${source} must be CamelCase`]),
    ...(meaning.trim() === '' ? [`${reason} in ${source} must say what it means`] : []),
  ])

const each = <T>(
  areas: InArea<Readonly<Record<string, T>>>[],
  check: (name: string, value: T, source: string) => string[],
): string[] =>
  areas.flatMap(({ declared, source }) =>
    Object.entries(declared).flatMap(([name, value]) => check(name, value, source)),
  )
