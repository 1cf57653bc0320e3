import { failures } from './failures.ts'

/** Kubernetes' names of controllers, each with the one it had before. */
export const controllerNames = {
  'serviceaccount-controller': 'serviceaccount',
  'serviceaccount-token-controller': 'serviceaccount-token',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'namespace-controller': 'namespace',
  'garbage-collector-controller': 'garbagecollector',
  'certificatesigningrequest-signing-controller': 'csrsigning',
  'certificatesigningrequest-approving-controller': 'csrapproving',
  'certificatesigningrequest-cleaner-controller': 'csrcleaner',
  'clusterrole-aggregation-controller': 'clusterrole-aggregation',
  'bootstrap-signer-controller': 'bootstrapsigner',
  'token-cleaner-controller': 'tokencleaner',
} as const

export type ControllerName = keyof typeof controllerNames

const names = Object.keys(controllerNames) as ControllerName[]

/** `*` is all, a name is one, a name with a minus all but that one; nothing is none. The last word on a name counts. */
export function selectedControllers(selection: readonly string[]): ControllerName[] {
  const words = selection.map((word) => word.trim()).filter((word) => word !== '')
  const isAll = words.includes('*')
  const chosen = new Map<ControllerName, boolean>()
  for (const word of words) if (word !== '*') chosen.set(nameOf(word.replace(/^-/, '')), !word.startsWith('-'))
  return names.filter((name) => chosen.get(name) ?? isAll)
}

function nameOf(word: string): ControllerName {
  const found = names.find((name) => name === word || controllerNames[name] === word)
  if (!found) throw failures.CONTROLLER_UNKNOWN({ name: word, known: names.join(', ') })
  return found
}
