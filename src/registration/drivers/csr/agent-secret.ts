import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { Keep } from '../../../core/pass.ts'
import { certificateKeep } from '../../../fleet/csr/certificate-keep.ts'
import type { CertifiedIdentity } from '../../../fleet/csr/issuance.ts'
import { agentSubject, isSameSubject } from '../../../fleet/csr/request.ts'
import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { formatHubKubeconfig, readHubKubeconfig } from '../../../fleet/hub-stanza.ts'
import { textOf } from '../../../fleet/secret-texts.ts'
import type { HubSecretOptions } from '../driver.ts'

/** What an agent has once it joined a hub by CSR. */
export interface CertifiedMaterial extends CertifiedIdentity {
  readonly stanza: HubStanza
}

/** The agent's Secret as a keep. What is damaged or for another cluster or agent counts as absent. */
export function hubSecretKeep({ kube, namespace, name, cluster, agent }: HubSecretOptions): Keep<CertifiedMaterial> {
  return certificateKeep<CertifiedMaterial>({
    kube,
    namespace,
    name,
    facts: {
      id: `join/${cluster}`,
      kind: 'join',
      holder: cluster,
      issuer: 'hub',
      keptIn: `secret/${namespace}/${name}`,
    },
    materialIn({ text }, identity, { subject }) {
      if (text('cluster-name') !== cluster || text('agent-name') !== agent) return undefined
      const stanza = readHubKubeconfig(text('kubeconfig') ?? '')
      return stanza && isSameSubject(subject, agentSubject(cluster, agent)) ? { ...identity, stanza } : undefined
    },
    textsOf: ({ stanza }) => ({
      kubeconfig: formatHubKubeconfig(stanza),
      'cluster-name': cluster,
      'agent-name': agent,
    }),
  })
}

/** Whether the Secret still says what was put there. */
export const holds = ({ data = {} }: SecretObject, { certPem, keyPem, stanza }: CertifiedMaterial): boolean =>
  textOf(data, 'tls.crt') === certPem &&
  textOf(data, 'tls.key') === keyPem.reveal() &&
  textOf(data, 'kubeconfig') === formatHubKubeconfig(stanza)
