import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import { decisionOn } from '../../src/fleet/csr/approval.ts'
import { agentSecrets, agentUser, labels } from '../../src/fleet/names.ts'
import { informer } from '../../src/kube/informer.ts'
import { certificateSigningRequests, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { keyMatches, readCertificate, readRequest } from '../../src/pki/index.ts'
import { runInTest } from '../support/fleet-scene.ts'
import type { TestScope } from '../support/test-scope.ts'

/** Everything that ever was on the server, told by watches, so that what was tidied up since counts too. */
export interface Ledger {
  /** The names of all requests that a cluster has made. */
  requests(cluster: string): string[]
  /** The names its agent ever had. */
  agents(cluster: string): string[]
  /** What must never be, in words. */
  readonly contradictions: readonly string[]
}

const common = { clock: systemClock, random: systemRandom, log: silentLog }

export async function keepLedger(t: TestScope, kube: Kube, namespaceOf: (cluster: string) => string): Promise<Ledger> {
  const contradictions: string[] = []
  const requests = new Map<string, Set<string>>()
  const agents = new Map<string, Set<string>>()
  const uidOfKey = new Map<string, string>()
  const certified = new Set<string>()
  const add = (to: Map<string, Set<string>>, key: string, value: string) =>
    to.set(key, (to.get(key) ?? new Set()).add(value))

  const csrs = informer(kube.of(certificateSigningRequests), { ...common, labelSelector: labels.clusterName })
  csrs.on(({ type, object: { metadata, spec } }) => {
    if (type === 'deleted') return
    const cluster = metadata.labels?.[labels.clusterName] ?? ''
    add(requests, cluster, metadata.uid)
    const { publicKeyPem } = readRequest(Buffer.from(spec.request, 'base64').toString())
    const first = uidOfKey.get(publicKeyPem)
    if (first !== undefined && first !== metadata.uid) contradictions.push(`${cluster} has two CSRs for one key`)
    uidOfKey.set(publicKeyPem, metadata.uid)
    const open = csrs.list().filter((csr) => decisionOn(csr) === 'none' && clusterOf(csr) === cluster)
    if (open.length > 1) contradictions.push(`${cluster} has ${open.length} open CSRs`)
  })
  const clusterOf = ({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
    metadata.labels?.[labels.clusterName]

  const fieldSelector = `metadata.name=${agentSecrets.hubKubeconfig}`
  const identities = informer(kube.of(secrets), { ...common, fieldSelector })
  identities.on(({ type, object: { metadata, data = {} } }) => {
    const { namespace = '' } = metadata
    if (type === 'deleted') return
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
    if (data['agent-name']) add(agents, namespace, text('agent-name'))
    if (!data['tls.crt']) {
      if (certified.has(namespace)) contradictions.push(`the identity in ${namespace} was lost`)
      return
    }
    certified.add(namespace)
    if (!keyMatches(text('tls.crt'), Secret.of(text('tls.key'))))
      contradictions.push(`key and certificate in ${namespace} are of different pairs`)
    const { commonName } = readCertificate(text('tls.crt')).subject
    if (commonName !== agentUser(text('cluster-name'), text('agent-name')))
      contradictions.push(`the certificate in ${namespace} is for ${commonName}`)
  })

  runInTest(t, [csrs.run, identities.run])
  await Promise.all([csrs.synced(), identities.synced()])
  return {
    contradictions,
    requests: (cluster) => [...(requests.get(cluster) ?? [])],
    agents: (cluster) => [...(agents.get(namespaceOf(cluster)) ?? [])],
  }
}
