import { failures } from './failures.ts'

const ready = ['csr']
/** `aws-irsa` is the seed's word, `awsirsa` that of the field. */
const later = ['awsirsa', 'aws-irsa', 'grpc']

/** Throws unless this version has every driver that is asked for. */
export function checkDrivers(drivers: readonly string[], flag: string): void {
  const known = ready.join(', ')
  for (const driver of drivers) {
    if (later.includes(driver)) throw failures.DRIVER_LATER({ driver, flag, known })
    if (!ready.includes(driver)) throw failures.DRIVER_UNKNOWN({ driver, flag, known: [...ready, ...later].join(', ') })
  }
  if (drivers.length === 0) throw failures.DRIVER_UNKNOWN({ driver: '""', flag, known })
}

/** Throws for the first flag that was given and whose matter comes later. */
export function refuseLater(options: object, flags: Readonly<Record<string, string>>): void {
  for (const [option, flag] of Object.entries(flags))
    if (Reflect.get(options, option) !== undefined) throw failures.FLAG_LATER({ flag })
}
