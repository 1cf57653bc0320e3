/** The forms that Kubernetes asks of names, keys and values. Each tells what is wrong, in its words; empty: nothing. */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelValue = `(${labelKey})?`
const configKey = '[-._a-zA-Z0-9]+'
const percent = '[0-9]+%'

const whole = (pattern: string) => new RegExp(`^${pattern}$`)
const forms = {
  label: whole(label),
  subdomain: whole(subdomain),
  label1035: whole(label1035),
  labelKey: whole(labelKey),
  labelValue: whole(labelValue),
  configKey: whole(configKey),
  percent: whole(percent),
}

const bytes = (text: string): number => Buffer.byteLength(text)

/** The examples are joined the way the API server joins them, stray comma included. */
const mismatch = (message: string, pattern: string, ...examples: string[]): string =>
  examples.length === 0
    ? `${message} (regex used for validation is '${pattern}')`
    : `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`

const longerThan = (most: number, unit = 'characters') => `must be no more than ${most} ${unit}`

export function dnsSubdomainFlaws(value: string): string[] {
  const flaws: string[] = []
  if (bytes(value) > 253) flaws.push(longerThan(253))
  if (!forms.subdomain.test(value)) flaws.push(notSubdomain)
  return flaws
}

const notSubdomain = mismatch(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  'example.com',
)

export function dnsLabelFlaws(value: string): string[] {
  const flaws: string[] = []
  if (bytes(value) > 63) flaws.push(longerThan(63))
  if (!forms.label.test(value)) flaws.push(forms.subdomain.test(value) ? 'must not contain dots' : notLabel)
  return flaws
}

const notLabel = mismatch(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  'my-name',
  '123-abc',
)

export function dns1035LabelFlaws(value: string): string[] {
  const flaws: string[] = []
  if (bytes(value) > 63) flaws.push(longerThan(63))
  if (!forms.label1035.test(value)) flaws.push(notLabel1035)
  return flaws
}

const notLabel1035 = mismatch(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  'my-name',
  'abc-123',
)

const notLabelKey = mismatch(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelKey,
  'MyName',
  'my.name',
  '123-abc',
)

/** Of label keys, finalizers, condition types: `example.com/name`, the prefix optional. */
export function qualifiedNameFlaws(value: string): string[] {
  const parts = value.split('/')
  if (parts.length > 2)
    return [
      `a valid label key ${notLabelKey} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const flaws: string[] = []
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  if (prefix === '') flaws.push('prefix part must be non-empty')
  else if (prefix !== undefined) {
    if (bytes(prefix) > 253) flaws.push(`prefix part ${longerThan(253, 'bytes')}`)
    if (!forms.subdomain.test(prefix)) flaws.push(`prefix part ${notSubdomain}`)
  }
  if (name === '') flaws.push('name part must be non-empty')
  else if (bytes(name) > 63) flaws.push(`name part ${longerThan(63, 'bytes')}`)
  if (!forms.labelKey.test(name)) flaws.push(`name part ${notLabelKey}`)
  return flaws
}

const notLabelValue = mismatch(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValue,
  'MyValue',
  'my_value',
  '12345',
)

export function labelValueFlaws(value: string): string[] {
  const flaws: string[] = []
  if (bytes(value) > 63) flaws.push(longerThan(63, 'bytes'))
  if (!forms.labelValue.test(value)) flaws.push(notLabelValue)
  return flaws
}

const notConfigKey = mismatch(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKey,
  'key.name',
  'KEY_NAME',
  'key-name',
)

/** Of the keys of ConfigMaps and Secrets, which become names of files. */
export function configKeyFlaws(value: string): string[] {
  const flaws: string[] = []
  if (bytes(value) > 253) flaws.push(longerThan(253))
  if (!forms.configKey.test(value)) flaws.push(notConfigKey)
  if (value === '.' || value === '..') flaws.push(`must not be '${value}'`)
  else if (value.startsWith('..')) flaws.push("must not start with '..'")
  return flaws
}

/** Of names that may be nearly anything, as long as they fit into a path. */
export function pathSegmentFlaws(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`)
}

export function portNameFlaws(value: string): string[] {
  const flaws: string[] = []
  if (bytes(value) > 15) flaws.push(longerThan(15))
  if (!/^[-a-z0-9]+$/.test(value)) flaws.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(value)) flaws.push('must contain at least one letter (a-z)')
  if (value.includes('--')) flaws.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) flaws.push('must not begin or end with a hyphen')
  return flaws
}

export const portFlaws = (port: number): string[] =>
  port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive']

export const percentFlaws = (value: string): string[] =>
  forms.percent.test(value)
    ? []
    : [mismatch("a valid percent string must be a numeric string followed by an ending '%'", percent, '1%', '93%')]

/** How names of a kind must look: `isPrefix` for generateName, whose end is still to come. */
export type NameCheck = (name: string, isPrefix: boolean) => string[]

const completed = (name: string, isPrefix: boolean): string =>
  isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name

export const subdomainName: NameCheck = (name, isPrefix) => dnsSubdomainFlaws(completed(name, isPrefix))
export const labelName: NameCheck = (name, isPrefix) => dnsLabelFlaws(completed(name, isPrefix))
export const dns1035Name: NameCheck = (name, isPrefix) => dns1035LabelFlaws(completed(name, isPrefix))
export const pathSegmentName: NameCheck = (name) => pathSegmentFlaws(name)
