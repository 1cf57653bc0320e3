import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.d.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { configMaps } from '../../kube/kinds.ts'
import { watching } from '../../kube/watching.ts'
import { expiryOf, signingKeyOf } from './bootstrap-token.ts'
import { clusterInfo } from './cluster-info.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'

const signaturePrefix = 'jws-kubeconfig-'

/** Whoever joins with a token can tell by it whether `cluster-info` was written by somebody who knows the token too. */
export function bootstrapSigner(deps: ControllerDeps, informers: Informers): Controller {
  const { kube, clock } = deps
  const { bootstrapTokens } = informers
  const published = informers.configMapsNamed(clusterInfo.name)
  const key = `${clusterInfo.namespace}/${clusterInfo.name}`
  return controller(
    'bootstrapsigner',
    async (_, { signal }) => {
      const present = published.get(key)
      if (!present) return done
      const now = clock.now().getTime()
      const valid = bootstrapTokens.list().filter((token) => (expiryOf(token) ?? Number.POSITIVE_INFINITY) > now)
      const data = signedData(present.data ?? {}, valid)
      if (!isDeepStrictEqual(data, present.data ?? {}))
        await kube.of(configMaps, clusterInfo.namespace).update({ ...present, data }, { signal })
      const ends = valid.flatMap((token) => expiryOf(token) ?? [])
      return ends.length > 0 ? requeueAfter(Math.min(...ends) - now) : done
    },
    {
      ...deps,
      watches: [watching(published, (map) => (isClusterInfo(map) ? key : [])), watching(bootstrapTokens, () => key)],
    },
  )
}

const isClusterInfo = ({ metadata }: ConfigMap): boolean => metadata?.namespace === clusterInfo.namespace

/** With a signature for each token that signs, and no other. Without a kubeconfig there is nothing to vouch for. */
export function signedData(data: Readonly<Record<string, string>>, tokens: readonly Secret[]): Record<string, string> {
  const { kubeconfig } = data
  if (kubeconfig === undefined) return { ...data }
  const others = Object.entries(data).filter(([field]) => !field.startsWith(signaturePrefix))
  const signatures = tokens
    .flatMap((token) => signingKeyOf(token) ?? [])
    .map(({ id, secret }) => [`${signaturePrefix}${id}`, detachedSignature(kubeconfig, id, secret)])
  return Object.fromEntries([...others, ...signatures])
}

/** A JWS (HS256) whose payload is left out: the reader has it. */
export function detachedSignature(content: string, id: string, secret: string): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const header = encode(JSON.stringify({ alg: 'HS256', kid: id }))
  const signature = createHmac('sha256', secret)
    .update(`${header}.${encode(content)}`)
    .digest('base64url')
  return `${header}..${signature}`
}
