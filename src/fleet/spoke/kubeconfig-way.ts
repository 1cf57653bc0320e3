import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Secret } from '../../core/secret.ts'
import type { Connection } from '../../kube/connection.ts'
import { connectionOf, firstCertificate, parseKubeconfig } from '../../kube/kubeconfig/index.ts'
import type { Certificate } from '../../pki/index.ts'
import { readCertificate } from '../../pki/index.ts'
import type { Trust } from './contract.ts'
import { failures } from './failures.ts'

/** Of users of the hub, who must not keep it busy with reading. One with a chain and a key has some kilobytes. */
const longestText = 256 * 1024

/** What a kubeconfig out of a Secret leads to. It may name no files and no programs: whoever may write it is not the hub. */
export async function connectionIn(text: Secret, source: string, clock: Clock): Promise<Connection> {
  if (text.reveal().length > longestText)
    throw failures.SPOKE_KUBECONFIG_UNUSABLE({ detail: `${source} is longer than ${longestText / 1024} KiB` })
  try {
    const config = parseKubeconfig(text, { name: source })
    const { connection } = await connectionOf(config, { source, selfContained: true, clock, env: {} })
    return connection
  } catch (error) {
    if (!isFailure(error) || !error.code.startsWith('KUBECONFIG_')) throw error
    // Those of the kubeconfig name places and never values, so their sentences can be passed on.
    throw failures.SPOKE_KUBECONFIG_UNUSABLE({ detail: detailOf(error.code, source) ?? error.message }, error)
  }
}

/** Where its own sentence gives advice for a command line. */
const detailOf = (code: string, source: string): string | undefined =>
  code === 'KUBECONFIG_NO_CONTEXT' ? `${source} sets no current-context` : undefined

export function trustIn({ tls }: Connection): Trust {
  if (tls.insecureSkipVerify) return { source: 'Insecure' }
  if (tls.ca === undefined) return { source: 'System' }
  const { fingerprint } = certificateIn(tls.ca, 'certificate-authority-data')
  return { source: 'Kubeconfig', ca: tls.ca, fingerprint }
}

/** The first of a field, whatever else stands there: kubeconfigs are made of files that hold a key or a chain as well. */
export function certificateIn(pem: string, field: string): Certificate {
  try {
    return readCertificate(firstCertificate(pem) ?? pem)
  } catch (error) {
    if (!isFailure(error) || !error.code.startsWith('PKI_')) throw error
    throw failures.SPOKE_KUBECONFIG_UNUSABLE({ detail: `${field}: ${error.message}` }, error)
  }
}
