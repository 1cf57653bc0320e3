import { createHash } from 'node:crypto'

/** What at most one session at a time may live for. */
export interface SlotOf {
  readonly cluster: string
  readonly user: string
  readonly grantedGroup: string
}

/** The value of the label `sessionLabels.slot`: 16 hexadecimal digits. Names hold no control characters. */
export const slotOf = ({ cluster, user, grantedGroup }: SlotOf): string =>
  createHash('sha256').update([cluster, user, grantedGroup].join('\u0000')).digest('hex').slice(0, 16)

export const isOfSlot = (a: SlotOf, b: SlotOf): boolean =>
  a.cluster === b.cluster && a.user === b.user && a.grantedGroup === b.grantedGroup

const longestName = 253
const longestLabel = 63

/** `<cluster>-<group>-<slot>-<n>`: of all who would make the n-th session of a slot, the API server lets one. */
export function sessionName(of: SlotOf, n: number): string {
  const tail = `-${slotOf(of)}-${n}`
  const head = `${dnsPart(of.cluster)}-${dnsPart(of.grantedGroup)}`.slice(0, longestName - tail.length)
  return `${head.replace(/[-.]+$/, '')}${tail}`.replace(/^-+/, '')
}

/** The n of a name that `sessionName` made for this slot; 0 for any other. */
export function numberOf(name: string, slot: string): number {
  const [, digits] = new RegExp(`-?${slot}-([1-9]\\d{0,14})$`).exec(name) ?? []
  return digits === undefined ? 0 : Number(digits)
}

const dnsPart = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** What a label can hold of a text. To find things by what they are, look at their fields. */
export const labelValue = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .slice(0, longestLabel)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
