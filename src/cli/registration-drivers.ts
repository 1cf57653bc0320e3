import type { DriverName } from '../registration/drivers/driver.ts'
import { failures } from './failures.ts'

/** Every word for a driver of this version. `aws-irsa` is the seed's, `awsirsa` that of the field. */
const ready: Readonly<Record<string, Exclude<DriverName, 'grpc'>>> = {
  csr: 'csr',
  awsirsa: 'awsirsa',
  'aws-irsa': 'awsirsa',
}
/** What brings each. */
const later: Readonly<Record<string, string>> = { grpc: 'the join by gRPC' }

export type RegistrationDriver = (typeof ready)[string]

/** Each once, by the one name that it has here. Throws unless this version has every driver that is asked for. */
export function driversOf(words: readonly string[], flag: string): RegistrationDriver[] {
  const known = Object.keys(ready).join(', ')
  if (words.length === 0) throw failures.DRIVER_UNKNOWN({ driver: '""', flag, known })
  const drivers = words.map((driver) => {
    const work = Object.hasOwn(later, driver) ? later[driver] : undefined
    if (work !== undefined) throw failures.DRIVER_LATER({ driver, flag, known, work })
    const found = Object.hasOwn(ready, driver) ? ready[driver] : undefined
    const all = [...Object.keys(ready), ...Object.keys(later)].join(', ')
    if (!found) throw failures.DRIVER_UNKNOWN({ driver, flag, known: all })
    return found
  })
  return [...new Set(drivers)]
}

export const driverOf = (word: string, flag: string): RegistrationDriver => driversOf([word], flag)[0] ?? 'csr'

/** Throws for the first flag that was given and whose matter comes later. */
export function refuseLater(options: object, flags: Readonly<Record<string, string>>): void {
  for (const [option, flag] of Object.entries(flags))
    if (Reflect.get(options, option) !== undefined) throw failures.FLAG_LATER({ flag })
}
