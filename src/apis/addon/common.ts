import * as Type from 'typebox'

/** Which resource a configuration is: all kinds and versions speak of it alike. */
export const configKind = {
  group: Type.Optional(Type.String({ default: '', description: 'Its API group; empty for the core one.' })),
  resource: Type.String({ minLength: 1, description: 'Its resource, in the plural.' }),
}

export const configName = {
  name: Type.String({ minLength: 1, description: 'Its name.' }),
  namespace: Type.Optional(Type.String({ description: 'Its namespace, where it is in one.' })),
}

export const configAt = (description: string) =>
  Type.Optional(
    Type.Object(
      { ...configName, specHash: Type.Optional(Type.String({ description: 'The hash of its spec, then.' })) },
      { description },
    ),
  )

export const AddOnMeta = Type.Object(
  {
    displayName: Type.Optional(Type.String({ description: 'Its name for people.' })),
    description: Type.Optional(Type.String({ description: 'What it does.' })),
  },
  { description: 'How it is shown to people.' },
)
