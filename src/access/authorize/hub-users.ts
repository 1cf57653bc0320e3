import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Kube } from '../../kube/kube.ts'

/** Whom clusters take the hub for. */
export interface HubUsers {
  isHubUser(cluster: string, user: string): boolean
}

interface Known {
  /** The client it was learned by: another one may be somebody else. */
  readonly kube: Kube
  readonly user: string | undefined
  readonly triedMs: number
}

const againMs = 30_000
const learnWithinMs = 5_000
const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }

/**
 * What the hub itself asks of a cluster comes back as a question where that cluster asks the hub about everybody. So the
 * hub finds out in the background who it is there. An older answer counts until there is a newer one.
 */
export class LearnedHubUsers implements HubUsers {
  readonly #clock: Pick<Clock, 'now'>
  readonly #log: Log
  readonly #known = new Map<string, Known>()

  constructor({ clock, log }: { clock: Pick<Clock, 'now'>; log: Log }) {
    this.#clock = clock
    this.#log = log
  }

  isHubUser(cluster: string, user: string): boolean {
    return this.#known.get(cluster)?.user === user && user !== ''
  }

  /** Returns at once. To be told of every client that is used. */
  learn(cluster: string, kube: Kube): void {
    const known = this.#known.get(cluster)
    const nowMs = this.#clock.now().getTime()
    const isOld = known?.user === undefined && Math.abs(nowMs - (known?.triedMs ?? 0)) >= againMs
    if (known?.kube === kube && !isOld) return
    this.#known.set(cluster, { kube, user: known?.user, triedMs: nowMs })
    this.#ask(kube).then(
      (user) => this.#keep(cluster, kube, user),
      (err: unknown) => this.#log.debug({ err, cluster }, 'whom the cluster takes the hub for is not known'),
    )
  }

  forget(cluster: string): void {
    this.#known.delete(cluster)
  }

  #keep(cluster: string, kube: Kube, user: string | undefined): void {
    const known = this.#known.get(cluster)
    if (known?.kube === kube) this.#known.set(cluster, { ...known, user })
  }

  async #ask(kube: Kube): Promise<string | undefined> {
    const request = { method: 'POST', path, body, contentType: 'application/json', deadlineMs: learnWithinMs } as const
    const { status } = await kube.request<{ status?: { userInfo?: { username?: string } } }>(request)
    return status?.userInfo?.username
  }
}
