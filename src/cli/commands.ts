import type { Command } from 'commander'
import type { Stop } from './stop-signal.ts'

type Make = (stop: Stop) => Command

/** Every command by its name, in the order that the help has. A process loads the one it was started for. */
const commands: Readonly<Record<string, () => Promise<Make>>> = {
  up: async () => (await import('./up.ts')).upCommand,
  kube: async () => (await import('./kube.ts')).kubeCommand,
  init: async () => (await import('./init.ts')).initCommand,
  token: async () => (await import('./token.ts')).tokenCommand,
  join: async () => (await import('./join.ts')).joinCommand,
  accept: async () => (await import('./accept.ts')).acceptCommand,
  deny: async () => (await import('./deny.ts')).denyCommand,
  unjoin: async () => (await import('./unjoin.ts')).unjoinCommand,
  get: async () => (await import('./get.ts')).getCommand,
  describe: async () => (await import('./describe.ts')).describeCommand,
  addon: async () => (await import('./addon.ts')).addonCommand,
  reach: async () => (await import('./reach.ts')).reachCommand,
  access: async () => (await import('./access.ts')).accessCommand,
  'pull-secrets': async () => (await import('./pull-secrets.ts')).pullSecretsCommand,
  aws: async () => (await import('./aws.ts')).awsCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  hub: async () => (await import('./hub.ts')).hubCommand,
  agent: async () => (await import('./agent.ts')).agentCommand,
  operator: async () => (await import('./operator.ts')).operatorCommand,
  deploy: async () => (await import('./deploy.ts')).deployCommand,
}

/** The command that these arguments name; all of them where they name none, for the help and for what is misspelt. */
export async function commandsFor([name = '', part]: readonly string[]): Promise<Make[]> {
  // A client of Kubernetes waits for a token whenever it starts: not even its neighbours are loaded for one.
  if (name === 'aws' && part === 'token') return [(await import('./aws-token.ts')).awsTokenAlone]
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined
  return await Promise.all(named ? [named()] : Object.values(commands).map((load) => load()))
}
