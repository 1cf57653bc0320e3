import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { AgentDriver, CredentialOptions } from '../../drivers/driver.ts'
import type { DriverName, Registration, RegistrationItem } from '../../registrations.ts'
import { itemsOf } from '../../registrations.ts'

type Status = NonNullable<ManagedClusterAddOn['status']>

export const kubeClientItem: Registration = { type: 'kubeClient' }
export const signerItem = (signerName = 'example.com/one'): Registration => ({
  type: 'customSigner',
  customSigner: { signerName },
})

export const anAddon = (name: string, status: Status = {}, age = 0): Stored<ManagedClusterAddOn> => ({
  apiVersion: 'addon.open-cluster-management.io/v1beta1',
  kind: 'ManagedClusterAddOn',
  metadata: {
    name,
    namespace: 'west',
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, age)).toISOString(),
  },
  spec: {},
  status,
})

export function anItem(registration = kubeClientItem, addon = 'chart'): RegistrationItem {
  const [item] = itemsOf(anAddon(addon, { registrations: [registration] }))
  if (!item) throw new Error('this is no item')
  return item
}

export interface FakeDriver extends AgentDriver {
  /** Those that run. */
  readonly running: Set<CredentialOptions>
  readonly pokes: string[]
}

/** Declares its name as the user. What its credentials report is up to the test. */
export function fakeDriver(name: DriverName): FakeDriver {
  const running = new Set<CredentialOptions>()
  const pokes: string[] = []
  return {
    name,
    running,
    pokes,
    declaration: ({ type, addon }) => ({
      ...(type === 'kubeClient' && { driver: name }),
      subject: { user: `${name}:${addon}` },
    }),
    credential: (options) => ({
      async run(signal) {
        running.add(options)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
        running.delete(options)
      },
      poke: () => void pokes.push(options.item.secret.name),
    }),
  }
}
