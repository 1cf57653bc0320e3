import * as Type from 'typebox'
import { accessSchema } from './access-schema.ts'
import { pullSecretsSchema } from './pull-secrets-schema.ts'
import { reachSchema } from './reach-schema.ts'

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** What `lanyard.yaml` may hold; also by LANYARD_… variables and by flags. */
export const configSchema = Type.Object({
  data: Type.String({
    default: '.lanyard',
    minLength: 1,
    description: 'Folder where everything local is kept. A relative path starts at the working folder.',
  }),
  kubeconfig: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Kubeconfig of a hub to work on. A relative path starts at the working folder.',
    }),
  ),
  context: Type.Optional(
    Type.String({ minLength: 1, description: 'Context of that kubeconfig. Absent: its current one.' }),
  ),
  namespace: Type.Optional(
    Type.String({ minLength: 1, description: 'Where leases are held on the hub. Absent: that of the context.' }),
  ),
  log: Type.Object(
    {
      level: Type.Union(
        levels.map((level) => Type.Literal(level)),
        { default: 'warn', description: 'The least that is logged, on standard error.' },
      ),
    },
    { default: {}, description: 'What is logged.' },
  ),
  reach: reachSchema,
  access: accessSchema,
  pullSecrets: pullSecretsSchema,
})
