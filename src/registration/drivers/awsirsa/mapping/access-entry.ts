import { isFailure } from '../../../../core/failure.ts'
import type { AccessEntry, Eks } from '../clients/ports.ts'
import type { Mappings } from './mapping.ts'
import type { Mode } from './mode.ts'

/** Access entries of the hub's EKS cluster. */
export const accessEntries = (eks: Eks, mode: Mode): Mappings => ({
  kind: 'access-entry',
  async find(roleArn) {
    const entry = await orNoneInMode(mode, eks.findAccessEntry(roleArn))
    if (!entry) return undefined
    const { username, groups, tags, type, createdAt: madeAt } = entry
    return { kind: 'access-entry', username, groups, tags, madeAt, isUnfit: type !== 'STANDARD' }
  },
  async put(principalArn, { username, groups }, tags, found) {
    if (found) await eks.updateAccessEntry({ principalArn, username, groups })
    else await eks.createAccessEntry({ principalArn, username, groups, tags })
  },
  async tag(roleArn, tags) {
    const entry = await eks.findAccessEntry(roleArn)
    if (entry) await eks.tagAccessEntry(entry.arn, tags)
  },
  remove: (roleArn) => eks.deleteAccessEntry(roleArn),
})

/** In the mode CONFIG_MAP there are none, and EKS calls the question invalid. An old record may make us ask. */
async function orNoneInMode(mode: Mode, asked: Promise<AccessEntry | undefined>): Promise<AccessEntry | undefined> {
  try {
    return await asked
  } catch (error) {
    if (!isFailure(error, 'AWS_INVALID')) throw error
    mode.forget()
    if ((await mode.kind()) === 'aws-auth') return undefined
    throw error
  }
}
