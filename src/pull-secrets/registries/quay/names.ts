import { isSafeSegment } from '../http/index.ts'

const houseRule = /^[a-z0-9_]{1,254}$/
/** Quay's own, for robots, teams and organizations. */
const quayRule = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/
const longestUsername = 255

/** What may stand in a path. Looser than what we make: it also has to name what others made. */
export const nameRule = /^(?=.{2,255}$)[a-z0-9]+(?:[._-][a-z0-9]+)*$/
/** `org+short`, as a member of a team. */
export const memberRule = /^(?=.{3,255}$)[a-z0-9]+(?:[._-][a-z0-9]+)*\+[a-z0-9]+(?:[._-][a-z0-9]+)*$/

export const isQuayName = (name: string): boolean => isSafeSegment(name, nameRule)

export interface QuayNameParts {
  org: string
  provider: string
  region: string
  /** Version 4. Its first 16 digits go in, of which one is fixed: 60 random bits. */
  uuid: string
  /** Default 254. */
  longest?: number
}

/** The short name of a cluster's robot; undefined when these parts make no legal one. */
export function robotName({ org, provider, region, uuid, longest = 254 }: QuayNameParts): string | undefined {
  const random = uuid.replaceAll('-', '').slice(0, 16)
  const name = ['hyperfleet', provider, region.replace(/[-.]/g, ''), random]
    .join('_')
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '')
    .replace(/^[^a-z0-9]/, '0')
    .replace(/__+/g, '_')
  const isLegal = houseRule.test(name) && quayRule.test(name) && name.length >= 2 && name.length <= longest
  return isLegal && usernameOf(org, name).length <= longestUsername ? name : undefined
}

/** Robots of the pool are made for no cluster, and keep their names: Quay renames nothing. */
export const pooledRobotName = (org: string, uuid: string): string | undefined =>
  robotName({ org, provider: 'multi', region: 'global', uuid })

export const usernameOf = (org: string, name: string): string => `${org}+${name}`
