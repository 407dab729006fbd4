import { formatBytes, formatCount, formatDuration } from '../../config/quantity.ts';
import type { IndexReport, TimelineSample } from '../report-schema.ts';
import { type Html, html, NOTHING } from './markup.ts';

/** The drawing's own units; it is stretched to the width there is, and words stand outside, so that nothing gets too small to read. */
const WIDTH = 1000;
const HEIGHT = 100;

interface Plot {
  readonly title: string;
  readonly unit: (value: number) => string;
  readonly values: readonly number[];
  readonly bars: boolean;
}

/** When each phase ran, and what happened meanwhile: docs/s, lag, slot WAL, retries over the time of the run. */
export function timeline(run: IndexReport): Html {
  if (run.phases.length === 0) return NOTHING;
  const samples = run.timeline;
  const column = (read: (sample: TimelineSample) => number | string) => samples.map((sample) => Number(read(sample)));
  const bytes = (value: number) => formatBytes(Math.round(value));
  const all: readonly Plot[] = [
    { title: 'Documents per second', unit: formatCount, values: column(({ docsPerSecond }) => docsPerSecond), bars: false },
    { title: 'Replay lag', unit: bytes, values: column(({ lagBytes }) => lagBytes), bars: false },
    { title: 'WAL held back by the slot', unit: bytes, values: column(({ slotWalBytes }) => slotWalBytes), bars: false },
    { title: 'Retries', unit: formatCount, values: column(({ retries }) => retries), bars: true },
  ];
  const plots =
    samples.length < 3 ? html`<p class="quiet">Too short for plots.</p>` : html`<div class="plots">${all.map((plot) => figure(plot, run))}</div>`;
  return html`<h3>Timeline</h3>${phaseStrip(run)}${plots}`;
}

function phaseStrip(run: IndexReport): Html {
  const end = Math.max(1, run.durationMs);
  const bars = run.phases.map(({ phase, startedMs, durationMs }) => {
    const x = (startedMs / end) * WIDTH;
    const width = Math.max(3, ((durationMs ?? end - startedMs) / end) * WIDTH);
    return html`<rect class="ph ${phase}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="20"><title>${phase}</title></rect>`;
  });
  const rows = run.phases.map(({ phase, startedMs, durationMs, detail }) => {
    const ended = durationMs === null ? 'did not end' : formatDuration(durationMs);
    return html`<tr><th scope="row"><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class="ph ${phase}" width="10" height="10"/></svg> ${phase}</th><td class="number">+${formatDuration(startedMs)}</td><td class="number">${ended}</td><td class="detail">${detail}</td></tr>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${WIDTH} 20" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>
<table class="phases"><thead><tr><th scope="col">phase</th><th scope="col" class="number">begins</th><th scope="col" class="number">takes</th><th scope="col">&#160;</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function figure({ title, unit, values, bars }: Plot, run: IndexReport): Html {
  const most = Math.max(0, ...values);
  const top = most === 0 ? 1 : most;
  const xs = run.timeline.map(({ atMs }) => (atMs / Math.max(1, run.durationMs)) * WIDTH);
  const ys = values.map((value) => HEIGHT - (value / top) * (HEIGHT - 4));
  const shape = bars ? barShapes(xs, ys) : lineShapes(xs, ys);
  const total = bars ? `${unit(values.reduce((sum, value) => sum + value, 0))} in all` : `at most ${unit(most)}`;
  return html`<figure><figcaption><b>${title}</b> <span>${total}</span></figcaption>
<div class="frame"><span class="top">${unit(top)}</span><span class="base">0</span><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${total}">
${grid()}${phaseEdges(run)}${shape}</svg></div>
<div class="axis"><span>0</span><span>${formatDuration(run.durationMs / 2)}</span><span>${formatDuration(run.durationMs)}</span></div></figure>`;
}

function grid(): Html {
  return html`<path class="grid" d="M0 4H${WIDTH}M0 ${HEIGHT / 2 + 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}"/>`;
}

function phaseEdges({ phases, durationMs }: IndexReport): Html {
  const edges = phases.slice(1).map(({ startedMs }) => `M${((startedMs / Math.max(1, durationMs)) * WIDTH).toFixed(1)} 0V${HEIGHT}`);
  return html`<path class="edge" d="${edges.join('')}"/>`;
}

function lineShapes(xs: readonly number[], ys: readonly number[]): Html {
  const points = xs.map((x, at) => `${x.toFixed(1)} ${(ys[at] ?? HEIGHT).toFixed(1)}`);
  const [first = 0, last = 0] = [xs[0], xs.at(-1)];
  const line = `M${points.join('L')}`;
  return html`<path class="area" d="${line}L${last.toFixed(1)} ${HEIGHT}L${first.toFixed(1)} ${HEIGHT}Z"/><path class="line" d="${line}"/>`;
}

function barShapes(xs: readonly number[], ys: readonly number[]): Html {
  const width = Math.max(2, (WIDTH / Math.max(1, xs.length)) * 0.8);
  const bars = xs.flatMap((x, at) => {
    const y = ys[at] ?? HEIGHT;
    return y >= HEIGHT ? [] : [`M${(x - width).toFixed(1)} ${HEIGHT}V${y.toFixed(1)}h${width.toFixed(1)}V${HEIGHT}Z`];
  });
  return html`<path class="bars" d="${bars.join('')}"/>`;
}
