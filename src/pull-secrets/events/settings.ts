import type { Static } from 'typebox'
import * as Type from 'typebox'
import { secretSetting } from '../../core/config.ts'

const text = (description: string) => Type.String({ minLength: 1, description })

/** The section `pullSecrets.events`. */
export const eventSettings = Type.Object(
  {
    source: Type.String({
      default: 'hyperfleet-pull-secrets',
      minLength: 1,
      description: 'The source attribute of our CloudEvents.',
    }),
    httpUrl: Type.Optional(text('Where events are posted to, in structured mode. Absent: nowhere.')),
    httpCaFile: Type.Optional(text('Who vouches for it, PEM.')),
    rabbitmq: Type.Object(
      {
        url: Type.Optional(secretSetting({ description: 'URL of the broker, with user and password. Absent: none.' })),
        caFile: Type.Optional(text('Who vouches for the broker, PEM.')),
        exchange: Type.String({ default: 'hyperfleet', minLength: 1, description: 'A topic exchange.' }),
        queue: Type.Optional(text('Events are taken from this queue. Absent: none are.')),
        deadLetterExchange: Type.Optional(text('Of the queue, with declare. Absent: what fails for good is dropped.')),
        declare: Type.Boolean({ default: false, description: 'Makes exchange and queue where they are missing.' }),
        prefetch: Type.Integer({ default: 16, minimum: 1, maximum: 1_000, description: 'Events at once.' }),
      },
      { default: {}, description: 'Events over RabbitMQ.' },
    ),
  },
  { default: {}, description: 'CloudEvents in and out.' },
)

/** The section `pullSecrets.status`. */
export const statusSettings = Type.Object(
  {
    apiUrl: Type.Optional(
      text('The HyperFleet API that reports go to, with its path `/api/hyperfleet/v1`. Absent: none go out.'),
    ),
    tokenFile: Type.Optional(text('A file with a bearer token for it, read for each report.')),
    caFile: Type.Optional(text('Who vouches for it, PEM.')),
  },
  { default: {}, description: 'Reports of what became of each pull secret.' },
)

export type EventSettings = Static<typeof eventSettings>
export type StatusSettings = Static<typeof statusSettings>
