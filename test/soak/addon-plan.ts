import type { DriverName } from '../../src/addons/registrations.ts'
import type { CheckpointName } from '../../src/core/checkpoint.ts'

export const phases = ['enable', 'renew', 'disable'] as const
export type Phase = (typeof phases)[number]
type Kills = Record<Phase, CheckpointName[]>

/** Where the two processes are killed for one add-on, phase by phase. */
export interface AddonPlan {
  driver: DriverName
  agent: Kills
  hub: Kills
}

const asked: CheckpointName[] = ['addon.declared', 'addon.secret-recorded']
const certified: CheckpointName[] = [
  'addon-csr.pending-saved',
  'addon-csr.csr-created',
  'addon-csr.certificate-received',
  'addon-csr.identity-saved',
]
const tokened: CheckpointName[] = ['addon-token.requested', 'addon-token.stored', 'addon-token.reported']
const accounted: CheckpointName[] = [
  'addon-token.account-made',
  'addon-token.role-made',
  'addon-token.binding-made',
  'addon-token.announced',
]

/** What the processes pass by in each phase. */
const flows: Record<DriverName, { agent: Kills; hub: Kills }> = {
  token: {
    agent: { enable: [...asked, ...tokened], renew: tokened, disable: ['addon.secret-removed'] },
    hub: {
      enable: accounted,
      renew: ['addon-token.account-made', 'addon-token.announced'],
      disable: ['addon-token.part-removed'],
    },
  },
  csr: {
    agent: { enable: [...asked, ...certified], renew: certified, disable: ['addon.secret-removed'] },
    hub: { enable: ['addon-csr.approved'], renew: ['addon-csr.approved'], disable: [] },
  },
}

export const addonCheckpoints: readonly CheckpointName[] = [
  ...new Set(
    Object.values(flows).flatMap(({ agent, hub }) =>
      [agent, hub].flatMap((kills) => phases.flatMap((phase) => kills[phase])),
    ),
  ),
]

const longest = Math.max(...Object.values(flows).map(({ agent }) => agent.enable.length))
/** So many rounds pass by every checkpoint: every other one is by token. */
export const roundsForAll = 2 * longest

export function planOf(round: number): AddonPlan {
  const driver = round % 2 === 0 ? 'token' : 'csr'
  const turn = Math.floor(round / 2)
  const inTurn = (names: readonly CheckpointName[]) => names.slice(turn % Math.max(1, names.length)).slice(0, 1)
  // There is only one place in it: every other time will do.
  const disabling = (names: readonly CheckpointName[]) => (turn % 2 === 0 ? inTurn(names) : [])
  const kills = (of: Kills): Kills => ({
    enable: inTurn(of.enable),
    renew: inTurn(of.renew),
    disable: disabling(of.disable),
  })
  return { driver, agent: kills(flows[driver].agent), hub: kills(flows[driver].hub) }
}

export const inOrder = (kills: Kills): CheckpointName[] => phases.flatMap((phase) => kills[phase])
