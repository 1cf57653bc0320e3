import { isFailure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import type { Usage } from '../../pki/index.ts'
import { keyMatches, publicKeyOf, trustReasons, whyUntrusted } from '../../pki/index.ts'
import type { Finding } from './findings.ts'

const authorities = ['pki/server-ca.pem', 'pki/client-ca.pem'] as const
const leaves: readonly { file: string; issuer: string; usage: Usage }[] = [
  { file: 'pki/server.pem', issuer: 'pki/server-ca.pem', usage: 'server' },
  { file: 'pki/admin.pem', issuer: 'pki/client-ca.pem', usage: 'client' },
]
const tokenKey = 'pki/service-accounts.pem'

const bringBack =
  'bring it back from a backup with `lanyard kube restore`; a new one makes clients of the old one strangers'
const madeAnew = 'delete the file, and the next start makes it anew'

/** Whether the keys of a folder are there and belong together. */
export function checkKeys(files: ReadonlyMap<string, string>, now: Date): Finding[] {
  return [
    ...[...authorities, tokenKey].filter((file) => !files.has(file)).map(missing),
    ...authorities.flatMap((file) => unfit(file, bringBack, () => whyNoPair(files.get(file)))),
    ...leaves.flatMap(({ file, issuer, usage }) =>
      unfit(file, madeAnew, () => {
        const [text, ca] = [files.get(file), files.get(issuer)]
        const why = whyNoPair(text)
        if (why || text === undefined || ca === undefined) return why
        // A start renews what has ended, so that is no finding.
        const distrust = whyUntrusted(certificateIn(text), certificateIn(ca), now, { usage })
        return distrust && distrust !== trustReasons.CertificateExpired
          ? `${issuer} does not vouch for it (${distrust})`
          : undefined
      }),
    ),
    ...unfit(tokenKey, bringBack, () => {
      const text = files.get(tokenKey)
      if (text !== undefined) publicKeyOf(Secret.of(text))
      return undefined
    }),
  ]
}

const missing = (file: string): Finding => ({
  id: 'KeyMissing',
  where: file,
  detail: 'there is no such file',
  next: bringBack,
})

function unfit(file: string, next: string, why: () => string | undefined): Finding[] {
  const detail = worded(why)
  return detail === undefined ? [] : [{ id: 'KeyUnfit', where: file, detail, next }]
}

/** No failure of pki/ repeats what a text says. */
function worded(why: () => string | undefined): string | undefined {
  try {
    return why()
  } catch (error) {
    return isFailure(error) ? error.message : 'it cannot be read'
  }
}

function whyNoPair(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  return keyMatches(certificateIn(text), Secret.of(keyIn(text))) ? undefined : 'the key is not that of the certificate'
}

const keyBegins = '-----BEGIN PRIVATE KEY-----'
const certificateIn = (text: string): string => text.slice(0, Math.max(0, text.indexOf(keyBegins)))
const keyIn = (text: string): string => text.slice(Math.max(0, text.indexOf(keyBegins)))
