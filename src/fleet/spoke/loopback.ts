import { isIP } from 'node:net'
import type { SpokeSettings } from './contract.ts'

/** Where a pod finds the API server of the cluster that it runs in. */
export const ownApiServer = 'https://kubernetes.default.svc'

/** By the host alone, as parsed: `localhost.example.com` is somewhere else. */
export function isLoopback(server: string): boolean {
  const host = URL.parse(server)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * Where calls really go. Within a pod a loopback address means the pod, which is never meant: kubeconfigs of local
 * clusters say so of the cluster they were made on. On a laptop it is right.
 */
export const effectiveServer = (
  server: string,
  { insideCluster, rewriteLoopback }: Pick<SpokeSettings, 'insideCluster' | 'rewriteLoopback'>,
): string => (insideCluster && rewriteLoopback && isLoopback(server) ? ownApiServer : server)
