import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STYLE } from '../../../src/cli/report/html/style.ts';

type Palette = Readonly<Record<string, string>>;
type Rgb = readonly [red: number, green: number, blue: number];

const variables = (css: string): Palette =>
  Object.fromEntries([...css.matchAll(/--([\w-]+):(#[0-9a-f]+)/g)].map(([, name = '', colour = '']) => [name, colour]));
const light = variables(/:root\{color-scheme[^}]*\}/.exec(STYLE)?.[0] ?? '');
const dark = { ...light, ...variables(/dark\)\{:root\{[^}]*\}/.exec(STYLE)?.[0] ?? '') };
const SCHEMES: Readonly<Record<string, Palette>> = { light, dark };

/** Linear light, 0 … 1 (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance). */
function linear(colour: string | undefined): Rgb {
  assert.ok(colour !== undefined);
  const full = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

const luminance = ([red, green, blue]: Rgb): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

function contrast(a: Rgb, b: Rgb): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const WORDS: readonly (readonly [ink: string, grounds: readonly string[]])[] = [
  ['ink', ['page', 'card', 'soft', 'good-soft', 'bad-soft', 'warn-soft']],
  ['quiet', ['page', 'card']],
  ['good', ['card', 'good-soft']],
  ['bad', ['card', 'bad-soft']],
  ['warn', ['card', 'warn-soft']],
  ['blue', ['card']],
  ['d1-ink', ['d1']],
  ['d2-ink', ['d2']],
  ['d3-ink', ['d3']],
];

test('words have a contrast of 4.5 on every ground, light and dark', () => {
  for (const [scheme, palette] of Object.entries(SCHEMES)) {
    for (const [ink, grounds] of WORDS) {
      for (const ground of grounds) {
        const found = contrast(linear(palette[ink]), linear(palette[ground]));
        assert.ok(found >= 4.5, `${scheme}: ${ink} on ${ground} is ${found.toFixed(2)}`);
      }
    }
  }
});

/** How dichromats see linear light: Viénot, Brettel and Mollon 1999, with sRGB primaries. */
const EYES: Readonly<Record<string, (colour: Rgb) => Rgb>> = {
  trichromat: (colour) => colour,
  protanope: ([red, green, blue]) => [0.11238 * red + 0.88762 * green, 0.11238 * red + 0.88762 * green, 0.00401 * red - 0.00401 * green + blue],
  deuteranope: ([red, green, blue]) => [0.29275 * red + 0.70725 * green, 0.29275 * red + 0.70725 * green, -0.02234 * red + 0.02234 * green + blue],
  achromat: (colour) => [luminance(colour), luminance(colour), luminance(colour)],
};

test('the steps of the map differ in lightness for every eye', () => {
  for (const [scheme, palette] of Object.entries(SCHEMES)) {
    for (const [name, seen] of Object.entries(EYES)) {
      const [equal, one, several, many] = ['eq', 'd1', 'd2', 'd3'].map((step) => seen(linear(palette[step])));
      assert.ok(equal !== undefined && one !== undefined && several !== undefined && many !== undefined);
      for (const [lower, higher] of [
        [equal, one],
        [one, several],
        [several, many],
      ] as const) {
        const found = contrast(lower, higher);
        assert.ok(found >= 1.25, `${scheme}, ${name}: two steps have a contrast of ${found.toFixed(2)}`);
      }
    }
  }
});
