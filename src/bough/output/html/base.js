// Elements, numbers and words: what every other part of the page uses.
const PAGE = document, $ = id => PAGE.getElementById(id);
const { max, min, abs, floor, round, ceil, log, log10, log1p, sqrt } = Math, Floats = Float64Array, Ints = Int32Array, ROOT = PAGE.documentElement;
const NS = 'http://www.w3.org/2000/svg';
function add(e, kids) {
  for (const k of kids.flat(9)) if (k != null && k !== false) e.append(k instanceof Node ? k : String(k));
  return e;
}
// Text is set as text, attributes as attributes: nothing in the data can become markup.
function el(tag, props, ...kids) {
  const e = PAGE.createElement(tag);
  if (typeof props === 'string') props = { class: props };
  for (const [k, v] of Object.entries(props || {})) {
    if (v == null || v === false) continue;
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'vars') for (const [n, x] of Object.entries(v)) e.style.setProperty(n, x);
    else e.setAttribute(k, v === true ? '' : v);
  }
  return add(e, kids);
}
const span = (...kids) => el('span', null, ...kids), bold = (...kids) => el('b', null, ...kids);
const press = (id, on) => $(id).setAttribute('aria-pressed', String(on));
function sv(tag, attrs, ...kids) {
  const e = PAGE.createElementNS(NS, tag);
  if (typeof attrs === 'string') attrs = { class: attrs };
  for (const [k, v] of Object.entries(attrs || {})) if (v != null) e.setAttribute(k, typeof v === 'number' ? round(v * 100) / 100 : v);
  return add(e, kids);
}
const rect = (cls, x, y, width, height, rx) => sv('rect', { class: cls, x, y, width, height, rx });
const line = (cls, x1, y1, x2, y2) => sv('line', { class: cls, x1, y1, x2, y2 });
const mark = (x, y) => sv('path', { class: 'mark', d: `M${x},${y}l-4.5,-9h9z` });
const text = (cls, x, y, anchor, ...kids) => sv('text', { class: cls, x, y, 'text-anchor': anchor }, ...kids);

const NB = '\u202f';
const power = n => (n < 0 ? '⁻' : '') + [...String(abs(n))].map(d => '⁰¹²³⁴⁵⁶⁷⁸⁹'[+d]).join('');
function num(x, d = 3) {
  if (x == null || Number.isNaN(x)) return '–';
  const a = abs(x), minus = x < 0 ? '−' : '';
  if (a === Infinity) return minus + '∞';
  if (a && (a < 1e-4 || a >= 1e15)) {
    const e = floor(log10(a));
    return minus + +(a / 10 ** e).toPrecision(d) + ' × 10' + power(e);
  }
  const whole = a >= 1 ? floor(log10(a)) + 1 : 0;
  return (+x.toPrecision(max(d, min(whole, 17)))).toLocaleString('en-US', { maximumFractionDigits: 20 }).replace('-', '−');
}
const pct = s => s >= .995 && s < 1 ? (floor(1000 * s) / 10).toFixed(1) + NB + '%' : s > 0 && s < .005 ? '<' + NB + '1' + NB + '%' : round(100 * s) + NB + '%';
const pct1 = s => (100 * s).toFixed(1) + NB + '%';
const rows = n => num(n, 9) + (n === 1 ? ' row' : ' rows');
const list = (a, or = 'or') => a.length < 2 ? a.join('') : a.slice(0, -1).join(', ') + ' ' + or + ' ' + a[a.length - 1];
const sum = a => { let t = 0; for (const x of a) t += x; return t; };
const highest = a => { let b = 0; for (let k = 1; k < a.length; k++) if (a[k] > a[b]) b = k; return b; };
function pText(lg) {
  if (lg > -4) return String(+(10 ** lg).toPrecision(2));
  const e = floor(lg);
  return min(9.9, +(10 ** (lg - e)).toFixed(1)) + ' × 10' + power(e);
}

const pen = PAGE.createElement('canvas').getContext('2d');
const FONT = getComputedStyle(ROOT).getPropertyValue('--sans');
const wide = (t, size = 12.5, weight = 400) => { pen.font = `${weight} ${size}px ${FONT}`; return pen.measureText(t).width; };
function cutText(t, w, size, weight) {
  if (t.length > 400) t = t.slice(0, 400);
  if (wide(t, size, weight) <= w) return t;
  let lo = 0, hi = t.length;
  while (lo < hi) { const m = (lo + hi + 1) >> 1; wide(t.slice(0, m) + '…', size, weight) <= w ? lo = m : hi = m - 1; }
  return t.slice(0, lo).trimEnd() + '…';
}
// [text, weight] parts in at most `most` lines; null if they do not fit.
function wrap(parts, w, most) {
  const lines = [[]];
  let x = 0;
  for (const [t, weight] of parts) for (const word of t.split(' ').filter(Boolean)) {
    let ww = wide(word, 12.5, weight), space = x ? wide(' ', 12.5, weight) : 0, shown = word;
    if (x && x + space + ww > w) { if (lines.length === most) return null; lines.push([]); x = space = 0; }
    if (ww > w + 2) { shown = cutText(word, w, 12.5, weight); ww = w; }
    const now = lines[lines.length - 1], last = now[now.length - 1];
    if (last && last[1] === weight) last[0] += ' ' + shown; else now.push([(last ? ' ' : '') + shown, weight]);
    x += space + ww;
  }
  return lines;
}
