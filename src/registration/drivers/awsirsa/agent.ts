import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { ManagedCluster as ManagedClusters } from '../../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../../core/backoff.ts'
import { after } from '../../../core/clock.ts'
import { isFailure } from '../../../core/failure.ts'
import { keepFresh } from '../../../core/keep-fresh.ts'
import type { Issuance, Keep, Kept, Step } from '../../../core/pass.ts'
import { reasons } from '../../../core/reasons.ts'
import { isSameHub } from '../../../fleet/hub-stanza.ts'
import { conditions } from '../../../fleet/names.ts'
import { isForbidden, isUnauthorized } from '../../../kube/failures.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Join, JoinOptions } from '../driver.ts'
import { awsJoinAnnotations, isMarked } from './agent-annotations.ts'
import type { ExecForm } from './agent-kubeconfig.ts'
import { formatAwsKubeconfig, isSameAccess } from './agent-kubeconfig.ts'
import type { AwsHubMaterial } from './agent-secret.ts'
import { awsPass } from './agent-secret.ts'
import type { EksCluster } from './names.ts'
import { hubRoleArn } from './names.ts'
import { failures } from './token/failures.ts'

export interface AwsJoinOptions {
  /** What the ARNs of the two EKS clusters say. */
  readonly eks: { readonly hub: EksCluster; readonly managed: EksCluster }
  /** Of the kubeconfig that others use. */
  readonly exec: ExecForm
}

/** Begins fast: a hub that lets clusters in by itself does so within a moment. A person may take days. */
const lookRetry = { baseMs: 500, maxMs: 60_000, factor: 1.5 }

/** The agent's half of the join by AWS IAM: no request, no key; waits to be accepted, then writes how to get in. */
export function awsJoin(options: JoinOptions<AwsHubMaterial>, { eks, exec }: AwsJoinOptions): Join<AwsHubMaterial> {
  const { cluster, hub, keep, clock, random, log, checkpoint } = options
  const { hub: eksHub, managed } = eks
  const access = { region: eksHub.region, clusterName: eksHub.name, roleArn: hubRoleArn(eksHub, managed) }
  const material = { stanza: hub, access, kubeconfig: formatAwsKubeconfig(hub, access, exec) }
  let latest: Kept<AwsHubMaterial> | undefined
  /** The hub did not know the agent, or AWS gave it no role: until the hub says that it accepts the cluster. */
  let isInDoubt = false
  let looks = 0

  const isForHere = ({ material: { stanza, access: kept } }: Kept<AwsHubMaterial>) =>
    isSameHub(stanza, hub) && isSameAccess(kept, access)
  const held = () => (isInDoubt ? undefined : latest)

  const watchedKeep: Keep<AwsHubMaterial> = {
    async load() {
      const loaded = await keep.load()
      if (loaded.kept && isForHere(loaded.kept)) latest = loaded.kept
      // What is in doubt is gone for good when its Secret is: whoever removes that wants the agent to join anew.
      else if (isInDoubt) latest = undefined
      return loaded
    },
    savePending: keep.savePending,
    async save(kept) {
      await keep.save(kept)
      latest = kept
      checkpoint('join.identity-saved')
    },
  }

  /** Later than any before it, whatever the clock says: that moment tells grants apart. */
  function granted(now: Date, before: Kept<AwsHubMaterial> | undefined): Step<AwsHubMaterial> {
    const least = (before ?? latest)?.pass.issuedAt.getTime() ?? 0
    const at = now.getTime() > least ? now : new Date(least + 1)
    const facts = { holder: cluster, issuer: hub.server, keptIn: options.keptIn }
    return { step: 'granted', pass: awsPass(facts, material, at), material }
  }

  /** What is there already stays as it is: it has no key that the hub could give anew, so nothing is written. */
  const asWanted = (now: Date, usable: Kept<AwsHubMaterial>): Step<AwsHubMaterial> =>
    usable.material.kubeconfig.equals(material.kubeconfig) ? { step: 'granted', ...usable } : granted(now, usable)

  const find = (kube: Kube) => kube.of(ManagedClusters.resource).find(cluster, { deadlineMs: 10_000 })

  async function look(): Promise<Stored<ManagedCluster> | undefined> {
    try {
      return await find(await options.bootstrap())
    } catch (error) {
      const isShut = isUnauthorized(error) || isForbidden(error) || isFailure(error, 'AGENT_BOOTSTRAP_MISSING')
      if (!isShut) throw error
      // Its token is good for an hour, and a person may take days: by then the hub knows the agent by its role.
      return await find(options.own()).catch((own: unknown) => {
        throw failures.AWS_HUB_SHUT({ bootstrap: wordsOf(error), own: wordsOf(own) }, error)
      })
    }
  }

  const issuance: Issuance<AwsHubMaterial> = {
    async next(now, kept) {
      const usable = held()
      // A new path of the plugin, or an edit by hand, is put right without asking: the hub may be away.
      if (usable) return asWanted(now, usable)
      const found = await look()
      options.onAnswer()
      if (!found && latest) throw failures.AWS_CLUSTER_GONE({ cluster, keptIn: options.keptIn })
      if (found && !isMarked(found.metadata.annotations, eksHub, managed)) throw notMarked()
      if (found && isAccepted(found)) {
        looks = 0
        isInDoubt = false
        return latest ? asWanted(now, latest) : granted(now, kept)
      }
      const pauseMs = Math.min(backoffMs(looks++, lookRetry, random), options.lookAgainMs)
      return { step: 'waiting', for: reasons.AwaitingApproval, wake: after(now, pauseMs) }
    },
  }

  function notMarked() {
    const wanted = Object.entries(awsJoinAnnotations(eksHub, managed)).map(([name, value]) => `${name}=${value}`)
    return failures.AWS_CLUSTER_NOT_MARKED({ cluster, arn: managed.arn, annotations: wanted.join(' ') })
  }

  const loop = keepFresh<AwsHubMaterial>({
    issuance,
    keep: watchedKeep,
    report: options.report,
    clock,
    random,
    log,
    retry: options.retry ?? { baseMs: 1_000, maxMs: 30_000 },
  })

  return {
    run: loop.run,
    poke: loop.poke,
    held,
    wasLetIn: () => latest !== undefined,
    reject(fingerprint) {
      if (latest?.pass.fingerprint !== fingerprint) return
      isInDoubt = true
      looks = 0
      loop.poke()
    },
  }
}

/** By the status of the condition and not by its presence: a denied cluster has it as well. */
export const isAccepted = ({ metadata, spec, status }: ManagedCluster): boolean =>
  metadata?.deletionTimestamp === undefined &&
  spec?.hubAcceptsClient === true &&
  status?.conditions?.find(({ type }) => type === conditions.accepted)?.status === 'True'

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : 'no answer')
