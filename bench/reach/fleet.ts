import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { untilServed } from '../../src/cli/init-steps.ts'
import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import { namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { crdManifests } from '../../src/registration/manifests/crds.ts'
import { base64, standInKubeconfig } from '../shared/stand-in.ts'
import { inParallel } from '../shared/timing.ts'
import type { StandIns } from './stand-ins-contract.ts'

export const fleetNamespace = 'fleet'
export const clusterName = (number: number): string => `cluster${number}`
/** Every fifth by a kubeconfig, the others by tokens of the issuers in turn. */
export const isByKubeconfig = (number: number): boolean => number % 5 === 4
export const issuerOf = (number: number, issuers: number): number => number % issuers

const authoritySecret = 'clusters-ca'
const clientSecret = (issuer: number): string => `issuer${issuer}`
const kubeconfigSecret = (number: number): string => `kubeconfig${number}`
const atOnce = 32

/** The kinds and the Secrets. */
export async function prepareHub(kube: Kube, standIns: StandIns): Promise<void> {
  const { signal } = new AbortController()
  const crds = crdManifests([ClusterConfig, IdentityProvider])
  await applyManifests(kube, crds, signal)
  await untilServed(crds, { kube, clock: systemClock, random: systemRandom, signal, timeoutMs: 30_000 })
  await kube.of(namespaces).create({ metadata: { name: fleetNamespace } })
  const keep = (name: string, key: string, text: string) =>
    kube.of(secrets, fleetNamespace).create({ metadata: { name }, data: { [key]: base64(text) } })
  await keep(authoritySecret, 'ca.crt', standIns.caPem)
  for (const number of standIns.issuers.keys()) await keep(clientSecret(number), 'client-secret', 'secret')
  await inParallel(standIns.clusters.length, atOnce, async (number) => {
    if (isByKubeconfig(number))
      await keep(kubeconfigSecret(number), 'value', standInKubeconfig(standIns.clusters[number], standIns.caPem))
  })
}

/** So many clusters, none of which was ever looked at. */
export async function newFleet(kube: Kube, standIns: StandIns, count: number): Promise<void> {
  const configs = kube.of(ClusterConfig.resource, fleetNamespace)
  await inParallel(standIns.clusters.length, atOnce, async (number) => {
    await configs.delete(clusterName(number))
    if (number < count)
      await configs.create({ metadata: { name: clusterName(number) }, spec: specOf(number, standIns) })
  })
}

const refTo = (name: string) => ({ name, namespace: fleetNamespace })

function specOf(number: number, { caPem, clusters, issuers }: StandIns): ClusterConfig['spec'] {
  if (isByKubeconfig(number)) return { kubeconfigSecretRef: refTo(kubeconfigSecret(number)) }
  const issuer = issuerOf(number, issuers.length)
  return {
    oidcAuth: {
      issuerURL: issuers[issuer] ?? '',
      certificateAuthority: caPem,
      clientID: 'lanyard-hub',
      clientSecretRef: refTo(clientSecret(issuer)),
      server: clusters[number] ?? '',
      caSecretRef: refTo(authoritySecret),
    },
  }
}
