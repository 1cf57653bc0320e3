import type { Checker, EngineType } from './engine.ts'

/** What the parameters of an overload have turned out to be. */
type Bindings = Map<string, EngineType>

const isAnything = ({ kind }: EngineType): boolean => kind === 'dyn'
/** Of these null may take the place. */
const isNullable = ({ kind, name }: EngineType): boolean => kind === 'message' || kind === 'optional' || name === 'null'

/** Whether a value of the actual type may be given where the declared one is asked for. */
export function isAssignable(declared: EngineType, actual: EngineType, bindings: Bindings = new Map()): boolean {
  if (declared.kind === 'param') return isBindable(declared.name, actual, bindings)
  if (actual.kind === 'param' || isAnything(declared) || isAnything(actual)) {
    bindAll(declared, bindings)
    return true
  }
  if (actual.name === 'null') return isNullable(declared)
  if (declared.name === 'null') return isNullable(actual)
  if (declared.kind !== actual.kind) return false
  if (declared.kind === 'primitive' || declared.kind === 'message') return declared.name === actual.name
  return (
    areAssignable(declared.keyType, actual.keyType, bindings) &&
    areAssignable(declared.valueType, actual.valueType, bindings)
  )
}

const areAssignable = (declared: EngineType | undefined, actual: EngineType | undefined, bindings: Bindings): boolean =>
  declared === undefined || actual === undefined || isAssignable(declared, actual, bindings)

function isBindable(name: string, actual: EngineType, bindings: Bindings): boolean {
  const known = bindings.get(name)
  if (known === undefined || known.kind === 'param') {
    bindings.set(name, actual)
    return true
  }
  if (!isAssignable(known, actual)) return false
  if (isLessSpecific(actual, known)) bindings.set(name, actual)
  return true
}

const anything: EngineType = { kind: 'dyn', name: 'dyn' }

/** Parameters within a type that anything was given for can be anything too. */
function bindAll(declared: EngineType, bindings: Bindings): void {
  if (declared.kind === 'param') bindings.set(declared.name, bindings.get(declared.name) ?? anything)
  for (const inner of [declared.keyType, declared.valueType]) if (inner) bindAll(inner, bindings)
}

function isLessSpecific(one: EngineType, other: EngineType): boolean {
  if (isAnything(one)) return true
  if (one.kind !== other.kind || isAnything(other)) return false
  return [
    [one.keyType, other.keyType],
    [one.valueType, other.valueType],
  ].every(([left, right]) => left === undefined || right === undefined || left === right || isLessSpecific(left, right))
}

/** Whether they are one type, as far as it is known. */
export function isSameType(one: EngineType, other: EngineType): boolean {
  if (one.kind === 'param' || other.kind === 'param' || one === other) return true
  if (one.kind !== other.kind || one.valueType === undefined) return false
  return [
    [one.keyType, other.keyType],
    [one.valueType, other.valueType],
  ].every(([left, right]) => left === undefined || right === undefined || isSameType(left, right))
}

/** Of two types that go together the one that says less. */
export const mostGeneral = (one: EngineType, other: EngineType): EngineType =>
  one.kind === 'param' ? other : isLessSpecific(other, one) ? other : one

/** A declared type with what its parameters have turned out to be. */
export function bound(type: EngineType, bindings: Bindings, checker: Checker): EngineType {
  const { registry } = checker
  if (type.kind === 'param') {
    const known = bindings.get(type.name)
    return known === undefined ? type : isAnything(known) ? checker.getType('dyn') : known
  }
  if (type.kind === 'list' && type.valueType) return registry.getListType(bound(type.valueType, bindings, checker))
  if (type.kind === 'optional' && type.valueType)
    return registry.getOptionalType(bound(type.valueType, bindings, checker))
  if (type.kind === 'map' && type.keyType && type.valueType)
    return registry.getMapType(bound(type.keyType, bindings, checker), bound(type.valueType, bindings, checker))
  return type
}

const shortNames: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
}

/** As Kubernetes writes a type: `list(string)`, `map(string, int)`, `optional_type(dyn)`. */
export function typeWords(type: EngineType): string {
  if (type.name === '!error!') return type.name
  if (type.kind === 'param' || type.kind === 'dyn') return 'dyn'
  const inner = [type.keyType, type.valueType].filter((one) => one !== undefined).map(typeWords)
  if (type.kind === 'optional') return `optional_type(${inner})`
  if (type.kind === 'list' || type.kind === 'map') return `${type.kind}(${inner.join(', ')})`
  return shortNames[type.name] ?? type.name
}
