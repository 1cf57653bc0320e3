import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import type { KeyPair } from './credential-files.ts'
import { mustMatch } from './credential-files.ts'
import { defined } from './defined.ts'
import { Fields } from './fields.ts'
import { isHeaderText } from './headers.ts'
import { parseTree } from './tree.ts'

/** What a plugin issued. */
export interface ExecCredential {
  token?: Secret
  certificate?: KeyPair
  expiresAt?: Date
}

/** Reads what a plugin printed. `bad` makes the failure out of a sentence. */
export function parseExecCredential(
  stdout: string,
  apiVersion: string,
  bad: (problem: string) => Failure,
): ExecCredential {
  const parsed = parseTree(stdout)
  if (stdout.trim() === '' || 'notYaml' in parsed) throw bad('it is not JSON')
  const document = new Fields(parsed.tree, '', (field, problem) => bad(`${field} ${problem}`))
  if (document.text('kind') !== 'ExecCredential') throw bad('kind must be ExecCredential')
  if (document.text('apiVersion') !== apiVersion) throw bad(`apiVersion must be ${apiVersion}, as in the kubeconfig`)
  const status = document.fields('status')
  if (!status) throw bad('status is missing')

  const token = status.text('token')
  const certPem = status.text('clientCertificateData')
  const keyPem = status.secret('clientKeyData')
  if (token !== undefined && !isHeaderText(token)) throw bad('status.token holds characters that a header cannot carry')
  if ((certPem === undefined) !== (keyPem === undefined))
    throw bad('status needs both of clientCertificateData and clientKeyData, or none')
  if (token === undefined && certPem === undefined)
    throw bad('status needs token, or clientCertificateData with clientKeyData')
  return defined({
    token: token === undefined ? undefined : Secret.of(token),
    certificate: certPem && keyPem && matching({ certPem, keyPem }, bad),
    expiresAt: expiry(status, bad),
  }) as ExecCredential
}

function matching(pair: KeyPair, bad: (problem: string) => Failure): KeyPair {
  try {
    mustMatch(pair, { certificate: 'status.clientCertificateData', key: 'status.clientKeyData' })
    return pair
  } catch (error) {
    throw isFailure(error) ? bad(error.message) : error
  }
}

function expiry(status: Fields, bad: (problem: string) => Failure): Date | undefined {
  const text = status.text('expirationTimestamp')
  if (text === undefined) return undefined
  const date = new Date(text)
  const isTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(text)
  if (!isTimestamp || Number.isNaN(date.getTime())) throw bad('status.expirationTimestamp must be an RFC 3339 time')
  return date
}
