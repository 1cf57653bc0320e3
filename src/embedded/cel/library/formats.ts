import { Optional } from '@marcbachmann/cel-js'
import { hasFormat } from '../../../core/schema/formats.ts'
import { dns1035Name, labelName, labelValueFlaws, qualifiedNameFlaws, subdomainName } from '../../kinds/names.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'
import { parseRequestUrl } from './request-url.ts'

export const formatType = 'kubernetes.NamedFormat'

/** What is wrong with a text. */
type Flaws = (text: string) => string[]

export class NamedFormat {
  readonly typeName = formatType
  readonly name: string
  readonly flaws: Flaws

  constructor(name: string, flaws: Flaws) {
    this.name = name
    this.flaws = flaws
  }

  equals(other: NamedFormat): boolean {
    return this.name === other.name
  }
}

const known =
  (format: string, words: string): Flaws =>
  (text) =>
    hasFormat(format, text) ? [] : [words]

function uriFlaws(text: string): string[] {
  try {
    parseRequestUrl(text)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

const checks: Readonly<Record<string, Flaws>> = {
  dns1123Label: (text) => labelName(text, false),
  dns1123Subdomain: (text) => subdomainName(text, false),
  dns1035Label: (text) => dns1035Name(text, false),
  qualifiedName: qualifiedNameFlaws,
  dns1123LabelPrefix: (text) => labelName(text, true),
  dns1123SubdomainPrefix: (text) => subdomainName(text, true),
  dns1035LabelPrefix: (text) => dns1035Name(text, true),
  labelValue: labelValueFlaws,
  uri: uriFlaws,
  uuid: known('uuid', 'does not match the UUID format'),
  byte: known('byte', 'invalid base64'),
  date: known('date', 'invalid date'),
  datetime: known('datetime', 'invalid datetime'),
}

const formatsByName = new Map(Object.entries(checks).map(([name, flaws]) => [name, new NamedFormat(name, flaws)]))

const orNone = (value: unknown) => (value === undefined ? Optional.none() : Optional.of(value))

function validate({ flaws }: NamedFormat, text: string): Optional {
  const found = flaws(text)
  return orNone(found.length === 0 ? undefined : found)
}

/** Formats that have names, and what of a text is not as they ask. */
export const formats: readonly Overload[] = [
  ...[...formatsByName].map(([name, format]) => overload(`format.${name}(): ${formatType}`, () => format)),
  overload(`format.named(string): optional<${formatType}>`, (name: string) => orNone(formatsByName.get(name))),
  overload(`${formatType}.validate(string): optional<list<string>>`, validate),
]
