import type { Command } from 'commander'
import { stringify } from 'yaml'
import { systemClock } from '../core/clock.ts'
import { findCondition } from '../core/conditions.ts'
import { systemRandom } from '../core/random.ts'
import type { Manifest } from '../fleet/manifests/manifest.ts'
import { spokeConditions } from '../fleet/spoke/names.ts'
import { needs } from '../fleet/spoke/needs.ts'
import { spokeRbacManifests } from '../fleet/spoke/rbac.ts'
import { readCertificates } from '../pki/index.ts'
import { checkReach } from '../reach/operations/check.ts'
import { withSpokesHere } from '../reach/operations/here.ts'
import { hubUserOn, subjectOf } from '../reach/operations/rbac.ts'
import { markOfWay, mustBeSame, uidOf } from '../reach/operations/same-cluster.ts'
import { conditionsOf } from '../reach/overview/cluster-config-overview.ts'
import { findClusterConfig } from '../reach/overview/read-cluster-configs.ts'
import { applyManifests } from './apply-manifests.ts'
import { calledBy } from './called.ts'
import { failures } from './failures.ts'
import type { Opened } from './open-cluster.ts'
import { openCluster } from './open-cluster.ts'
import type { CommandDeps } from './open-hub.ts'
import { withHub } from './operate.ts'
import { progressOn } from './progress.ts'
import type { ReachRbacOptions } from './reach.ts'
import { settingsHere } from './reach-act.ts'
import { loadSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

/** `lanyard reach rbac`. */
export async function printOrApply(name: string, options: ReachRbacOptions, command: Command, stop: Stop) {
  const isApplied = options.apply ?? false
  if (isApplied && options.spokeKubeconfig === undefined && options.spokeContext === undefined)
    throw failures.REACH_APPLY_WHERE()
  const manifests = spokeRbacManifests(subjectOf(options.user ?? (await askedUser(name, options, command, stop))))
  if (!isApplied) return void process.stdout.write(asText(manifests, options.output))
  await applyThere(name, manifests, options, command, stop)
}

async function askedUser(name: string, { namespace }: ReachRbacOptions, command: Command, stop: Stop): Promise<string> {
  const settings = await settingsHere()
  let user = ''
  await withHub(command, stop, async ({ client: kube }, deps) => {
    const config = await findClusterConfig(kube, name, { signal: deps.signal, namespace })
    user = await withSpokesHere(config, { ...deps, kube, settings }, (spokes) => hubUserOn(name, spokes, deps.signal))
  })
  return user
}

function asText(manifests: readonly Manifest[], format: 'yaml' | 'json'): string {
  const items = manifests.map(({ object }) => object)
  if (format === 'json') return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`
  const why = needs.map(
    ({ group, resource, verbs, purpose }) =>
      `# ${verbs.join(', ')} ${group ? `${resource}.${group}` : resource}: ${purpose}\n`,
  )
  const documents = items.map((item) => stringify(item, { aliasDuplicateObjects: false }))
  return `${why.join('')}${documents.join('---\n')}`
}

/** Rights on the wrong cluster would help nobody, and somebody else's hub would have them. False: nothing to compare. */
async function isCompared(
  name: string,
  { client, connection }: Opened,
  { namespace, otherAddress: mayDiffer = false }: ReachRbacOptions,
  command: Command,
  stop: Stop,
): Promise<boolean> {
  const settings = await settingsHere()
  const { server, tls } = connection
  const fingerprints = tls.ca === undefined ? [] : readCertificates(tls.ca).map(({ fingerprint }) => fingerprint)
  const there = { server, fingerprints, uid: await uidOf(client, stop.signal) }
  let isSame = false
  await withHub(command, stop, async ({ client: kube }, deps) => {
    const config = await findClusterConfig(kube, name, { signal: deps.signal, namespace })
    isSame = mustBeSame(name, await markOfWay(config, { ...deps, kube, settings }), there, { mayDiffer })
  })
  return isSame
}

async function applyThere(
  name: string,
  manifests: readonly Manifest[],
  options: ReachRbacOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  const progress = progressOn(process.stdout, calledBy(command))
  try {
    const { log } = await loadSettings(command)
    const deps: CommandDeps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
    progress.show({ doing: `applying what the hub needs on ${name}` })
    const there = await openCluster({ kubeconfig: options.spokeKubeconfig, context: options.spokeContext }, deps)
    await using client = there.client
    if (!(await isCompared(name, there, options, command, stop)))
      progress.show({ did: `whether this is ${name} could not be compared`, detail: 'the hub has not seen it yet' })
    await applyManifests(client, manifests, stop.signal)
    const names = manifests.map(({ object }) => `${object.kind} ${object.metadata.name}`).join(', ')
    progress.show({ did: `what the hub needs is on ${there.connection.server}`, detail: names })
    await withHub(command, stop, async ({ client: kube }, common) => {
      const { namespace } = options
      const asked = { name, namespace, timeoutMs: options.timeout * 1_000 }
      for await (const step of checkReach(asked, { ...common, kube })) progress.show(step)
      const found = await findClusterConfig(kube, name, { signal: common.signal, namespace })
      const verified = findCondition(conditionsOf(found), spokeConditions.permissionsVerified)
      if (verified) progress.show({ did: `${verified.type} is ${verified.status}`, detail: verified.message })
    })
  } catch (error) {
    progress.fail()
    throw error
  }
}
