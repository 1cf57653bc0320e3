import { X509Certificate } from 'node:crypto'
import { readRequest, splitPem } from '../../pki/index.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, invalidFor, invalidValue, notSupported, required, tooLong } from './field-errors.ts'
import { dnsLabelFlaws, dnsSubdomainFlaws } from './names.ts'

/** Why this is not a certificate request, signed by its own key. `request` is base64 of PEM. */
export function requestFlaw(request: string): string | undefined {
  const pem = Buffer.from(request, 'base64').toString()
  if (labelOf(pem) !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    return readRequest(pem).signatureValid ? undefined : 'x509: signature does not verify'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Of the first block that has an end. */
const labelOf = (pem: string): string | undefined =>
  /-----BEGIN ([A-Z0-9 ]+)-----(?=.*-----END \1-----)/s.exec(pem)?.[1]

/** Why this is not a list of certificates in PEM. */
export function certificateFlaw(pem: string): string | undefined {
  let blocks: ReturnType<typeof splitPem>
  try {
    blocks = splitPem(pem)
  } catch {
    blocks = []
  }
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block'
  const foreign = blocks.find(({ label }) => label !== 'CERTIFICATE')
  if (foreign) return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(foreign.label)}`
  return blocks.every(({ der }) => isCertificate(der)) ? undefined : 'x509: malformed certificate'
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0
  } catch {
    return false
  }
}

export const knownUsages: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

export function usageErrors(usages: readonly string[]): FieldError[] {
  const field = 'spec.usages'
  if (usages.length === 0) return [required(field)]
  return [
    ...usages.flatMap((usage, index) =>
      knownUsages.includes(usage) ? [] : [notSupported(`${field}[${index}]`, usage, knownUsages)],
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) === index ? [] : [duplicateValue(`${field}[${index}]`, usage)],
    ),
  ]
}

const legacySigner = 'kubernetes.io/legacy-unknown'

/** `<domain>/<path>` */
export function signerNameErrors(name: string): FieldError[] {
  const field = 'spec.signerName'
  if (name === legacySigner)
    return [invalidValue(field, name, 'the legacy signerName is not allowed via this API version')]
  if (name === '') return [required(field)]
  const [domain = '', path, ...rest] = name.split('/')
  if (path === undefined || rest.length > 0)
    return [
      invalidValue(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ]
  const errors: FieldError[] = []
  if (Buffer.byteLength(domain) > 253) errors.push(tooLong(field, 253))
  errors.push(...firstFlawedPart(domain, dnsLabelFlaws))
  if (!domain.includes('.'))
    errors.push(invalidValue(field, domain, 'should be a domain with at least two segments separated by dots'))
  errors.push(...firstFlawedPart(path, dnsSubdomainFlaws))
  if (Buffer.byteLength(name) > maxSignerNameBytes) errors.push(tooLong(field, maxSignerNameBytes))
  return errors
}

const maxSignerNameBytes = 571

/** One part is enough to tell: the rest of it would say the same. */
function firstFlawedPart(segment: string, flawsOf: (part: string) => string[]): FieldError[] {
  const flawed = segment.split('.').find((part) => flawsOf(part).length > 0)
  if (flawed === undefined) return []
  const reasons = flawsOf(flawed).map((why) => `validating label ${JSON.stringify(flawed)}: ${why}`)
  return invalidFor('spec.signerName', segment, reasons)
}
