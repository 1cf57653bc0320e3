import { createHash } from 'node:crypto'
import type { Call } from './pull-secret-calls.ts'
import type { SoakCluster } from './pull-secret-fleet.ts'

export type LogsIn = (host: string, username: string, token: string) => boolean

export interface Prober {
  /** Fetches the document of a cluster that must have one, and logs in at every registry with it. */
  probe(cluster: SoakCluster): Promise<void>
  contradictions: readonly string[]
  probes(): number
}

/** A forced rotation may cut a document between its fetch and its use: then another one has to be there. */
const fetches = 6

export function proberOf(call: Call, logsIn: LogsIn): Prober {
  const contradictions: string[] = []
  /** Of steady clusters: which Red Hat token a Quay token was seen with, and the other way round. */
  const partners = new Map<string, string>()
  let probes = 0

  function compare(cluster: SoakCluster, [a, b]: readonly [string, string]): void {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const known = partners.get(one)
      if (known !== undefined && known !== other) contradictions.push(`${cluster.id}: a document mixes generations`)
      partners.set(one, other)
    }
  }

  return {
    contradictions,
    probes: () => probes,
    async probe(cluster) {
      const { epoch } = cluster
      const isStill = () => cluster.isServed && cluster.epoch === epoch && !cluster.isBeingEnded
      if (!isStill()) return
      let lastEtag: string | undefined
      for (let tries = 0; tries < fetches; tries += 1) {
        const { status, body, etag } = await call('GET', `/clusters/${cluster.id}/pull-secrets`)
        if (!isStill()) return
        if (status !== 200) return void contradictions.push(`${cluster.id}: its document is answered with ${status}`)
        const accounts = accountsOf(body)
        if (accounts.length !== 4) return void contradictions.push(`${cluster.id}: ${accounts.length} hosts`)
        if (cluster.isSteady) compare(cluster, [digest(accounts, 'quay.io'), digest(accounts, 'registry.redhat.io')])
        probes += 1
        if (accounts.every(({ host, username, token }) => logsIn(host, username, token))) return
        if (!isStill()) return
        if (lastEtag === etag) return void contradictions.push(`${cluster.id}: its document does not let it in`)
        lastEtag = etag
      }
    },
  }
}

interface HostAccount {
  host: string
  username: string
  token: string
}

function accountsOf(body: Record<string, unknown>): HostAccount[] {
  const { auths = {} } = (body['pull_secret'] ?? {}) as { auths?: Record<string, { auth: string }> }
  return Object.entries(auths).map(([host, { auth }]) => {
    const [username = '', ...rest] = Buffer.from(auth, 'base64').toString().split(':')
    return { host, username, token: rest.join(':') }
  })
}

const digest = (accounts: readonly HostAccount[], host: string): string => {
  const { username, token } = accounts.find((account) => account.host === host) ?? { username: '', token: '' }
  return createHash('sha256').update(`${host} ${username}:${token}`).digest('hex')
}
