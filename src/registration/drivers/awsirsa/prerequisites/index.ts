import { asCloudFormation } from './cloudformation.ts'
import { asJson } from './json.ts'
import type { NeededRole } from './roles.ts'
import { asTerraform } from './terraform.ts'

export type { NeededRole } from './roles.ts'
export { clusterPrerequisites, hubPrerequisites, parseOidcProvider } from './roles.ts'

export const prerequisiteFormats = {
  json: asJson,
  terraform: asTerraform,
  cloudformation: asCloudFormation,
} as const satisfies Record<string, (role: NeededRole) => string>

export type PrerequisiteFormat = keyof typeof prerequisiteFormats
