import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Exception } from './audit.ts'
import { advisoriesIn, exceptionsIn, judge } from './audit.ts'

const today = '2026-11-19'

/** As npm 11 prints it: a critical advisory, a package that is vulnerable by it, and a moderate one. */
const answered = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    'form-data': {
      name: 'form-data',
      severity: 'critical',
      isDirect: false,
      via: [
        {
          source: 1106509,
          name: 'form-data',
          dependency: 'form-data',
          title: 'form-data uses unsafe random function in form-data for choosing boundary',
          url: 'https://github.com/advisories/GHSA-fjxv-7rqg-78g4',
          severity: 'critical',
          cwe: ['CWE-330'],
          cvss: { score: 0, vectorString: null },
          range: '>=4.0.0 <4.0.4',
        },
      ],
      effects: ['axios'],
      range: '4.0.0 - 4.0.3',
      nodes: ['node_modules/form-data'],
      fixAvailable: true,
    },
    axios: { name: 'axios', severity: 'critical', isDirect: true, via: ['form-data'], effects: [], fixAvailable: true },
    'brace-expansion': {
      name: 'brace-expansion',
      severity: 'moderate',
      isDirect: false,
      via: [
        {
          source: 1105443,
          name: 'brace-expansion',
          title: 'brace-expansion Regular Expression Denial of Service vulnerability',
          url: 'https://github.com/advisories/GHSA-v6h2-p8h4-qcjw',
          severity: 'moderate',
          range: '>=1.0.0 <=1.1.11',
        },
      ],
      effects: [],
    },
  },
  metadata: { vulnerabilities: { info: 0, low: 0, moderate: 1, high: 0, critical: 2, total: 3 } },
})

const withoutAny = JSON.stringify({ auditReportVersion: 2, vulnerabilities: {}, metadata: {} })

/** As npm 11 prints it where a registry has no such endpoint. */
const refused = JSON.stringify({
  message: '405 Method Not Allowed - POST https://registry.example.com/-/npm/v1/security/advisories/bulk',
  method: 'POST',
  statusCode: 405,
  body: '',
  error: { summary: '', detail: '' },
})

const exception: Exception = {
  advisory: 'GHSA-fjxv-7rqg-78g4',
  reason: 'only in a tool of the tests',
  until: '2026-12-31',
}

test('F19d: a new critical vulnerability fails, others are reported', () => {
  const { fails, lines } = judge(advisoriesIn(answered), [], today)
  assert.equal(fails, true)
  assert.deepEqual(lines, [
    '✖ critical: form-data, form-data uses unsafe random function in form-data for choosing boundary (GHSA-fjxv-7rqg-78g4)',
    '… moderate: brace-expansion, brace-expansion Regular Expression Denial of Service vulnerability (GHSA-v6h2-p8h4-qcjw)',
  ])
  const moderate = advisoriesIn(answered)?.filter(({ severity }) => severity !== 'critical')
  assert.equal(judge(moderate, [], today).fails, false)
  assert.deepEqual(judge(advisoriesIn(withoutAny), [], today), { fails: false, lines: ['✔ no known vulnerability'] })
})

test('F19e: an exception holds to the end of its day, and fails from then on, whatever the registry says', () => {
  const on = (day: string, printed = answered) => judge(advisoriesIn(printed), [exception], day)
  assert.equal(on(today).fails, false)
  assert.match(on(today).lines[0] ?? '', /; excepted until 2026-12-31: only in a tool of the tests$/)
  assert.equal(on('2026-12-31').fails, false)
  for (const printed of [answered, withoutAny, refused]) {
    const { fails, lines } = on('2027-01-01', printed)
    assert.equal(fails, true)
    assert.match(lines[0] ?? '', /^✖ the exception for GHSA-fjxv-7rqg-78g4 ended on 2026-12-31/)
  }
  assert.match(on(today, withoutAny).lines[0] ?? '', /GHSA-fjxv-7rqg-78g4 can go/)
})

test('F19f: a registry that does not answer is reported, and is no failure', () => {
  for (const printed of [refused, '', '<html>no</html>', 'null', '[]']) {
    const verdict = judge(advisoriesIn(printed), [exception], today)
    assert.deepEqual(verdict, { fails: false, lines: ['… not answered: this registry knows of no advisories'] })
  }
})

test('F19g: the list of exceptions is one of entries with a reason and a day', () => {
  assert.deepEqual(exceptionsIn(JSON.stringify([exception])), [exception])
  for (const wrong of [{ until: '31.12.2026' }, { until: '2026-02-45' }, { reason: '' }, { advisory: undefined }])
    assert.throws(() => exceptionsIn(JSON.stringify([{ ...exception, ...wrong }])), /needs advisory, reason and until/)
  exceptionsIn(readFileSync(`${import.meta.dirname}/audit-exceptions.json`, 'utf8'))
})
