export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LineChart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Rows grow by factors, seconds do not. */
  readonly logX: boolean;
  readonly series: readonly Series[];
}

const [WIDTH, HEIGHT] = [640, 300];
const BOX = { left: 64, right: 16, top: 44, bottom: 44 };
const COLOURS = ['#1f6fb4', '#c8553d', '#3a8a4d'];
const DASHES = ['', '6 3', '2 3'];
const Y_TICKS = 4;

/** A chart of at most three series as SVG, readable on white and on black; the y axis begins at 0. */
export function lineChart(chart: LineChart): string {
  const points = chart.series.flatMap((series) => series.points);
  const xs = points.map(([x]) => x);
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const top = niceAbove(Math.max(...points.map(([, y]) => y)));
  const scale = (x: number): number => (chart.logX ? Math.log10(x) : x);
  const span = scale(high) - scale(low) || 1;
  const xAt = (x: number): number => BOX.left + ((scale(x) - scale(low)) / span) * (WIDTH - BOX.left - BOX.right);
  const yAt = (y: number): number => HEIGHT - BOX.bottom - (y / top) * (HEIGHT - BOX.top - BOX.bottom);
  const ticks = chart.logX ? [...new Set(xs)] : Array.from({ length: 6 }, (_, i) => low + ((high - low) * i) / 5);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${chart.title}" font-family="sans-serif" font-size="11" fill="#777">`,
    text(BOX.left, 18, chart.title, 'font-size="13" font-weight="bold"'),
    ...Array.from({ length: Y_TICKS + 1 }, (_, i) => horizontal((top * i) / Y_TICKS, yAt)),
    ...ticks.map((x) => text(xAt(x), HEIGHT - BOX.bottom + 16, short(x), 'text-anchor="middle"')),
    text(WIDTH / 2, HEIGHT - 8, chart.xLabel, 'text-anchor="middle"'),
    text(BOX.left, 34, chart.yLabel, ''),
    ...chart.series.map((series, i) => drawn(series, i, (point) => `${xAt(point[0]).toFixed(1)},${yAt(point[1]).toFixed(1)}`)),
    '</svg>',
    '',
  ].join('\n');
}

function horizontal(y: number, yAt: (y: number) => number): string {
  const at = yAt(y).toFixed(1);
  return `<line x1="${BOX.left}" x2="${WIDTH - BOX.right}" y1="${at}" y2="${at}" stroke="#999" stroke-opacity="0.4"/>${text(BOX.left - 6, Number(at) + 4, short(y), 'text-anchor="end"')}`;
}

function drawn({ name, points }: Series, i: number, at: (point: readonly [number, number]) => string): string {
  const colour = COLOURS[i % COLOURS.length];
  const dash = DASHES[i % DASHES.length] === '' ? '' : ` stroke-dasharray="${DASHES[i % DASHES.length]}"`;
  const line = `<polyline fill="none" stroke="${colour}" stroke-width="2"${dash} points="${points.map(at).join(' ')}"/>`;
  return line + text(WIDTH - BOX.right, 18 + i * 14, name, `text-anchor="end" style="fill:${colour}"`);
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${content}</text>`;
}

/** The next of 1, 2, 4, 5, 8 × 10ⁿ. */
function niceAbove(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 8].find((step) => step * power >= value) ?? 10) * power;
}

function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`;
  if (value >= 1e4) return `${Math.round(value / 1e3)}k`;
  return Number(value.toFixed(value < 10 ? 2 : 0)).toString();
}
