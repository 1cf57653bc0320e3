import { createHash } from 'node:crypto'
import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import { ownDomain } from '../../../core/own-domain.ts'
import type { Keep, Kept, Pass, Pending } from '../../../core/pass.ts'
import { reasons } from '../../../core/reasons.ts'
import { Secret } from '../../../core/secret.ts'
import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { textOf, writeSecret } from '../../../fleet/secret-texts.ts'
import { secrets } from '../../../kube/kinds.ts'
import type { HubSecretOptions } from '../driver.ts'
import type { HubAccess } from './agent-kubeconfig.ts'
import { readAwsKubeconfig } from './agent-kubeconfig.ts'

/** What an agent has once it joined an EKS hub. No key is in it; the proxy of the hub may have a password. */
export interface AwsHubMaterial {
  readonly stanza: HubStanza
  readonly access: HubAccess
  readonly kubeconfig: Secret
}

/** When the kubeconfig was granted. RFC 3339 with milliseconds. */
const grantedAnnotation = `${ownDomain}/hub-kubeconfig-granted-at`

/** What a certificate leaves there when its agent comes by its AWS identity from now on. */
const ofCertificates = { 'tls.crt': null, 'tls.key': null, pending: null }

type Facts = Pick<Pass, 'holder' | 'issuer' | 'keptIn'>

/** It does not expire: its tokens do, each by itself. The moment is in the fingerprint, so that each grant has another one. */
export const awsPass = (facts: Facts, { stanza, access }: AwsHubMaterial, grantedAt: Date): Pass => ({
  ...facts,
  id: `join/${facts.holder}`,
  kind: 'join',
  issuedAt: grantedAt,
  fingerprint: createHash('sha256')
    .update(JSON.stringify([stanza.server, access.clusterName, access.roleArn, grantedAt.toISOString()]))
    .digest('hex'),
  state: reasons.PassIssued,
})

/**
 * The agent's Secret as a keep. What is damaged, or for another cluster or agent, counts as absent. A refusal is kept in
 * memory only: nothing is asked for that a restart would have to find again.
 */
export function awsSecretKeep({ kube, namespace, name, cluster, agent }: HubSecretOptions): Keep<AwsHubMaterial> {
  let pending: Pending | undefined
  const keptIn = ({ data = {}, metadata }: SecretObject): Kept<AwsHubMaterial> | undefined => {
    if (textOf(data, 'cluster-name') !== cluster || textOf(data, 'agent-name') !== agent) return undefined
    const text = textOf(data, 'kubeconfig') ?? ''
    const found = readAwsKubeconfig(text)
    const grantedAt = new Date(metadata?.annotations?.[grantedAnnotation] ?? '')
    if (!found || Number.isNaN(grantedAt.getTime())) return undefined
    const material = { ...found, kubeconfig: Secret.of(text) }
    const facts = { holder: cluster, issuer: found.stanza.server, keptIn: `secret/${namespace}/${name}` }
    return { pass: awsPass(facts, material, grantedAt), material }
  }
  return {
    async load() {
      const secret = await kube.of(secrets, namespace).find(name)
      const kept = secret && keptIn(secret)
      return { ...(kept && { kept }), ...(pending && { pending }) }
    },
    async savePending(next) {
      pending = next
    },
    async save({ pass, material }) {
      const texts = { kubeconfig: material.kubeconfig.reveal(), 'cluster-name': cluster, 'agent-name': agent }
      const annotations = { [grantedAnnotation]: pass.issuedAt.toISOString() }
      await writeSecret(kube, namespace, name, { ...texts, ...ofCertificates }, annotations)
      pending = undefined
    },
  }
}

/** Whether the Secret still says what was put there. */
export const awsHolds = ({ data = {} }: SecretObject, { kubeconfig }: AwsHubMaterial): boolean =>
  kubeconfig.equals(Secret.of(textOf(data, 'kubeconfig') ?? ''))
