import type { AuditConfig, AuditConfigSpec } from '../../apis/breakglass/audit-config.ts'
import type { AuditSink } from '../../apis/breakglass/audit-sink-fields.ts'
import type { Stored } from '../../kube/objects.ts'

/** A sink of an AuditConfig, and the outlet that serves it. */
export interface Route {
  readonly config: string
  readonly spec: AuditConfigSpec
  readonly sink: AuditSink
  /** Several sinks of one kind share an outlet where they are one place: nothing is written there twice. */
  readonly outlet: string
}

export const logOutlet = 'log'
export const eventsOutlet = 'kubernetes'

/** All sinks of all AuditConfigs that are switched on. Kafka is refused elsewhere, and nothing is sent there. */
export const routesOf = (configs: readonly Stored<AuditConfig>[]): Route[] =>
  configs
    .filter(({ metadata, spec }) => spec !== undefined && spec.enabled !== false && !metadata.deletionTimestamp)
    .flatMap(({ metadata, spec }) =>
      (spec?.sinks ?? []).flatMap((sink) => {
        const outlet = outletOf(metadata.name, sink)
        return spec && outlet !== undefined ? [{ config: metadata.name, spec, sink, outlet }] : []
      }),
    )

function outletOf(config: string, sink: AuditSink): string | undefined {
  if (sink.type === 'log') return logOutlet
  if (sink.type === 'kubernetes') return eventsOutlet
  return sink.type === 'webhook' && sink.webhook ? `${config}/${sink.name}` : undefined
}

/** How many events may wait for an outlet: as many as the most generous of those who use it say. */
export const limitOf = (routes: readonly Route[], outlet: string): number =>
  Math.max(...routes.filter((route) => route.outlet === outlet).map(({ spec }) => spec.queue?.size ?? 100_000), 1_000)
