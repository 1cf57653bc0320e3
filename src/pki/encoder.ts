// The library reads metadata by a polyfill that has to come first.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

export { x509 }
