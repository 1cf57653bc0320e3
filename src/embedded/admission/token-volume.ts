import type { Container, PodSpec, Volume } from 'kubernetes-types/core/v1.d.ts'
import type { Random } from '../../core/random.ts'

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
const volumePrefix = 'kube-api-access-'

/** An hour, and some seconds by which kubelet knows these from what users ask for. */
const expirationSeconds = 3607

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    defaultMode: 0o644,
    sources: [
      { serviceAccountToken: { expirationSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
})

/** With the token mounted in every container that has nothing at its place. The same spec when all of them have. */
export function mountToken(spec: PodSpec, random: Random): PodSpec {
  const { volumes = [], initContainers, containers } = spec
  if ([...(initContainers ?? []), ...containers].every(hasMount)) return spec
  const present = volumes.find(({ name }) => name.startsWith(volumePrefix))
  const name = present?.name ?? `${volumePrefix}${random.suffix(5)}`
  const mount = (container: Container): Container =>
    hasMount(container)
      ? container
      : { ...container, volumeMounts: [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }] }
  return {
    ...spec,
    volumes: present ? volumes : [...volumes, tokenVolume(name)],
    ...(initContainers && { initContainers: initContainers.map(mount) }),
    containers: containers.map(mount),
  }
}

const hasMount = ({ volumeMounts = [] }: Container): boolean =>
  volumeMounts.some((mount) => mount.mountPath === mountPath)

export const hasTokenProjection = ({ volumes = [] }: PodSpec): boolean =>
  volumes.some(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken))
