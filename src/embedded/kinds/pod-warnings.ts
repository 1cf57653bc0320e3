import type { ContainerPort, PodSpec } from 'kubernetes-types/core/v1.d.ts'

/** What is odd about a spec, and may stand. `field` is where it stands. */
export const podSpecWarnings = (spec: Partial<PodSpec>, field: string): string[] => [
  ...envWarnings(spec, field),
  ...portWarnings(spec, field),
]

/** A variable that is set twice loses one of its values when somebody applies. */
function envWarnings({ containers = [], initContainers = [] }: Partial<PodSpec>, field: string): string[] {
  const lists = { initContainers, containers }
  return Object.entries(lists).flatMap(([list, ofList]) =>
    ofList.flatMap(({ env = [] }, index) =>
      env.flatMap(({ name }, at) => {
        const isHiding = env.findIndex((other) => other.name === name) < at
        const place = `${field}.${list}[${index}].env[${at}]`
        return isHiding
          ? [`${place}: hides previous definition of "${name}", which may be dropped when using apply`]
          : []
      }),
    ),
  )
}

interface PlacedPort {
  readonly port: ContainerPort
  readonly place: string
}

function portWarnings({ containers = [], initContainers = [] }: Partial<PodSpec>, field: string): string[] {
  const all = Object.entries({ initContainers, containers }).flatMap(([list, ofList]) =>
    ofList.flatMap(({ ports = [] }, index) =>
      ports.map((port, at): PlacedPort => ({ port, place: `${field}.${list}[${index}].ports[${at}]` })),
    ),
  )
  return [...clashWarnings(all), ...nameWarnings(all)]
}

/** Ports of one pod that are, or may be, the same. */
const clashWarnings = (all: readonly PlacedPort[]): string[] =>
  all.flatMap(({ port, place }, index) =>
    all.slice(0, index).flatMap((other) => {
      const how = clashOf(port, other.port)
      return how === undefined ? [] : [`${place}: ${how} port definition with ${other.place}`]
    }),
  )

const nameWarnings = (all: readonly PlacedPort[]): string[] =>
  all.flatMap(({ port: { name }, place }, index) => {
    const other = name ? all.slice(0, index).find(({ port }) => port.name === name) : undefined
    return other
      ? [
          `${place}: duplicate port name ${JSON.stringify(name)} with ${other.place}, services and probes that select ports by name will use ${other.place}`,
        ]
      : []
  })

function clashOf(port: ContainerPort, other: ContainerPort): string | undefined {
  if (port.containerPort !== other.containerPort || port.protocol !== other.protocol) return undefined
  const [ip, otherIp] = [port.hostIP ?? '', other.hostIP ?? '']
  const [host, otherHost] = [port.hostPort ?? 0, other.hostPort ?? 0]
  if (ip === otherIp && host === otherHost) return 'duplicate'
  if (host === 0 || otherHost === 0) return 'overlapping'
  return host === otherHost && (ip === '') !== (otherIp === '') ? 'dangerously ambiguous' : undefined
}
