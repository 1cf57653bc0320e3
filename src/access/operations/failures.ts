import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  ACCESS_URL_MISSING: [
    400,
    'it is not known where API servers find the hub; set access.url in lanyard.yaml, such as https://lanyard.example.com, or give --url',
  ],
  ACCESS_URL_INVALID: [
    400,
    '{url} is not where an API server can ask the hub; access.url begins with https:// and has neither a query nor a fragment',
  ],
})
