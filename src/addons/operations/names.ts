import { failures } from './failures.ts'

const isLabel = (name: string): boolean => name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)

export function checkAddonName(name: string): void {
  if (!isLabel(name)) throw failures.ADDON_NAME_INVALID({ name: JSON.stringify(name) })
}

export function checkPlace(what: 'cluster' | 'namespace', name: string): void {
  if (!isLabel(name)) throw failures.ADDON_PLACE_INVALID({ what, name: JSON.stringify(name) })
}
