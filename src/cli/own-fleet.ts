import { join } from 'node:path'
import { addonsHub } from '../addons/hub/index.ts'
import { convertReview } from '../apis/conversion.ts'
import { passBy } from '../core/checkpoint.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import { createMetrics } from '../core/metrics.ts'
import type { Step } from '../core/step.ts'
import { hubNamespace } from '../fleet/names.ts'
import { eventRecorder } from '../kube/events.ts'
import { defaultHubSettings } from '../registration/hub/deps.ts'
import { registrationHub } from '../registration/hub/index.ts'
import { bootstrapUser } from '../registration/manifests/bootstrap.ts'
import { serve } from '../server/index.ts'
import { applyManifests } from './apply-manifests.ts'
import { hubCertificate, hubNames } from './hub-certificate.ts'
import { planInit } from './init-plan.ts'
import { ensureAuthority, untilServed } from './init-steps.ts'
import type { CommandDeps } from './open-hub.ts'
import { ownAddon } from './own-addon.ts'
import { agentOn, startOwnCluster } from './own-cluster.ts'
import { fleetNews } from './own-fleet-news.ts'
import type { OwnHub } from './own-hub.ts'
import { issueJoinToken } from './token-issue.ts'

export interface FleetWish {
  /** Each cluster has a folder in it. */
  dir: string
  clusters: number
  /** Clusters wait until somebody accepts them. */
  manual: boolean
  show(step: Step): void
  /** Called when a cluster has joined and is available. */
  onJoined?(cluster: string): void
  /** Called when all clusters are. */
  onComplete?(): void
}

const namespace = hubNamespace
const host = '127.0.0.1'
const tokenLifeMs = 30 * 86_400_000
const patienceMs = 30_000

/** A hub and its clusters in this process: what `lanyard init`, `hub`, `join` and `agent` do elsewhere. */
export const ownFleet =
  ({ client: kube, server, plane }: OwnHub, wish: FleetWish, given: CommandDeps): Run =>
  async (signal) => {
    const { dir, clusters, manual, show } = wish
    const deps = { ...given, metrics: await createMetrics({ process: true }), signal, kube, timeoutMs: patienceMs }
    show({ doing: 'preparing the hub' })
    await applyManifests(kube, planInit({ namespace }, '').identities, signal)
    const caPem = await ensureAuthority(namespace, deps)
    const parts = {
      ...deps,
      events: eventRecorder(kube, { ...deps, component: 'lanyard-hub' }),
      checkpoint: passBy,
    }
    const hub = registrationHub({
      ...parts,
      settings: { ...defaultHubSettings, autoApprovedUsers: manual ? undefined : [bootstrapUser] },
    })
    const addons = addonsHub({ ...parts, clusters: hub.clusters, settings: { labels: {} } })
    const hello = ownAddon(kube, clusters, given)
    const controllers = [hub.run, addons.run]
    const https = serve({
      ...deps,
      listen: { host, port: 0 },
      certificate: hubCertificate(kube, { ...deps, namespace, names: hubNames(namespace, host) }),
      webhooks: hub.webhooks,
      convert: (review) => convertReview(review),
    })

    const members: Run = async (stop) => {
      const asked = { ...deps, server, useBootstrapToken: false, lifetimeMs: tokenLifeMs }
      const { token } = await issueJoinToken(asked)
      const invitation = { server, caPem: plane.identities.serverCa.certPem, token }
      const names = Array.from({ length: clusters }, (_, at) => `cluster${at + 1}`)
      let previous: Promise<unknown> = Promise.resolve()
      // One starts at a time, and joins while the next one starts.
      const member =
        (name: string): Run =>
        async (until) => {
          const starting = previous.then(() => startOwnCluster(join(dir, name), name, deps))
          previous = starting.catch(() => {})
          await using cluster = await starting
          await runTogether(until, [agentOn(cluster, invitation, deps), hello.on(cluster)])
        }
      const onJoined = (cluster: string) => {
        hello.enableOn(cluster)
        wish.onJoined?.(cluster)
      }
      show({ doing: `starting ${clusters} clusters` })
      await runTogether(stop, [
        ...names.map(member),
        hello.run,
        fleetNews({ ...wish, kubeconfig: plane.adminKubeconfigPath, onJoined }, deps),
      ])
    }

    /** The server comes first: its port is what the webhooks are called at. */
    const work: Run = async (stop) => {
      const { url } = await https.listening
      const plan = planInit({ namespace, webhookUrl: url }, caPem)
      await applyManifests(kube, plan.crds, stop)
      await untilServed(plan.crds, deps)
      await applyManifests(kube, plan.webhooks, stop)
      show({ did: 'the hub is prepared', detail: `metrics at ${url}/metrics` })
      await runTogether(stop, clusters > 0 ? [...controllers, members] : controllers)
    }
    await runTogether(signal, [https.run, work])
  }
