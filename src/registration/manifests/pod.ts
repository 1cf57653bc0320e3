import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'

/** What whoever installs may want of a pod. */
export type PodChoices = Pick<PodSpec, 'nodeSelector' | 'tolerations' | 'priorityClassName' | 'hostAliases'> &
  Pick<Container, 'resources'>

/** What of it is of the pod itself; the rest is of its container. */
export const podPlacement = ({ resources: _, ...placement }: PodChoices = {}) => placement

/** The image of this version, where none is named. */
export const imageOf = (version: string): string => `lanyard:${version}`

/** A pod that may do nothing but talk: no root, no capabilities, nothing it could write but what is mounted. */
export const hardenedPod: Pick<PodSpec, 'securityContext'> = {
  securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
}

export const hardenedContainer: Pick<Container, 'securityContext'> = {
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
}

export const httpsProbe = (port: number) => ({ httpGet: { path: '/healthz', port, scheme: 'HTTPS' } })

/** `--name value` for each that has one; a list is parted by commas. */
export const flags = (values: Readonly<Record<string, string | number | readonly string[] | undefined>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(',') : value
    return text === undefined || text === '' ? [] : [`--${name}=${text}`]
  })

/** `a=1,b=2`, as flags take maps. */
export const pairs = (values: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.entries(values).map(([key, value]) => `${key}=${value}`)
