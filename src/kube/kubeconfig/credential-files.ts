import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'
import { Secret } from '../../core/secret.ts'
import type { Connection } from '../connection.ts'
import { failures } from './failures.ts'
import type { ReadFile } from './files.ts'
import { readOrFail } from './files.ts'
import { isHeaderText } from './headers.ts'
import { holdsCertificate, parseCertificate, parsePrivateKey } from './pem.ts'
import { Rereading } from './rereading.ts'

export interface FileDeps {
  readFile: ReadFile
  clock: Clock
  log: Log
}

/** Either the content, with the name failures call it by, or the path of a file that holds it. */
export type Content<T> = { data: T; label: string } | { file: string }

export interface KeyPair {
  certPem: string
  keyPem: Secret
}

/** A bearer token in a file, white space around it removed. `until` stands in while the file was never read. */
export const tokenFile = (path: string, { readFile, ...deps }: FileDeps, until?: Secret): Rereading<Secret> =>
  new Rereading({
    ...deps,
    load: async (previous) => {
      try {
        const token = checkedToken(path, (await readOrFail(readFile, path)).trim())
        return previous?.equals(token) ? previous : token
      } catch (error) {
        if (!previous && until && isFailure(error)) return until
        throw error
      }
    },
  })

function checkedToken(path: string, text: string): Secret {
  if (text === '') throw failures.KUBECONFIG_CREDENTIAL_FILE({ path, problem: 'holds no token' })
  if (!isHeaderText(text)) throw failures.KUBECONFIG_CREDENTIAL_FILE({ path, problem: 'holds more than a token' })
  return Secret.of(text)
}

/** Certificates to trust, in a file. */
export const authorityFile = (path: string, { readFile, ...deps }: FileDeps): Rereading<string> =>
  new Rereading({
    ...deps,
    load: async () => {
      const pem = await readOrFail(readFile, path)
      if (!holdsCertificate(pem))
        throw failures.KUBECONFIG_CREDENTIAL_FILE({ path, problem: 'holds no PEM certificate' })
      return pem
    },
  })

/** With a CA from a file, `ca` is what was last read: ask for credentials first, as the client does before each call. */
export const trust = (fixed: Connection['tls'], authority: Rereading<string> | undefined): Connection['tls'] =>
  authority
    ? {
        ...fixed,
        get ca() {
          return authority.last ?? ''
        },
      }
    : fixed

/** A client certificate with its key. Rotation writes one after the other: a new pair is used once its halves match. */
export function keyPair(
  { certificate, key }: { certificate: Content<string>; key: Content<Secret> },
  { readFile, ...deps }: FileDeps,
): Rereading<KeyPair> {
  const labels = {
    certificate: 'file' in certificate ? certificate.file : certificate.label,
    key: 'file' in key ? key.file : key.label,
  }
  return new Rereading({
    ...deps,
    load: async (previous) => {
      const [certPem, keyPem] = await Promise.all([
        'data' in certificate ? certificate.data : readOrFail(readFile, certificate.file),
        'data' in key ? key.data : readOrFail(readFile, key.file).then((text) => Secret.of(text)),
      ])
      if (previous?.certPem === certPem && previous.keyPem.equals(keyPem)) return previous
      mustMatch({ certPem, keyPem }, labels)
      return { certPem, keyPem }
    },
  })
}

/** Throws unless both halves can be read and belong together. */
export function mustMatch({ certPem, keyPem }: KeyPair, labels: { certificate: string; key: string }): void {
  const certificate = parseCertificate(certPem)
  if (!certificate)
    throw failures.KUBECONFIG_CREDENTIAL_FILE({ path: labels.certificate, problem: 'holds no PEM certificate' })
  const key = parsePrivateKey(keyPem)
  if (!key)
    throw failures.KUBECONFIG_CREDENTIAL_FILE({
      path: labels.key,
      problem: 'holds no PEM private key without passphrase',
    })
  if (!certificate.checkPrivateKey(key)) throw failures.KUBECONFIG_KEY_MISMATCH(labels)
}
