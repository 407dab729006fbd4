import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equalDecimals } from '../../../src/core/verify/decimal.ts';
import { runs } from '../../support/property-runs.ts';

/** The oracle: both texts as integers at one common scale. Shares nothing with the code under test. */
function sameByScaling(left: string, right: string): boolean {
  const scale = 60;
  return scaled(left, scale) === scaled(right, scale);
}

function scaled(text: string, scale: number): bigint {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.');
  const shift = scale + Number(power) - fraction.length;
  const value = BigInt(whole + fraction) * 10n ** BigInt(shift);
  return text.startsWith('-') ? -value : value;
}

const digits = fc.stringMatching(/^[0-9]{1,12}$/);
const decimal = fc
  .record({ sign: fc.constantFrom('', '-'), whole: digits, fraction: fc.option(digits), power: fc.option(fc.integer({ min: -20, max: 20 })) })
  .map(({ sign, whole, fraction, power }) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : `e${power}`}`);

/** The same value written otherwise. */
const respelled = fc.tuple(decimal, fc.integer({ min: 0, max: 8 })).map(([text, zeros]) => {
  const [mantissa = '', power = '0'] = text.split('e');
  const dotted = mantissa.includes('.') ? mantissa : `${mantissa}.`;
  return [text, `${dotted}${'0'.repeat(zeros + 1)}E${power}`] as const;
});

test('any two decimals are equal exactly if an independent comparison says so', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => equalDecimals(a, b) === sameByScaling(a, b)),
    runs(2000),
  );
});

test('the same value in another spelling is equal, and the next one in the last place is not', () => {
  fc.assert(
    fc.property(respelled, ([text, other]) => {
      assert.equal(sameByScaling(text, other), true);
      assert.equal(equalDecimals(text, other), true);
      assert.equal(equalDecimals(text, other.replace(/0E/, '1E')), false);
    }),
    runs(1000),
  );
});

test('digits beyond a double count', () => {
  assert.equal(equalDecimals('9007199254740993', '9007199254740992'), false);
  assert.equal(equalDecimals('12.90', '12.899999'), false);
  assert.equal(equalDecimals('0.1', '0.10000000000000000555'), false);
  assert.equal(equalDecimals('1e400', `1${'0'.repeat(400)}`), true);
  assert.equal(equalDecimals('1e99999999999999999999', '1e99999999999999999998'), false);
});

test('zero has one value, and what is no decimal equals only itself', () => {
  assert.equal(equalDecimals('-0', '0.000e7'), true);
  assert.equal(equalDecimals('NaN', '0'), false);
  assert.equal(equalDecimals('NaN', 'NaN'), true);
});
