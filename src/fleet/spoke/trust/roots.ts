import { parseCertificates } from '../../../pki/certificate.ts'
import { splitPem } from '../../../pki/index.ts'

/**
 * Those of many roots that a chain could lead to: whose bytes hold a name that the chain names. To read all roots of a
 * machine takes a tenth of a second, for which nothing else would be done.
 */
export function rootsNamedBy(chain: readonly string[], roots: readonly string[]): string[] {
  const names = chain.flatMap((pem) =>
    parseCertificates(pem).flatMap(({ subjectName, issuerName }) => [subjectName.whole, issuerName.whole]),
  )
  return roots.filter((pem) => splitPem(pem).some(({ der }) => names.some((name) => der.includes(name))))
}
