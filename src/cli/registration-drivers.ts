import { failures } from './failures.ts'

const ready = ['csr']
/** What brings each. `aws-irsa` is the seed's word, `awsirsa` that of the field. */
const later: Readonly<Record<string, string>> = {
  awsirsa: 'the join by AWS IAM',
  'aws-irsa': 'the join by AWS IAM',
  grpc: 'the join by gRPC',
}

/** Throws unless this version has every driver that is asked for. */
export function checkDrivers(drivers: readonly string[], flag: string): void {
  const known = ready.join(', ')
  for (const driver of drivers) {
    const work = Object.hasOwn(later, driver) ? later[driver] : undefined
    if (work !== undefined) throw failures.DRIVER_LATER({ driver, flag, known, work })
    const all = [...ready, ...Object.keys(later)].join(', ')
    if (!ready.includes(driver)) throw failures.DRIVER_UNKNOWN({ driver, flag, known: all })
  }
  if (drivers.length === 0) throw failures.DRIVER_UNKNOWN({ driver: '""', flag, known })
}

/** Throws for the first flag that was given and whose matter comes later. */
export function refuseLater(options: object, flags: Readonly<Record<string, string>>): void {
  for (const [option, flag] of Object.entries(flags))
    if (Reflect.get(options, option) !== undefined) throw failures.FLAG_LATER({ flag })
}
